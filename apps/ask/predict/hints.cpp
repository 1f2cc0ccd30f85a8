#include "apps/ask/predict/hints.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/ask/predict/choices.h"
#include "apps/ask/predict/worked_out.h"
#include "apps/ask/why/explanation.h"
#include "apps/lesson/axes.h"
#include "apps/lesson/phrases.h"
#include "engine/core/joined.h"
#include "engine/core/utf8.h"

namespace glassgrad::learn {
namespace {

constexpr size_t kMostNames = 12;

// True if a line of the arithmetic gives the answer away. Ignores short answers, because they also occur
// inside other numbers.
bool tells(const std::string& line, const std::string& answer) {
  constexpr size_t kLong = 4;
  return answer.size() >= kLong && line.find(answer) != line.npos;
}

// Opens a number where it was computed, if here it was only copied.
why::OpenedCell computed_cell(const Recording& recording, const CellNames& names, const Address& address) {
  why::OpenedCell cell = why::open_cell(recording, names, address);
  const auto computed = computed_at(*recording.trace, cell.place);
  if (!computed) return cell;
  cell.call = &recording.trace->calls()[computed->cell.call];
  cell.place = {cell.call->out[computed->cell.out], computed->cell.index};
  cell.opened = recording.trace->open(computed->cell);
  return cell;
}

std::vector<std::string> of_cell(const Recording& recording, const Quantity& asked) {
  const CellNames names(recording);
  const Step& here = *asked.address.step;
  const why::OpenedCell cell = computed_cell(recording, names, asked.address);
  const std::string formula = cell.call ? fmt::format("{}: {}", cell.call->op->name, cell.call->op->formula)
                                        : "It was there before the run: nothing has computed it.";
  constexpr const char* kOneStep = "Put these numbers into the formula: there is only that one step.";
  const std::string answer(trimmed(asked.value_text()));
  if (auto worked = worked_out(recording, names, element_of(asked.address), here))
    return {here.formulas.size() == 1 ? here.formulas[0].text : formula,
            joined(worked->numbers, ", ", kMostNames) + ".",
            tells(worked->line, answer) ? kOneStep : worked->line};
  const why::CellPage page = why::page_of(recording, names, cell, &here, {});
  std::vector<std::string> numbers;
  const std::string prefix = here.id + ":";
  for (size_t i = 0; i < page.operands.size() && i < page.names.size(); ++i) {
    const SnapshotElement& place = page.operands[i];
    const std::string& name = page.names[i];
    const std::string text =
        fmt::format("{} = {}", name.starts_with(prefix) ? name.substr(prefix.size()) : name,
                    why::digits_of(element(place.x.tensor(), place.index), false));
    if (std::find(numbers.begin(), numbers.end(), text) == numbers.end()) numbers.push_back(text);
  }
  std::vector<std::string> lines;
  for (size_t i = page.arithmetic; i < page.lines.size(); ++i) lines.push_back(why::plain(page.lines[i]));
  if (!lines.empty()) lines.pop_back();  // "= VALUE"
  while (!lines.empty() && (lines.back().empty() || tells(lines.back(), answer))) lines.pop_back();
  const auto told = [&](const std::string& line) { return tells(line, answer); };
  if (std::any_of(lines.begin(), lines.end(), told)) lines.clear();
  return {
      formula,
      numbers.empty() ? "No other number of the lesson goes in." : joined(numbers, ", ", kMostNames) + ".",
      lines.empty() ? kOneStep : joined(lines, "\n")};
}

std::vector<std::string> row_numbers(const Quantity& asked) {
  std::vector<std::string> numbers;
  Dims cell = asked.address.cell;
  const Tensor x = asked.address.entry->value->tensor();
  for (int64_t& k = cell[cell.n - 1]; k < x.size(cell.n - 1); ++k)
    numbers.push_back(digits(to_double(element(x, cell))));
  return numbers;
}

std::vector<std::string> of_sum(const Quantity& asked) {
  const std::vector<std::string> numbers = row_numbers(asked);
  double sum = 0;
  Dims cell = asked.address.cell;
  const Tensor x = asked.address.entry->value->tensor();
  const int64_t n = x.size(cell.n - 1);
  for (int64_t& k = cell[cell.n - 1]; k + 1 < n; ++k) sum += to_double(element(x, cell));
  return {"The sum of a row: x_0 + x_1 + x_2 + ...", fmt::format("{}.", joined(numbers, " + ", kMostNames)),
          fmt::format("All but the last give {}; {} is left to be added.", digits(sum), numbers.back())};
}

// Returns the shapes of the two matrices of a product; empty if the tensor is no product.
std::vector<Dims> factors(const Recording& recording, const Entry& entry) {
  const auto writer = recording.trace->writer(*entry.value);
  if (!writer) return {};
  const RecordedCall& call = recording.trace->calls()[writer->call];
  const std::string_view op = call.op->name;
  if (op != "mm" && op != "bmm" && op != "addmm") return {};
  const size_t at = op == "addmm" ? 1 : 0;
  return {call.in[at].shape(), call.in[at + 1].shape()};
}

std::vector<std::string> of_shape(const Recording& recording, const Quantity& asked) {
  const Entry& entry = *asked.address.entry;
  const Dims& shape = entry.value->shape();
  const std::vector<Dims> ab = factors(recording, entry);
  if (!ab.empty() && ab[0].n >= 2 && ab[1].n >= 2) {
    const Dims &a = ab[0], &b = ab[1];
    const int64_t inner = a[a.n - 1];
    return {"(n, k) @ (k, m) gives (n, m): the inner sizes are equal, and go.",
            fmt::format("Here {} @ {}.", sizes_text(a), sizes_text(b)),
            asked.kind == Quantity::Kind::Shape
                ? fmt::format("n = {}, k = {}, m = {}, and k goes.", a[a.n - 2], inner, b[b.n - 1])
                : fmt::format("The inner sizes, {} and {}, go. The second matrix gives the last size.", inner,
                              inner)};
  }
  std::vector<std::string> known;
  for (int d = 0; d < shape.n; ++d)
    if (d != asked.dim)
      known.push_back(entry.axes.empty() ? std::to_string(shape[d])
                                         : fmt::format("{} {}", entry.axes[size_t(d)], shape[d]));
  return {
      "What an operation reads has as many numbers as its code says: cutting into heads and "
      "transposing keep all, cat adds the sizes of one dimension.",
      fmt::format("The other sizes here are {}.", joined(known, ", ", 8)),
      shape.numel() > 0 && shape.n > 0
          ? fmt::format("All sizes multiplied give {} numbers, those others {}.", shape.numel(),
                        shape.numel() / std::max<int64_t>(1, shape[asked.dim]))
          : "Nothing is in it: one of its sizes is 0."};
}

}  // namespace

std::vector<std::string> hints_about(const Recording& recording, const Quantity& asked) {
  using Kind = Quantity::Kind;
  if (asked.kind == Kind::Cell) return of_cell(recording, asked);
  if (asked.kind == Kind::RowSum) return of_sum(asked);
  if (asked.kind == Kind::Size || asked.kind == Kind::Shape) return of_shape(recording, asked);
  const auto choices = choices_of(recording, asked);
  return choices ? choices->hints : std::vector<std::string>();
}

std::string opened_answer(const Recording& recording, const Quantity& asked) {
  using Kind = Quantity::Kind;
  if (asked.kind == Kind::Cell) {
    const CellNames names(recording);
    if (const auto worked = worked_out(recording, names, element_of(asked.address), *asked.address.step))
      return fmt::format("{} = {} = {}", asked.name(), worked->line, trimmed(asked.value_text()));
    const why::OpenedCell cell = computed_cell(recording, names, asked.address);
    std::string text = why::text_of(why::explain_to_shown(recording, names, cell, asked.address.step));
    while (text.ends_with('\n')) text.pop_back();
    return text;
  }
  if (asked.kind == Kind::RowSum)
    return fmt::format("{} = {}", joined(row_numbers(asked), " + ", kMostNames), asked.value_text());
  if (asked.kind == Kind::Size || asked.kind == Kind::Shape) {
    const std::vector<std::string> hints = of_shape(recording, asked);
    return fmt::format("{} {} So {} is {}.", hints[1], hints[2], asked.name(), asked.value_text());
  }
  const auto choices = choices_of(recording, asked);
  return choices ? choices->why : "";
}

std::string answer_text(const Recording& recording, const Quantity& asked) {
  if (!asked.is_choice()) return asked.value_text();
  const auto choices = choices_of(recording, asked);
  return choices ? choices->texts[choices->right] : "";
}

}  // namespace glassgrad::learn
