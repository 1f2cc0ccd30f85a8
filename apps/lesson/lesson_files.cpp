#include "apps/lesson/lesson_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "apps/cli/arguments.h"
#include "apps/lesson/program.h"
#include "engine/io/file.h"

namespace glassgrad::learn {
namespace {

std::string content_of(const std::string& path) {
  InputFile file(path);
  check(file.size() <= kMostOfLesson, "{}: a lesson has at most {} bytes, and this file has {}", path,
        kMostOfLesson, file.size());
  std::string text(file.size(), '\0');
  file.read(text.data(), text.size());
  return text;
}

const Lesson& lesson_of_file(const std::string& path) {
  static std::map<std::string, std::unique_ptr<DocumentLesson>> read_already;
  std::unique_ptr<DocumentLesson>& lesson = read_already[path];
  if (!lesson) {
    const std::string text = content_of(path);
    lesson = std::make_unique<DocumentLesson>(
        path.ends_with(".py") ? document_of_program(text, path) : read_document(text, path), /*own=*/true);
  }
  return lesson->lesson();
}

}  // namespace

bool is_lesson_file(std::string_view name) {
  return (name.ends_with(".md") || name.ends_with(".py")) && name.size() > 3;
}

const Lesson* lesson_or_file(std::string_view name) {
  return is_lesson_file(name) ? &lesson_of_file(std::string(name)) : lesson_called(name);
}

const Lesson& find_lesson_or_file(std::string_view name) {
  return is_lesson_file(name) ? lesson_of_file(std::string(name)) : find_lesson(name);
}

// ---- links
namespace {

// [the mask](journey.md#masked-scores)
struct Link {
  std::string target;
  int line;
};

// Adds the links outside of {expressions} and `code`.
void add_links(const Paragraph& p, std::vector<Link>& links) {
  int depth = 0;
  bool code = false;
  for (size_t at = 0; at < p.text.size(); ++at) {
    const char c = p.text[at];
    if (c == '`') code = !code;
    depth += (c == '{') - (c == '}');
    if (code || depth > 0 || p.text.compare(at, 2, "](") != 0) continue;
    const size_t end = p.text.find(')', at);
    if (end != std::string::npos) links.push_back({p.text.substr(at + 2, end - at - 2), p.line});
  }
}

std::vector<Link> links_of(const Document& document) {
  std::vector<Link> links;
  const auto add = [&](const Branch& parts) {
    for (const auto& part : parts)
      if (const auto* p = std::get_if<Paragraph>(&part)) add_links(*p, links);
  };
  for (const DocumentStep& step : document.steps)
    for (const Item& item : step.items) {
      if (const auto* p = std::get_if<Paragraph>(&item)) add_links(*p, links);
      if (const auto* c = std::get_if<Condition>(&item)) add(c->then), add(c->otherwise);
    }
  return links;
}

// Returns why a link is broken; empty if it is not. Does not check web pages, and opens no file, because the
// path comes from the lesson's file.
std::string nowhere(const Document& from, const std::string& target) {
  if (target.find("://") != target.npos) return {};
  const size_t sign = std::min(target.find('#'), target.size());
  const std::string file = target.substr(0, sign), address = target.substr(std::min(sign + 1, target.size()));
  const Document* document = &from;
  if (!file.empty() && file != from.id + ".md") {
    std::error_code unknown;
    const std::string path = (std::filesystem::path(from.file).parent_path() / file).string();
    const Lesson* lesson = file.ends_with(".md") ? lesson_called(file.substr(0, file.size() - 3)) : nullptr;
    if (!lesson) return std::filesystem::exists(path, unknown) ? "" : "there is no " + file;
    document = lesson->document;
  }
  if (address.empty() || document->step(address)) return {};
  const std::string* const moved = document->moved_to(address);
  return moved ? fmt::format("the step {} is in {}.md now", address, *moved)
               : fmt::format("{} has no step {}", document->file, address);
}

// Returns the line number of "journey.md:25: …".
int line_in(const std::string& problem, const std::string& file) {
  return problem.starts_with(file + ":") ? std::atoi(problem.c_str() + file.size() + 1) : 0;
}

}  // namespace

std::vector<std::string> problems_of(const Lesson& lesson) {
  const Document& document = *lesson.document;
  LessonFindings findings;
  std::vector<std::string>& problems = findings.problems;
  for (const Link& link : links_of(document))
    if (const std::string why = nowhere(document, link.target); !why.empty())
      problems.push_back(
          fmt::format("{}:{}: this link leads nowhere, {}: {}", document.file, link.line, link.target, why));
  try {
    collect_findings(lesson, Settings(lesson, {}), findings);
  } catch (const Error& e) {
    problems.emplace_back(e.what());
  }
  std::stable_sort(problems.begin(), problems.end(), [&](const std::string& a, const std::string& b) {
    return line_in(a, document.file) < line_in(b, document.file);
  });
  return problems;
}

}  // namespace glassgrad::learn
