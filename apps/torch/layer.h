// The table of torch.nn's losses and of its layers without parameters. A row has a class, its constructor's
// arguments, its function, and what its repr shows. Every host makes its classes from these rows.
#pragma once
#include "signature.h"

namespace glassgrad::GG_HOST {

struct LayerRow {
  std::string_view home;  // the module in torch.nn.modules
  // The signature, like that of a function: "GELU(str approximate='none')". Each parameter becomes an
  // attribute of the same name, a Tensor becomes a buffer. An `object` is accepted for compatibility with
  // PyTorch and ignored.
  std::string_view constructor;
  // A function of torch.nn.functional, or else of torch: "gelu(input; approximate=)". Its arguments are the
  // call's inputs, then attributes of the layer, those with "=" by name. Empty: returns the input.
  std::string_view computes;
  // "dim=" prints as dim=1, "lambd" as 0.5, "inplace?" as inplace=True; for False and None, "?" prints
  // nothing.
  std::string_view shown;
};

// A parsed row. Its documentation is that of the function.
struct Layer {
  explicit Layer(const LayerRow& row);
  Signature constructor;
  std::string home, function;
  std::vector<std::string> inputs, settings, shown;  // settings and shown with their marks
};
// A word's name, and its mark: '=', '?' or 0.
inline std::pair<std::string_view, char> marked(std::string_view word) {
  const bool has_mark = word.ends_with('=') || word.ends_with('?');
  return {word.substr(0, word.size() - has_mark), has_mark ? word.back() : '\0'};
}

// All rows, parsed once and kept for the life of the process.
const std::vector<Layer>& layers();

}  // namespace glassgrad::GG_HOST
