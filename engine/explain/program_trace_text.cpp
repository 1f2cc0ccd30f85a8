// A trace's texts about a number and about a tensor.
#include <fmt/format.h>

#include <algorithm>

#include "../print.h"
#include "program_trace.h"
#include "text_width.h"

namespace glassgrad::why {
namespace {

// The op's arguments as text: "dim=-1, keepdim=False".
struct Arguments : AttrVisitor {
  std::string text;
  void add(const char* name, const std::string& value) {
    if (*name) text += fmt::format(", {}={}", name, value);
  }
  void operator()(const char* name, int64_t value) override { add(name, std::to_string(value)); }
  void operator()(const char* name, double value) override { add(name, python_float(value)); }
  void operator()(const char* name, bool value) override { add(name, value ? "True" : "False"); }
  void operator()(const char* name, const Dims& value) override {
    add(name, fmt::format("[{}]", fmt::join(value.begin(), value.end(), ", ")));
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

// Names the cells that an op read, for one page.
class ProgramTrace::Operands {
 public:
  Operands(ProgramTrace& trace, const RecordedCall& call, bool exact)
      : trace_(trace), call_(call), exact_(exact) {}

  Piece name(const ExprNode& node) {
    const SnapshotElement number = trace_.source({call_.in[size_t(node.input)], node.index});
    if (is_value(number)) return {digits_of(node.value, exact_)};
    const std::string text = trace_.name_of(number);
    const auto known = numbers_.try_emplace(text, int(places.size()));
    if (known.second) places.push_back(number), texts.push_back(text);
    return {text, known.first->second};
  }

  std::vector<SnapshotElement> places;
  std::vector<std::string> texts;

 private:
  ProgramTrace& trace_;
  const RecordedCall& call_;
  bool exact_;
  std::map<std::string, int> numbers_;
};

SnapshotElement ProgramTrace::source(const SnapshotElement& number) {
  const std::lock_guard lock(mutex_);
  index();
  SnapshotElement at = number;
  while (!best_name(at) && !gradient_name(at.x)) {
    const auto writer = this->writer(at.x, at.index);
    if (!writer) break;
    const Expr tree = open(*writer).expression;
    if (tree->op != "cell") break;
    const Snapshot& from = calls()[writer->call].in[size_t(tree->input)];
    if (from.is_number()) break;
    at = {from, tree->index};
  }
  return at;
}

// Adds "scores[2,1], also called att[2,1]", and the line of the program that gave the name.
void ProgramTrace::add_heading(CellPage& page, const SnapshotElement& number, const std::string& name,
                               size_t columns) {
  std::vector<std::string> others;
  std::string where;
  if (const auto found = names_.find(number.x.buffer.get()); found != names_.end())
    for (const Named& n : found->second)
      if (const auto at = index_in(n.x, number)) {
        const std::string other = n.text + cell_text(*at);
        if (other == name) where = *n.where;
        if (other != name && std::find(others.begin(), others.end(), other) == others.end())
          others.push_back(other);
      }
  constexpr size_t kMostNames = 4;
  if (others.size() > kMostNames) others.resize(kMostNames);
  add_filled(page.lines,
             others.empty() ? name : fmt::format("{}, also called {}", name, fmt::join(others, ", ")),
             columns);
  if (!where.empty()) add_filled(page.lines, "from " + where, columns);
}

std::optional<CellOfCall> ProgramTrace::computed(const SnapshotElement& number) {
  const std::lock_guard lock(mutex_);
  index();
  const auto writer = this->writer(number.x, number.index);
  if (!writer) return {};
  const Expr tree = open(*writer).expression;
  if (tree->op != "cell") return writer;
  const SnapshotElement from{calls()[writer->call].in[size_t(tree->input)], tree->index};
  if (from.x.is_number() || best_name(from) || gradient_name(from.x)) return writer;
  const auto further = computed(from);
  return further ? further : writer;
}

ExplainedNumber ProgramTrace::explained(const SnapshotElement& number, const FormatOptions& how) {
  const std::lock_guard lock(mutex_);
  ExplainedNumber told{.place = number,
                       .name = name_of(number),
                       .value = value_text(number, how.exact),
                       .opened = {},
                       .page = {}};
  CellPage& page = told.page;
  add_heading(page, number, told.name, how.columns);
  page.arithmetic = page.lines.size();
  if (written_unseen_.contains(number.x.buffer.get())) {
    add_filled(page.lines, "written where the glass did not watch: after it ended, or by a different thread",
               how.columns);
  } else if (const auto writer = computed(number)) {
    const RecordedCall& call = calls()[writer->call];
    told.opened = open(*writer);
    Operands operands(*this, call, how.exact);
    const std::string path = path_of(call);
    add_opened(page, *call.op, *told.opened, element(number.x.tensor(), number.index),
               {.result = told.name,
                .operand = [&](const ExprNode& node) { return operands.name(node); },
                .elsewhere = [&] { return path.empty() ? "" : "part of " + path; }},
               how);
    page.operands = std::move(operands.places);
    page.names = std::move(operands.texts);
  } else {
    add_filled(page.lines, "given: nothing under this glass has computed it", how.columns);
  }
  page.lines.push_back({{"= " + told.value}});
  return told;
}

Explanation ProgramTrace::explain(const SnapshotElement& number, const ExplainOptions& how) {
  const std::lock_guard lock(mutex_);
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

std::string ProgramTrace::line_of(size_t call) {
  const std::lock_guard lock(mutex_);
  const RecordedCall& c = calls()[call];
  const auto shown = [&](const Snapshot& x) {
    if (!x) return std::string("None");
    if (x.is_number()) return digits_of(element(x.tensor(), {}), false);
    return fmt::format("{} {}", name_of(x), x.shape());
  };
  std::vector<std::string> in, out;
  for (const Snapshot& x : c.in) in.push_back(shown(x));
  for (const Snapshot& x : c.out) out.push_back(shown(x));
  Arguments arguments;
  c.attr.each(arguments);
  const std::string path = path_of(c), step = name_of_call(call);
  const std::string about = c.in_backward  ? ", going backward"
                            : path.empty() ? ""
                                           : fmt::format(" in {}", path);
  return fmt::format(
      "{}{}: {} = {}({}{})", step, about, fmt::join(out, ", "), c.op->name, fmt::join(in, ", "),
      in.empty() ? arguments.text.substr(std::min<size_t>(2, arguments.text.size())) : arguments.text);
}

// The calls that have written x's elements.
std::set<size_t> ProgramTrace::writers(const Snapshot& x) {
  constexpr int64_t kMostElements = 10'000;  // for a larger tensor, looks only at the first ones and the last
  std::set<size_t> calls;
  const int64_t n = x.numel();
  for (int64_t i = 0; i < std::min(n, kMostElements); ++i)
    if (const auto writer = this->writer(x, index_of(x.shape(), i))) calls.insert(writer->call);
  if (n > kMostElements)
    if (const auto writer = this->writer(x, index_of(x.shape(), n - 1))) calls.insert(writer->call);
  return calls;
}

std::string ProgramTrace::made_by(const Snapshot& x) {
  const std::lock_guard lock(mutex_);
  if (written_unseen_.contains(x.buffer.get()))
    return "written where the glass did not watch: after it ended, or by a different thread\n";
  index();
  std::set<size_t> made = writers(x);
  if (const auto found = makers_.find(x.buffer.get()); found != makers_.end())
    for (const auto& [c, k] : found->second)  // for a view, also the call that made it
      if (calls()[c].is_view && same_elements(calls()[c].out[k], x)) {
        made.insert(c);
        break;
      }
  std::string text;
  for (const size_t c : made) text += line_of(c) + "\n";
  return text.empty() ? fmt::format("{} is given: nothing under this glass has computed it\n", name_of(x))
                      : text;
}

std::string ProgramTrace::used_in(const Snapshot& x) {
  const std::lock_guard lock(mutex_);
  index();
  std::string text;
  if (const auto found = readers_.find(x.buffer.get()); found != readers_.end())
    for (const size_t c : found->second)
      if (std::any_of(calls()[c].in.begin(), calls()[c].in.end(),
                      [&](const Snapshot& y) { return y && overlap(y, x); }))
        text += line_of(c) + "\n";
  return text.empty() ? fmt::format("no op under this glass has read {}\n", name_of(x)) : text;
}

}  // namespace glassgrad::why
