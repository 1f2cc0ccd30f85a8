// The names of an exercise's block that are compared, and the expression of a line that failed.
#pragma once
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "apps/exercise/course.h"
#include "apps/script/ast.h"

namespace glassgrad::exercise {

// Returns the name that an assignment binds or writes into: "self.W_query", "out" for `out[i]`; else "".
std::string path_of(const script::Expr& target);

struct BlockNames {
  std::vector<std::string> solution;  // bound by the solution, in order, without names that begin with _
  std::set<std::string> outside;      // mentioned by the block outside the blank
  std::vector<std::string> all;       // mentioned by the block, in order
};
// Returns the names of the block with its solution. `body` must be parsed with line numbers from 1.
BlockNames names_in(const script::Body& body, const Exercise& exercise);

// Adds to `live` the program's names that these top-level statements read, except names that are bound before
// they are read; those go to `bound`. Pass the same two sets for each body, one after the other.
void find_live(std::span<const std::unique_ptr<script::Statement>> body, std::set<std::string>& live,
               std::set<std::string>& bound);

// Returns the innermost expression of the statement that began but gave no value, or null.
const script::Expr* failed_in(const script::Statement& s,
                              const std::unordered_set<const script::Expr*>& evaluated);

}  // namespace glassgrad::exercise
