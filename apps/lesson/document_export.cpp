// Exports a lesson's program to run elsewhere: alone, or as a notebook.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "apps/cli/arguments.h"
#include "apps/cli/json_number.h"
#include "apps/lesson/document.h"
#include "apps/script/ast.h"
#include "engine/print.h"

namespace glassgrad::learn {
namespace {

// Removes syntax that only lesson files have: a marker, or a comment with axes.
std::string without_marks(const FencedCode& b, size_t k, std::string line) {
  const bool marked =
      std::any_of(b.marks.begin(), b.marks.end(), [&](const LineMark& m) { return m.line == k; }) ||
      std::find(b.our_prints.begin(), b.our_prints.end(), k) != b.our_prints.end() ||
      std::find(b.blank.begin(), b.blank.end(), k) != b.blank.end();
  if ((!marked && !b.axes.contains(k)) || b.edited.contains(k)) return line;
  const size_t sign = line.rfind(marked ? "#:" : "#");
  line.resize(sign);
  line.resize(line.find_last_not_of(' ') + 1);
  return line;
}

std::vector<std::string> with_settings(const FencedCode& b,
                                       const std::map<std::string, std::string>& settings) {
  std::vector<std::string> lines = b.lines;
  for (const LineMark& m : b.marks)
    if (const auto at = settings.find(m.setting); at != settings.end())
      lines[m.line].replace(m.begin, m.end - m.begin, at->second);
  return lines;
}

std::string joined_lines(const std::vector<std::string>& lines, const char* before = "") {
  std::string text;
  for (const std::string& line : lines) text += (line.empty() ? "" : before) + line + "\n";
  return text;
}

// Writes a number as Python does, so that it reads back as the same float32.
std::string python_number(float x) {
  if (!std::isfinite(x)) return fmt::format("float('{}')", std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
  const std::string brief = fmt::format("{}", x);
  const auto again = parse_number<double>(brief);
  return python_float(again && static_cast<float>(*again) == x ? *again : double(x));
}

std::string python_list(const float*& next, std::span<const int64_t> shape, const std::string& margin) {
  if (shape.empty()) return python_number(*next++);
  std::string text = "[";
  for (int64_t i = 0; i < shape[0]; ++i) {
    if (i > 0) text += shape.size() > 1 ? ",\n" + margin + " " : ", ";
    text += python_list(next, shape.subspan(1), margin + " ");
  }
  return text + "]";
}

// Makes the statement that is marked #: inputs assign these numbers.
void put_inputs(const FencedCode& b, const ExportChanges& changes, std::vector<std::string>& lines) {
  const auto mark =
      std::find_if(b.marks.begin(), b.marks.end(), [](const LineMark& m) { return m.setting == "inputs"; });
  if (!changes.inputs || mark == b.marks.end()) return;
  script::Heap heap(size_t{1} << 28);
  script::Names names;
  const script::Program program = script::parse(joined_lines(lines), "", names);
  for (const auto& s : program.body) {
    const auto at = static_cast<int>(mark->line) + 1;
    if (s->where.line > at || at > s->where.end_line || !s->value) continue;
    const auto [first, begin, last, end] = s->value->where;
    const std::vector<float> numbers = changes.inputs.to_vector<float>();
    const float* next = numbers.data();
    const Dims shape = changes.inputs.shape();
    std::string text = lines[size_t(first) - 1].substr(0, size_t(begin)) + "torch.tensor(\n    " +
                       python_list(next, {shape.begin(), shape.end()}, "    ") + ")" +
                       lines[size_t(last) - 1].substr(size_t(end));
    lines.erase(lines.begin() + first - 1, lines.begin() + last);
    lines.insert(lines.begin() + first - 1, std::move(text));
    return;
  }
}

std::string exported(const FencedCode& b, const ExportChanges& changes) {
  std::vector<std::string> lines = b.shown(changes.settings);
  put_inputs(b, changes, lines);
  if (b.raises.empty()) return joined_lines(lines);
  return fmt::format("try:\n{}except {} as error:\n    pass\n", joined_lines(lines, "    "), b.raises);
}

// Calls f for each block of the program.
void each_block(const Document& d, const std::function<void(const FencedCode&)>& f) {
  for (const FencedCode& b : d.opening) f(b);
  for (const DocumentStep& s : d.steps)
    for (const Item& item : s.items)
      if (const auto* b = std::get_if<FencedCode>(&item); b && b->inside.empty() && b->mistake.empty()) f(*b);
}

}  // namespace

bool LessonFindings::is_told(const Branch& branch) const {
  return std::any_of(branch.begin(), branch.end(), [&](const auto& part) {
    const auto* const p = std::get_if<Paragraph>(&part);
    return p && said.contains(p);
  });
}

std::string FencedCode::program(const std::map<std::string, std::string>& settings) const {
  return joined_lines(with_settings(*this, settings));
}

std::vector<std::string> FencedCode::shown(const std::map<std::string, std::string>& settings) const {
  std::vector<std::string> all = with_settings(*this, settings);
  for (size_t k = 0; k < all.size(); ++k) all[k] = without_marks(*this, k, std::move(all[k]));
  return all;
}

const FencedCode* DocumentStep::right() const {
  for (const Item& item : items)
    if (const auto* const b = std::get_if<FencedCode>(&item); b && !b->blank.empty()) return b;
  return nullptr;
}
DocumentStep::Mistake DocumentStep::mistake() const {
  if (!hints.empty()) return {};
  for (const Item& item : items)
    if (const auto* const b = std::get_if<FencedCode>(&item); b && !b->mistake.empty()) return {right(), b};
  return {};
}

std::string python_of(const Document& document, const ExportChanges& changes) {
  std::string text;
  each_block(document,
             [&](const FencedCode& b) { text += (text.empty() ? "" : "\n") + exported(b, changes); });
  return text;
}

std::string notebook_of(const Document& document, const ExportChanges& changes,
                        const LessonFindings& findings) {
  Json cells = Json::array();
  const auto add = [&](const char* kind, std::string source) {
    while (source.ends_with('\n')) source.pop_back();
    Json cell{{"cell_type", kind},
              {"id", fmt::format("cell-{}", cells.size())},
              {"metadata", Json::object()},
              {"source", source}};
    if (std::string_view(kind) == "code") cell["execution_count"] = nullptr, cell["outputs"] = Json::array();
    cells.push_back(std::move(cell));
  };
  add("markdown", "# " + document.title + "\n\nYou will understand " + document.understand + ".");
  for (const FencedCode& b : document.opening) add("code", exported(b, changes));
  std::string part;
  for (const DocumentStep& step : document.steps) {
    std::string prose = (part != step.part ? "## " + step.part + "\n\n" : "") +
                        (step.inside ? "#### " : "### ") + step.title + "\n\n";
    part = step.part;
    const auto say = [&](const Paragraph& p) {
      if (const auto said = findings.said.find(&p); said != findings.said.end())
        prose += said->second + "\n\n";
    };
    const auto flush = [&] {
      if (!prose.empty()) add("markdown", std::exchange(prose, {}));
    };
    for (const Item& item : step.items) {
      if (const auto* p = std::get_if<Paragraph>(&item)) say(*p);
      if (const auto* m = std::get_if<Math>(&item)) prose += "$$" + m->latex + "$$\n\n";
      if (const auto* c = std::get_if<Condition>(&item))
        for (const auto* branch : {&c->then, &c->otherwise})
          for (const auto& inner : *branch) {
            if (const auto* p = std::get_if<Paragraph>(&inner)) say(*p);
            if (const auto* m = std::get_if<Math>(&inner); m && findings.is_told(*branch))
              prose += "$$" + m->latex + "$$\n\n";
          }
      if (const auto* b = std::get_if<FencedCode>(&item); b && (b->mistake.empty() || step.hints.empty())) {
        flush();
        const std::string above = !b->mistake.empty()  ? fmt::format("Wrong: {}", b->mistake)
                                  : !b->inside.empty() ? fmt::format("Inside `{}`", b->inside)
                                                       : "";
        if (above.empty())
          add("code", exported(*b, changes));
        else
          add("markdown",
              fmt::format("{}:\n\n```python\n{}```", above, joined_lines(b->shown(changes.settings))));
      }
    }
    flush();
  }
  const Json notebook{{"cells", cells},
                      {"metadata", {{"language_info", {{"name", "python"}}}}},
                      {"nbformat", 4},
                      {"nbformat_minor", 5}};
  return json_text(notebook, 1) + "\n";
}

}  // namespace glassgrad::learn
