// Which names of an exercise's block count, and where in a line something failed.
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

// What an assignment binds or writes into: "self.W_query", "out" of `out[i]`; empty: something else.
std::string path_of(const script::Expr& target);

struct BlockNames {
  std::vector<std::string> solution;  // that the solution binds, in its order; none that begins with _
  std::set<std::string> outside;      // that the block mentions outside the blank
  std::vector<std::string> all;       // that it mentions, in its order
};
// Of the block with its solution, parsed with lines from 1.
BlockNames names_in(const script::Body& body, const Exercise& exercise);

// Adds to `live` the program's names that these top-level statements read, but for those that are bound
// before they are read, which are added to `bound`. Both go on from one body to the next.
void find_live(std::span<const std::unique_ptr<script::Statement>> body, std::set<std::string>& live,
               std::set<std::string>& bound);

// The innermost expression of the statement that was begun and gave no value; null: none.
const script::Expr* failed_in(const script::Statement& s,
                              const std::unordered_set<const script::Expr*>& evaluated);

}  // namespace glassgrad::exercise
