// PyTorch's printing: the same characters that print(tensor) gives in PyTorch 2.6.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "tensor.h"

namespace glassgrad {

struct PrintOptions {
  static constexpr int64_t kNoThreshold = std::numeric_limits<int64_t>::max();
  int precision = 4;         // digits after the point
  int64_t threshold = 1000;  // more elements than this are summarised
  int64_t edgeitems = 3;     // elements shown at either end of a summarised dimension
  int64_t linewidth = 80;
  std::optional<bool> sci_mode;  // unset: chosen from the values (the column width always is)
};
const PrintOptions& print_options();
// The floating dtype that repr does not name: the one that torch.set_default_dtype has set on this thread.
extern thread_local constinit DType unnamed_float;

// torch.set_printoptions: applies the profile first ("default", "short", "full"; others change nothing), then
// the given options; sci_mode is reset unless given. For the whole process.
struct PrintChange {
  std::optional<int> precision = {};
  std::optional<int64_t> threshold = {}, edgeitems = {}, linewidth = {};
  std::string_view profile = {};
  std::optional<bool> sci_mode = {};
};
void set_printoptions(const PrintChange& change);

// The text after the numbers: `, device='cuda:0', dtype=torch.float64, grad_fn=<MulBackward0>)`.
struct PrintNotes {
  std::string_view device;   // empty: the CPU, which is not mentioned; "meta": no numbers are shown
  std::string_view grad_fn;  // empty: none
  bool requires_grad = false;
  bool parameter = false;  // starts with "Parameter containing:\n"
};

// True if repr leaves out elements of a tensor of this shape.
bool is_summarised(const Dims& shape, const PrintOptions& options = print_options());
// repr(tensor) = str(tensor). Reads only the shown elements of a summarised tensor.
std::string repr(const Tensor& x, const PrintOptions& options = print_options());
std::string repr(const View& x, const PrintNotes& notes, const PrintOptions& options = print_options());
// Returns a function from an element's offset in memory, counted in elements from the first, to its text. All
// texts have the style that repr chooses from the elements it shows. x's memory must outlive the function.
std::function<std::string(int64_t at)> element_writer(const View& x,
                                                      const PrintOptions& options = print_options());
// The repr of results of max(dim), sort, topk, …: "torch.return_types.max(\nvalues=…,\nindices=…)".
std::string repr(std::string_view function, const Tensor& values, const Tensor& indices);
// "torch.Size([2, 3])".
std::string size_repr(const Dims& shape);
// f"{tensor}": for a 0-d tensor that is not a parameter, its Python number, else the repr.
std::string format_item(const Tensor& x);
// repr(float) in Python: the shortest text that reads back as x; with an exponent below 1e-4 and from 1e16
// on.
std::string python_float(double x);
// f"{x:.4f}" and f"{x:.4e}" in Python: the exact value, rounded; NaN has no sign.
std::string fixed(double x, int precision);
std::string scientific(double x, int precision);
// "0.2379", "1.0000e+30": a number as PyTorch prints it in a 0-d tensor.
std::string digits(double x);

}  // namespace glassgrad
