#include "apps/ask/predict/quantity.h"

#include <fmt/core.h>

#include <cmath>

#include "apps/cli/arguments.h"
#include "apps/lesson/phrases.h"
#include "engine/core/joined.h"
#include "engine/glass/why.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

constexpr std::string_view kSum = ".sum(-1)", kShape = ".shape", kFixed = ".fixed", kAsk = "ask";
// Forms that the index of a row follows.
constexpr std::pair<std::string_view, Quantity::Kind> kOfRows[] = {{kSum, Quantity::Kind::RowSum},
                                                                   {".argmax(-1)", Quantity::Kind::Largest},
                                                                   {".late_mask", Quantity::Kind::LateMask}};

constexpr int kLeastDigits = 2;  // the fewest digits to which an answer may be rounded

// The index without its last dimension.
Dims row_of(const Dims& cell) {
  Dims row;
  for (int d = 0; d + 1 < cell.n; ++d) row.push(cell[d]);
  return row;
}

Tensor row_sum(const Quantity& asked) {
  Tensor row = asked.address.entry->value->tensor();
  for (const int64_t i : row_of(asked.address.cell)) row = row[i];
  return sum(row);
}

// Splits the text into "STEP:TENSOR", and the brackets with their contents.
std::pair<std::string_view, std::string_view> cut_brackets(std::string_view text) {
  const size_t open = text.ends_with(']') ? text.rfind('[') : text.npos;
  return {text.substr(0, open), open == text.npos ? std::string_view() : text.substr(open)};
}

Quantity find_row(const Recording& recording, Quantity::Kind kind, std::string_view tensor,
                  std::string_view row) {
  const Address all = find_tensor(recording, tensor);
  const Dims& shape = all.entry->value->shape();
  check<UsageError>(shape.n > 0 && shape[shape.n - 1] > 0, "{} has no rows", tensor);
  std::string cell(row.empty() ? "[" : row.substr(0, row.size() - 1));
  cell += row.empty() ? "0]" : ",0]";
  return {.kind = kind, .address = find_cell(recording, std::string(tensor) + cell)};
}

Quantity find_size(const Recording& recording, std::string_view tensor, std::string_view brackets) {
  const Address address = find_tensor(recording, tensor);
  if (brackets.empty()) return {.kind = Quantity::Kind::Shape, .address = address};
  const int dims = address.entry->value->shape().n;
  const auto dim =
      brackets.size() > 2 ? parse_number<int>(brackets.substr(1, brackets.size() - 2)) : std::optional<int>();
  check<UsageError>(dim && *dim >= -dims && *dim < dims,
                    "{}.shape{} is no size: {} has {}, counted from 0 or, as -1, from the end", tensor,
                    brackets, tensor, counted(dims, "dimension"));
  return {.kind = Quantity::Kind::Size, .address = address, .dim = *dim < 0 ? *dim + dims : *dim};
}

// Finds STEP:ask[k]; none if the step has no such question.
std::optional<Quantity> find_written(const Recording& recording, std::string_view tensor,
                                     std::string_view brackets) {
  const size_t colon = tensor.rfind(':');
  if (colon == tensor.npos || tensor.substr(colon + 1) != kAsk || brackets.size() < 3) return {};
  const auto which = parse_number<int>(brackets.substr(1, brackets.size() - 2));
  for (const Step& step : recording.steps)
    if (step.id == tensor.substr(0, colon) && which && *which >= 0 && *which < std::ssize(step.asks))
      return Quantity{.kind = Quantity::Kind::Written, .address = {&step, nullptr, {}}, .dim = *which};
  return {};
}

// The number of significant digits, and the value of one unit of the last digit.
struct Written {
  int digits = 0;
  double unit = 1;
};
Written measured(std::string_view number) {
  const size_t end = std::min(number.find_first_of("eE"), number.size());
  Written written;
  int after_point = 0;
  bool point = false;
  for (const char c : number.substr(0, end)) {
    point = point || c == '.';
    if (c < '0' || c > '9') continue;
    if (written.digits > 0 || c != '0') ++written.digits;
    if (point) ++after_point;
  }
  const auto exponent = end < number.size()
                            ? parse_number<int>(number.substr(end + 1 + (number[end + 1] == '+')))
                            : std::optional<int>(0);
  written.unit = std::pow(10.0, exponent.value_or(0) - after_point);
  return written;
}

std::optional<double> parse_special(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "nan" || text == "NaN") return std::nan("");
  if (text != "inf" && text != "Infinity") return {};
  return negative ? -INFINITY : INFINITY;
}

std::optional<double> parse_decimal(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return text.starts_with('+') ? std::nullopt : parse_number<double>(text);
}

}  // namespace

