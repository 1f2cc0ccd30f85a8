#include "print.h"
#include "core/joined.h"

#include <fmt/compile.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace glassgrad {

thread_local constinit DType unnamed_float = float32;

namespace {

PrintOptions& options_in_use() {
  static PrintOptions options;
  return options;
}

constexpr std::string_view kPrefix = "tensor(";

// Prints one tensor: nested brackets around elements that share one style and one width.
class Printer {
 public:
  Printer(const View& x, const PrintOptions& options)
      : x_(x), options_(options), summarised_(x.shape.numel() > options.threshold) {
    if (is_floating(x.dtype))
      choose_float_style();
    else
      each_shown_element(0, 0, [&](int64_t at) { width_ = std::max(width_, integer(at).size()); });
  }

  // Appends the elements from dimension `dim` on; the first of them is element `at` in memory. `indent`: the
  // column of the "[".
  void nested(int dim, int64_t at, size_t indent, std::string& to) const {
    if (dim == x_.shape.n) {
      const std::string one = element(at);
      to.append(width_ - std::min(width_, one.size()), ' ');
      to += one;
      return;
    }
    const bool rows = dim < x_.shape.n - 1;
    const int64_t room = options_.linewidth - static_cast<int64_t>(indent);
    const int64_t per_line = std::max<int64_t>(1, room / static_cast<int64_t>(width_ + 2));
    int64_t shown = 0;
    to += '[';
    each_shown(dim, [&](int64_t i) {
      if (shown > 0) {
        const bool breaks = rows || shown % per_line == 0;
        to += breaks ? "," : ", ";
        if (breaks) to.append(rows ? static_cast<size_t>(x_.shape.n - 1 - dim) : 1, '\n');
        if (breaks) to.append(indent + 1, ' ');
      }
      ++shown;
      if (i == kGap)
        to += rows || options_.edgeitems == 0 ? "..." : " ...";
      else
        nested(dim + 1, at + i * x_.strides[dim], indent + 1, to);
    });
    to += ']';
  }

  std::string element(int64_t at) const { return is_floating(x_.dtype) ? text(number(at)) : integer(at); }

 private:
  enum class Style { Integral, Fixed, Scientific };
  static constexpr int64_t kGap = -1;

  // Calls f with the indices of a dimension that are shown, and with kGap where some are left out.
  template <class F>
  void each_shown(int dim, F f) const {
    const int64_t n = x_.shape[dim], edge = options_.edgeitems;
    if (!summarised_ || n <= 2 * edge) {
      for (int64_t i = 0; i < n; ++i) f(i);
      return;
    }
    for (int64_t i = 0; i < edge; ++i) f(i);
    f(kGap);
    for (int64_t i = n - edge; i < n; ++i) f(i);
  }

  template <class F>
  void each_shown_element(int dim, int64_t at, F f) const {
    if (dim == x_.shape.n) return f(at);
    each_shown(dim, [&](int64_t i) {
      if (i != kGap) each_shown_element(dim + 1, at + i * x_.strides[dim], f);
    });
  }

  // Zeros, infinities and NaNs do not count for style and width, so they may be wider than the column.
  void choose_float_style() {
    std::vector<double> values;
    each_shown_element(0, 0, [&](int64_t at) {
      const double v = number(at);
      if (std::isfinite(v) && v != 0) values.push_back(v);
    });
    if (values.empty()) return;
    double low = std::abs(values[0]), high = low;
    bool integral = true;
    for (double v : values) {
      low = std::min(low, std::abs(v));
      high = std::max(high, std::abs(v));
      integral = integral && v == std::ceil(v);
    }
    const Style plain = integral ? Style::Integral : Style::Fixed;
    const bool far = high / low > 1000 || high > 1e8 || (!integral && low < 1e-4);
    style_ = far ? Style::Scientific : plain;
    for (double v : values) width_ = std::max(width_, text(v).size());
    // sci_mode replaces the style but not the width, as in PyTorch 2.6.
    if (options_.sci_mode) style_ = *options_.sci_mode ? Style::Scientific : plain;
  }

  double number(int64_t at) const {
    double value = 0;
    every_float(x_.dtype, [&](auto zero) { value = static_cast<double>(x_.as<decltype(zero)>()[at]); });
    return value;
  }
  std::string integer(int64_t at) const {
    if (x_.dtype == boolean) return x_.as<bool>()[at] ? "True" : "False";
    int64_t value = 0;
    every_type(x_.dtype, [&](auto zero) { value = static_cast<int64_t>(x_.as<decltype(zero)>()[at]); });
    return std::to_string(value);
  }
  std::string text(double v) const {
    if (style_ == Style::Scientific) return scientific(v, options_.precision);
    if (style_ == Style::Fixed) return fixed(v, options_.precision);
    return fixed(v, 0) + (std::isfinite(v) ? "." : "");
  }

