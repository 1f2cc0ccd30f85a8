// A record's texts about a number and about a tensor.
#include <fmt/core.h>

#include <algorithm>

#include "../core/joined.h"
#include "../print.h"
#include "program_record.h"

namespace glassgrad::why {
namespace {

constexpr const char* kWrittenUnseen =
    "written where the glass did not watch: after it ended, or by a different thread";

// The op's arguments as text: ", dim=-1, keepdim=False".
struct Arguments : AttrVisitor {
  std::string text;
  void add(const char* name, const std::string& value) {
    if (*name) text += fmt::format(", {}={}", name, value);
  }
  void operator()(const char* name, int64_t value) override { add(name, std::to_string(value)); }
  void operator()(const char* name, double value) override { add(name, python_float(value)); }
  void operator()(const char* name, bool value) override { add(name, value ? "True" : "False"); }
  void operator()(const char* name, const Dims& value) override {
    add(name, fmt::format("[{}]", joined(value, ", ")));
  }
};

std::string value_text(const SnapshotElement& number, bool exact) {
  const Tensor x = number.x.tensor();
  if (exact) return digits_of(element(x, number.index), true);
  return element_writer(x.raw())(offset_of_index(number.index, x.strides()));
}

bool overlap(const Snapshot& a, const Snapshot& b) {
  if (a.buffer != b.buffer) return false;
  const Snapshot& few = a.numel() <= b.numel() ? a : b;
  const Snapshot& many = &few == &a ? b : a;
  if (same_elements(a, b) || many.numel() * item_size(many.dtype()) == int64_t(many.buffer->bytes()))
    return true;
  for (int64_t i = 0, n = few.numel(); i < n; ++i)
    if (index_in(many, {few, index_of(few.shape(), i)})) return true;
  return false;
}

}  // namespace

// ---- copies
// Returns the number that this cell is a copy of; none if it was computed, or copied from a plain number.
std::optional<SnapshotElement> ProgramRecord::original(const CellOfCall& copy) const {
  const Expr tree = open(copy).expression;
  if (tree->op != "cell") return {};
  const Snapshot& from = calls()[copy.call].in[size_t(tree->input)];
  return from.is_number() ? std::nullopt : std::optional(SnapshotElement{from, tree->index});
}

SnapshotElement ProgramRecord::source(const SnapshotElement& number) const {
  SnapshotElement at = number;
  while (!is_named(at)) {
    const auto writer = this->writer(at.x, at.index);
    auto from = writer ? original(*writer) : std::nullopt;
    if (!from) break;
    at = std::move(*from);
  }
  return at;
}

std::optional<CellOfCall> ProgramRecord::computed(const SnapshotElement& number) const {
  std::optional<CellOfCall> by;
  for (std::optional<SnapshotElement> at = number; at;) {
    const auto writer = this->writer(at->x, at->index);
    if (!writer) break;
    by = writer;
    at = original(*writer);
    if (at && is_named(*at)) break;
  }
  return by;
}

// ---- a number
// Adds "scores[2,1], also called att[2,1]", and the line of the program that gave the name.
void ProgramRecord::add_heading(CellPage& page, const SnapshotElement& number, const std::string& name,
                                size_t columns) const {
  std::vector<std::string> others;
  std::string where;
  for (const GivenNames::Name& n : names_.of(number.x))
    if (const auto at = index_in(n.x, number)) {
      const std::string other = n.text() + cell_text(*at);
      if (other == name) where = n.where;
      if (other != name && std::find(others.begin(), others.end(), other) == others.end())
        others.push_back(other);
    }
  constexpr size_t kMostNames = 4;
  if (others.size() > kMostNames) others.resize(kMostNames);
  add_filled(page.lines,
             others.empty() ? name : fmt::format("{}, also called {}", name, joined(others, ", ")), columns);
  if (!where.empty()) add_filled(page.lines, "from " + where, columns);
}

ExplainedNumber ProgramRecord::explained(const SnapshotElement& number, const FormatOptions& how) const {
  ExplainedNumber told{.place = number,
                       .name = name_of(number),
                       .value = value_text(number, how.exact),
                       .opened = {},
                       .page = {}};
  CellPage& page = told.page;
  add_heading(page, number, told.name, how.columns);
  page.arithmetic = page.lines.size();
  if (unseen_.wrote(number.x)) {
    add_filled(page.lines, kWrittenUnseen, how.columns);
  } else if (const auto writer = computed(number)) {
    const RecordedCall& call = calls()[writer->call];
    const auto operand = [&](const ExprNode& node) -> Piece {
      const SnapshotElement read = source({call.in[size_t(node.input)], node.index});
      if (read.x.is_number()) return {digits_of(node.value, how.exact)};
      const std::string name = name_of(read);
      return page.operand(name, read, name);
    };
    const std::string path = path_of(call.part_of);
    told.opened = open(*writer);
    add_opened(page, *call.op, *told.opened, element(number.x.tensor(), number.index),
               {.result = told.name,
                .operand = operand,
                .elsewhere = [&] { return path.empty() ? "" : "part of " + path; }},
               how);
  } else {
    add_filled(page.lines, "given: nothing under this glass has computed it", how.columns);
  }
  page.lines.push_back({{"= " + told.value}});
  return told;
}

Explanation ProgramRecord::explain(const SnapshotElement& number, const ExplainOptions& how) const {
  const Dims& shape = number.x.shape();
  check<IndexError>(number.index.n == shape.n, "{} indices for a tensor of shape {}: {} name one number",
                    number.index.n, shape, shape.n);
  for (int d = 0; d < shape.n; ++d)
    check<IndexError>(number.index[d] >= 0 && number.index[d] < shape[d],
                      "index {} is out of range for dimension {}, which has {} elements", number.index[d], d,
                      shape[d]);
  return why::explain(
      explained(number, how.writing),
      [&](const SnapshotElement& next) { return explained(next, how.writing); }, how);
}

// ---- a tensor
std::string ProgramRecord::line_of(size_t call) const {
  const RecordedCall& c = calls()[call];
  const auto shown = [&](std::span<const Snapshot> all) {
    std::vector<std::string> texts;
    for (const Snapshot& x : all)
      texts.push_back(!x              ? "None"
                      : x.is_number() ? digits_of(element(x.tensor(), {}), false)
                                      : fmt::format("{} {}", names_of(x).front(), x.shape()));
    return joined(texts, ", ");
  };
  Arguments arguments;
  c.attr.each(arguments);
  std::string inside = shown(c.in) + arguments.text;
  if (c.in.empty() && !inside.empty()) inside.erase(0, 2);  // ", "
  return fmt::format("{}{}: {} = {}({})", name_of_call(call), place_of(c), shown(c.out), c.op->name, inside);
}

// The calls that have written x's elements.
std::set<size_t> ProgramRecord::writers(const Snapshot& x) const {
  constexpr int64_t kMostElements = 10'000;  // for a larger tensor, looks only at the first ones and the last
  std::set<size_t> calls;
  const int64_t n = x.numel();
  const auto add = [&](int64_t i) {
    if (const auto writer = this->writer(x, index_of(x.shape(), i))) calls.insert(writer->call);
  };
  for (int64_t i = 0; i < std::min(n, kMostElements); ++i) add(i);
  if (n > kMostElements) add(n - 1);
  return calls;
}

std::string ProgramRecord::made_by(const Snapshot& x) const {
  if (unseen_.wrote(x)) return std::string(kWrittenUnseen) + "\n";
  std::set<size_t> made = writers(x);
  for (const auto& [call, out] : index_.uses.of(x).makers)  // for a view, also the call that made it
    if (calls()[call].is_view && same_elements(calls()[call].out[out], x)) {
      made.insert(call);
      break;
    }
  std::string text;
  for (const size_t call : made) text += line_of(call) + "\n";
  if (!text.empty()) return text;
  return fmt::format("{} is given: nothing under this glass has computed it\n", names_of(x).front());
}

std::string ProgramRecord::used_in(const Snapshot& x) const {
  std::string text;
  for (const size_t call : index_.uses.of(x).readers)
    if (const auto& in = calls()[call].in;
        std::any_of(in.begin(), in.end(), [&](const Snapshot& y) { return y && overlap(y, x); }))
      text += line_of(call) + "\n";
  return text.empty() ? fmt::format("no op under this glass has read {}\n", names_of(x).front()) : text;
}

}  // namespace glassgrad::why
