// What the numbers of a recording are called: a cell of a tensor that a step shows, a parameter or an input
// of the lesson, else the op that computed it.
#pragma once
#include <unordered_map>
#include <vector>

#include "apps/lesson/address.h"

namespace glassgrad::learn {

Element element_of(const Address& address);
using glassgrad::index_in;

struct CellName {
  const Step* step = nullptr;    // that shows it; null: none does
  const Entry* entry = nullptr;  // of that step
  std::string tensor;            // "keys", "W_query.weight", "mm"
  Dims cell;
  bool is_value = false;  // a number that stands for itself: the 2 of x * 2
  bool is_given = false;  // of what the run was given
  size_t call = 0;        // of an op: which call, so that two of its kind can be told apart

  std::string brief() const { return tensor + cell_text(cell); }               // "keys[1,0]"
  std::string full() const { return (step ? step->id + ":" : "") + brief(); }  // "projections:keys[1,0]"
};

class CellNames {
 public:
  // The recording has its calls, and outlives the names.
  explicit CellNames(const Recording& recording);

  // Where the number stands in the lesson: in the step `here` if that shows it, else in the last one before
  // it, else in the first after it; rather in a matrix than in its transpose, and in a whole one than in a
  // part. Views are looked through, and copies that nobody shows.
  CellName name(const Element& cell, const Step* here) const;
  // All that the step shows of the number: of a matrix and its transpose both, of a copy the one that it is
  // in.
  std::vector<CellName> names_in(const Step& step, const Element& cell) const;
  // The same number where it was first written: through copies that nobody shows.
  Element source(const Element& cell) const;

 private:
  struct Shown {
    const Step* step;
    const Entry* entry;
  };
  std::optional<CellName> shown(const Element& cell, const Step* here) const;
  std::optional<CellName> given(const Element& cell) const;
  std::optional<Element> copied_from(const Element& cell) const;

  const Recording& recording_;
  std::unordered_map<const Buffer*, std::vector<Shown>> shown_;
};

// What the indices say: 'query "starts" looks at key "journey"', 'token "starts", d_out 1'; empty for a 0-d
// tensor.
std::string meaning(const Recording& recording, const Entry& entry, const Dims& cell);

}  // namespace glassgrad::learn
