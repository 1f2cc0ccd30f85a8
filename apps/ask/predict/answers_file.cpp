#include "apps/ask/predict/answers_file.h"

#include <algorithm>
#include <map>

#include "apps/ask/predict/attempt.h"
#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/text/text_file.h"
#include "engine/core/error.h"
#include "engine/core/utf8.h"
#include "engine/io/file.h"

namespace glassgrad::learn {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Cuts a comment off. A # inside a word belongs to a name: logits#1.
std::string_view without_comment(std::string_view line) {
  for (size_t at = line.find('#'); at != line.npos; at = line.find('#', at + 1))
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  return line;
}

GivenAnswer parse(const Recording& recording, const std::string& path, size_t line, std::string_view text) {
  const size_t equals = text.rfind('=');
  check(
      equals != text.npos && equals > 0,
      "{}: line {}: '{}' is no answer: write STEP:TENSOR[i,j]=VALUE, such as masked-scores:masked[1,0]=0.25",
      path, line, printable(excerpt(text)));
  const std::string_view name = trimmed(text.substr(0, equals)), value = trimmed(text.substr(equals + 1));
  try {
    GivenAnswer given{find_quantity(recording, name), std::string(value), line};
    check(judge(recording, given.asked, value) != Verdict::NoAnswer, "{}: line {}: '{}' is no {}", path, line,
          printable(excerpt(value)), forms_of(given.asked));
    return given;
  } catch (const UsageError& e) {
    fail("{}: line {}: {}", path, line, printable(e.what()));
  }
}

}  // namespace

std::vector<GivenAnswer> load_answers(const Recording& recording, const std::string& path) {
  const std::string bytes = read_file(path, kMaxDescription);
  std::string_view left = bytes;
  if (left.starts_with(kByteOrderMark)) left.remove_prefix(kByteOrderMark.size());
  std::vector<GivenAnswer> answers;
  std::map<std::string, size_t> lines;  // by the quantity that they answer
  for (size_t line = 1; !left.empty(); ++line) {
    const size_t end = std::min(left.find('\n'), left.size());
    const std::string_view whole = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    const std::string_view text = trimmed(without_comment(whole));
    if (text.empty()) continue;
    GivenAnswer given = parse(recording, path, line, text);
    const auto [before, is_new] = lines.try_emplace(given.asked.text(), line);
    check(is_new, "{}: line {}: {} is answered in line {} already", path, line, before->first,
          before->second);
    answers.push_back(std::move(given));
  }
  check(!answers.empty(), "{} holds no answers: write STEP:TENSOR[i,j]=VALUE a line", path);
  return answers;
}

}  // namespace glassgrad::learn