  View x_;
  PrintOptions options_;
  bool summarised_;
  Style style_ = Style::Integral;
  size_t width_ = 1;
};

// "(2, 3)", "(2,)", "()": str(tuple(shape)).
std::string tuple_text(const Dims& shape) {
  return fmt::format("({}{})", joined(shape, ", "), shape.n == 1 ? "," : "");
}

bool is_meta(const PrintNotes& notes) { return notes.device == device_type_name(DeviceType::Meta); }

std::vector<std::string> suffixes(const View& x, const PrintNotes& notes, const PrintOptions& options) {
  std::vector<std::string> list;
  const bool empty = x.shape.numel() == 0 || is_meta(notes);
  const bool obvious = x.dtype == unnamed_float || (!empty && (x.dtype == int64 || x.dtype == boolean));
  if (!notes.device.empty()) list.push_back(fmt::format("device='{}'", notes.device));
  if (empty ? x.shape.n != 1 || is_meta(notes) : options.edgeitems == 0)
    list.push_back("size=" + tuple_text(x.shape));
  if (!obvious) list.push_back(fmt::format("dtype={}", dtype_name(x.dtype)));
  if (!notes.grad_fn.empty())
    list.push_back(fmt::format("grad_fn=<{}>", notes.grad_fn));
  else if (notes.requires_grad)
    list.emplace_back("requires_grad=True");
  return list;
}

// Python never shows the sign of a NaN.
double unsigned_nan(double x) { return std::isnan(x) ? std::abs(x) : x; }

}  // namespace

const PrintOptions& print_options() { return options_in_use(); }

bool is_summarised(const Dims& shape, const PrintOptions& o) {
  const auto leaves_out = [&](int64_t size) { return size > 2 * o.edgeitems; };
  return shape.numel() > o.threshold && std::any_of(shape.begin(), shape.end(), leaves_out);
}

void set_printoptions(const PrintChange& change) {
  PrintOptions& o = options_in_use();
  if (change.profile == "default") o = {};
  if (change.profile == "short") o = {.precision = 2, .edgeitems = 2, .sci_mode = {}};
  if (change.profile == "full") o = {.threshold = PrintOptions::kNoThreshold, .sci_mode = {}};
  o.precision = change.precision.value_or(o.precision);
  o.threshold = change.threshold.value_or(o.threshold);
  o.edgeitems = change.edgeitems.value_or(o.edgeitems);
  o.linewidth = change.linewidth.value_or(o.linewidth);
  o.sci_mode = change.sci_mode;
}

std::string repr(const View& x, const PrintNotes& notes, const PrintOptions& options) {
  constexpr size_t indent = kPrefix.size();
  std::string text(kPrefix);
  if (is_meta(notes))
    text += "...";
  else if (x.shape.numel() == 0)
    text += "[]";
  else
    Printer(x, options).nested(0, 0, indent, text);
  const size_t newline = text.rfind('\n');
  size_t column = newline == std::string::npos ? text.size() + 2 : text.size() - newline + 1;
  for (const std::string& s : suffixes(x, notes, options)) {
    if (static_cast<int64_t>(column + s.size() + 2) > options.linewidth) {
      text += ",\n" + std::string(indent, ' ') + s;
      column = indent + s.size();
    } else {
      text += ", " + s;
      column += s.size() + 2;
    }
  }
  return (notes.parameter ? "Parameter containing:\n" : "") + text + ")";
}

std::function<std::string(int64_t)> element_writer(const View& x, const PrintOptions& options) {
  return [printer = Printer(x, options)](int64_t at) { return printer.element(at); };
}

std::string repr(const Tensor& x, const PrintOptions& options) {
  const char* name = x.grad_fn_name();
  const Tensor values = x.device() == kMeta ? x : on_host(x);
  const std::string device = x.device() == kCpu ? "" : to_string(x.device());
  return repr(values.raw(),
              {.device = device,
               .grad_fn = name ? name : "",
               .requires_grad = x.requires_grad(),
               .parameter = x->is_parameter},
              options);
}

std::string repr(std::string_view function, const Tensor& values, const Tensor& indices) {
  return fmt::format("torch.return_types.{}(\nvalues={},\nindices={})", function, repr(values),
                     repr(indices));
}

std::string size_repr(const Dims& shape) { return fmt::format("torch.Size([{}])", joined(shape, ", ")); }

std::string format_item(const Tensor& x) {
  if (x.dim() > 0 || x->is_parameter) return repr(x);
  if (x.dtype() == boolean) return x.item<bool>() ? "True" : "False";
  if (!is_floating(x.dtype())) return std::to_string(x.item<int64_t>());
  return python_float(x.item());
}

std::string python_float(double x) {
  std::string text = fmt::format("{}", unsigned_nan(x));
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string fixed(double x, int precision) {
  return fmt::format(FMT_COMPILE("{:.{}f}"), unsigned_nan(x), precision);
}
std::string scientific(double x, int precision) {
  return fmt::format(FMT_COMPILE("{:.{}e}"), unsigned_nan(x), precision);
}

std::string digits(double x) {
  const double size = std::abs(x);
  const int precision = print_options().precision;
  const bool in_powers_of_ten = std::isfinite(x) && x != 0 && (size < 1e-4 || size > 1e8);
  return in_powers_of_ten ? scientific(x, precision) : fixed(x, precision);
}

}  // namespace glassgrad
