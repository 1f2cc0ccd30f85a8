// A lesson's program as it runs elsewhere: alone, or as a notebook.
#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/json_number.h"
#include "apps/lesson/document.h"

namespace glassgrad::learn {
namespace {

// Without what only a lesson's file says: a marker, or a comment with axes.
std::string without_marks(const Block& b, size_t k, std::string line) {
  const bool marked =
      std::any_of(b.marks.begin(), b.marks.end(), [&](const Mark& m) { return m.line == k; }) ||
      std::find(b.our_prints.begin(), b.our_prints.end(), k) != b.our_prints.end();
  if (!marked && !b.axes.contains(k)) return line;
  const size_t sign = line.rfind(marked ? "#:" : "#");
  line.resize(sign);
  line.resize(line.find_last_not_of(' ') + 1);
  return line;
}

std::vector<std::string> with_settings(const Block& b, const std::map<std::string, std::string>& settings) {
  std::vector<std::string> lines = b.lines;
  for (const Mark& m : b.marks)
    if (const auto at = settings.find(m.setting); at != settings.end())
      lines[m.line].replace(m.begin, m.end - m.begin, at->second);
  return lines;
}

std::string joined_lines(const std::vector<std::string>& lines, const char* before = "") {
  std::string text;
  for (const std::string& line : lines) text += (line.empty() ? "" : before) + line + "\n";
  return text;
}

std::string exported(const Block& b, const std::map<std::string, std::string>& settings) {
  const std::vector<std::string> lines = b.shown(settings);
  if (b.raises.empty()) return joined_lines(lines);
  return fmt::format("try:\n{}except {} as error:\n    pass\n", joined_lines(lines, "    "), b.raises);
}

void each_block(const Document& d, const std::function<void(const Block&)>& f) {
  for (const Block& b : d.opening) f(b);
  for (const DocumentStep& s : d.steps)
    for (const Item& item : s.items)
      if (const auto* b = std::get_if<Block>(&item); b && b->inside.empty()) f(*b);
}

}  // namespace

std::string Block::program(const std::map<std::string, std::string>& settings) const {
  return joined_lines(with_settings(*this, settings));
}

std::vector<std::string> Block::shown(const std::map<std::string, std::string>& settings) const {
  std::vector<std::string> all = with_settings(*this, settings);
  for (size_t k = 0; k < all.size(); ++k) all[k] = without_marks(*this, k, std::move(all[k]));
  return all;
}

std::string python_of(const Document& document, const std::map<std::string, std::string>& settings) {
  std::string text;
  each_block(document, [&](const Block& b) { text += (text.empty() ? "" : "\n") + exported(b, settings); });
  return text;
}

std::string notebook_of(const Document& document, const std::map<std::string, std::string>& settings) {
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
  for (const Block& b : document.opening) add("code", exported(b, settings));
  std::string part;
  for (const DocumentStep& step : document.steps) {
    std::string prose = (part != step.part ? "## " + step.part + "\n\n" : "") + "### " + step.title + "\n\n";
    part = step.part;
    const auto flush = [&] {
      if (!prose.empty()) add("markdown", std::exchange(prose, {}));
    };
    for (const Item& item : step.items) {
      if (const auto* p = std::get_if<Paragraph>(&item)) prose += p->text + "\n\n";
      if (const auto* m = std::get_if<Math>(&item)) prose += "$$" + m->latex + "$$\n\n";
      if (const auto* c = std::get_if<Condition>(&item))
        for (const auto& inner : c->then)
          if (const auto* p = std::get_if<Paragraph>(&inner)) prose += p->text + "\n\n";
      if (const auto* b = std::get_if<Block>(&item)) {
        flush();
        if (b->inside.empty())
          add("code", exported(*b, settings));
        else
          add("markdown",
              fmt::format("Inside `{}`:\n\n```python\n{}```", b->inside, joined_lines(b->shown(settings))));
      }
    }
    flush();
  }
  const Json notebook{{"cells", cells},
                      {"metadata", {{"language_info", {{"name", "python"}}}}},
                      {"nbformat", 4},
                      {"nbformat_minor", 5}};
  return notebook.dump(1) + "\n";
}

}  // namespace glassgrad::learn