bool Quantity::operator==(const Quantity& other) const {
  return kind == other.kind && address.step == other.address.step && address.entry == other.address.entry &&
         address.cell == other.address.cell && dim == other.dim;
}

double Quantity::value() const {
  if (kind == Quantity::Kind::Size) return double(address.entry->value->shape()[dim]);
  if (kind == Quantity::Kind::RowSum) return row_sum(*this).item();
  return to_double(element(address.entry->value->tensor(), address.cell));
}

std::string sizes_text(const Dims& shape) {
  return fmt::format("({}{})", joined(shape, ", "), shape.n == 1 ? "," : "");
}

std::string Quantity::value_text() const {
  if (kind == Quantity::Kind::Size) return std::to_string(address.entry->value->shape()[dim]);
  if (kind == Quantity::Kind::Shape) return sizes_text(address.entry->value->shape());
  if (kind == Quantity::Kind::RowSum) return digits(row_sum(*this));
  const Tensor x = address.entry->value->tensor();
  int64_t at = 0;
  for (int d = 0; d < address.cell.n; ++d) at += address.cell[d] * x.strides()[d];
  return element_writer(x.raw())(at);
}

std::string Quantity::name() const {
  if (kind == Quantity::Kind::Written) return fmt::format("{}[{}]", kAsk, dim);
  const std::string& tensor = address.entry->name;
  if (kind == Quantity::Kind::Size) return fmt::format("{}{}[{}]", tensor, kShape, dim);
  if (kind == Quantity::Kind::Shape) return fmt::format("{}{}", tensor, kShape);
  if (kind == Quantity::Kind::Fixed) return fmt::format("{}{}", tensor, kFixed);
  for (const auto& [form, of_rows] : kOfRows)
    if (kind == of_rows) return fmt::format("{}{}{}", tensor, form, cell_text(row_of(address.cell)));
  return tensor + cell_text(address.cell);
}

Quantity find_quantity(const Recording& recording, std::string_view text) {
  const auto [tensor, brackets] = cut_brackets(text);
  const auto before = [&, all = tensor](std::string_view form) {
    return all.substr(0, all.size() - form.size());
  };
  if (const auto written = find_written(recording, tensor, brackets)) return *written;
  for (const auto& [form, kind] : kOfRows)
    if (tensor.ends_with(form)) return find_row(recording, kind, before(form), brackets);
  if (tensor.ends_with(kShape)) return find_size(recording, before(kShape), brackets);
  if (tensor.ends_with(kFixed) && brackets.empty()) {
    Address address = find_tensor(recording, before(kFixed));
    for (int d = 0; d < address.entry->value->shape().n; ++d) address.cell.push(0);
    return {.kind = Quantity::Kind::Fixed, .address = address};
  }
  return {.kind = Quantity::Kind::Cell, .address = find_cell(recording, text)};
}

std::optional<TypedNumber> parse_answer(std::string_view text) {
  if (const auto special = parse_special(text)) return TypedNumber{*special, 0};
  if (const size_t slash = text.find('/'); slash != text.npos) {
    const auto above = parse_decimal(text.substr(0, slash)), below = parse_decimal(text.substr(slash + 1));
    if (!above || !below || *below == 0) return {};
    return TypedNumber{*above / *below, 0};
  }
  const auto value = parse_decimal(text);
  if (!value) return {};
  const Written written = measured(text);
  return TypedNumber{*value, written.digits >= kLeastDigits ? written.unit / 2 : 0};
}

bool accepts(const TypedNumber& answer, double value, bool exactly) {
  if (std::isnan(value) || std::isnan(answer.value)) return std::isnan(value) && std::isnan(answer.value);
  if (exactly || std::isinf(value) || std::isinf(answer.value)) return answer.value == value;
  constexpr double kClose = 2e-4, kRounding = 1 + 1e-6;  // a number that ends in 5 may be rounded either way
  return std::abs(answer.value - value) <= std::max(kClose, answer.half_unit * kRounding);
}

bool accepts(const TypedNumber& answer, const Quantity& asked) {
  const bool exactly =
      asked.kind == Quantity::Kind::Size || !is_floating(asked.address.entry->value->dtype());
  return accepts(answer, asked.value(), exactly);
}

bool is_one_digit_of(std::string_view answer, double value) {
  const auto number = parse_decimal(answer);
  if (!number || !std::isfinite(value)) return false;
  const Written written = measured(answer);
  return written.digits > 0 && written.digits < kLeastDigits && std::abs(*number - value) <= written.unit / 2;
}

}  // namespace glassgrad::learn
