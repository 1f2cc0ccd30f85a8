// Slips: what a call would have given if something in it had been forgotten, reversed or mixed up.
#pragma once
#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "apps/ask/predict/provenance.h"
#include "engine/glass/why.h"

namespace glassgrad::learn {

// A cell whose call is computed with a slip.
struct SlipContext {
  const RecordedCall& call;
  std::string scope;  // the module or composed function that the call is part of
  const Expr& tree;
  const Dims& index;

  bool is(std::initializer_list<std::string_view> names) const {
    return std::find(names.begin(), names.end(), call.op->name) != names.end();
  }
  // The number at a place of input k.
  double in(size_t k, const Dims& place) const { return to_double(element(call.in[k].tensor(), place)); }
  const Dims& shape(size_t k) const { return call.in[k].shape(); }
};

struct Slip {
  const char* sentence;  // after "what you get"; {} is the detail
  // Returns the cell's value with the slip; nothing if the slip cannot happen there.
  std::optional<double> (*value)(const SlipContext&);
  std::string (*detail)(const SlipContext&) = nullptr;
};

// If several slips give the same number, the first one is reported.
extern const std::span<const Slip> kAllSlips;

}  // namespace glassgrad::learn
