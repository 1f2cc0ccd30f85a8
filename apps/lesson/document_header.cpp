// The header of a lesson's or course's file: a block of KEY: VALUE.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>

#include "apps/lesson/document_words.h"
#include "engine/core/error.h"

namespace glassgrad::learn {
namespace {

class Header {
 public:
  explicit Header(Document& made) : made_(made) {}

  void read(std::span<const std::string> body, size_t at) {
    for (size_t k = 0; k < body.size(); ++k) {
      const size_t here = at + 1 + k, colon = body[k].find(": ");
      if (colon == std::string::npos) refuse(here, "KEY: VALUE");
      const std::string key = body[k].substr(0, colon),
                        value(trimmed(std::string_view(body[k]).substr(colon + 2)));
      if (key == "understand")
        made_.understand = value;
      else if (key == "group")
        group(here, value);
      else if (key == "sources")
        made_.sources = whole_number(here, key, value);
      else if (key == "tokens")
        made_.tokens = parts_of(value, ",");
      else if (key == "minutes")
        made_.minutes = whole_number(here, key, value);
      else if (key == "moved") {
        std::vector<std::string> words = parts_of(value, " ");
        if (words.size() < 2) refuse(here, "moved: LESSON ADDRESS ...");
        const std::string lesson = words[0];
        words.erase(words.begin());
        made_.moved.emplace_back(lesson, std::move(words));
      } else {
        setting(here, key, value);
      }
    }
    if (made_.understand.empty()) refuse(at, "understand: what the reader will understand");
    if (made_.minutes <= 0) refuse(at, "minutes: how long it takes");
  }

 private:
  [[noreturn]] void refuse(size_t at, const std::string& text) const {
    fail("{}:{}: {}", made_.file, at + 1, text);
  }

  int whole_number(size_t at, const std::string& key, std::string_view text) const {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) refuse(at, key + ": a whole number");
    return number;
  }

  // Reads "path 3": a group, and the place in it.
  void group(size_t at, const std::string& value) {
    static const std::map<std::string, Group> kGroups = {{"path", Group::Path},
                                                         {"questions", Group::Questions},
                                                         {"sources", Group::Sources},
                                                         {"reference", Group::Reference}};
    const std::vector<std::string> words = parts_of(value, " ");
    const auto found = words.empty() ? kGroups.end() : kGroups.find(words[0]);
    if (found == kGroups.end() || words.size() != 2)
      refuse(at, "group: path, questions, sources or reference, then the place in it");
    made_.group = found->second;
    made_.place = whole_number(at, "place", words[1]);
  }

  // Reads n: 6, 5. Returns false if the value is not of this form.
  bool size(const std::string& key, std::string_view value) {
    DocumentSize made{.name = key};
    const char* const end = value.data() + value.size();
    const auto first = std::from_chars(value.data(), end, made.first);
    if (first.ec != std::errc() || end - first.ptr < 3 || std::string_view(first.ptr, 2) != ", ")
      return false;
    const auto second = std::from_chars(first.ptr + 2, end, made.second);
    if (second.ec != std::errc() || second.ptr != end) return false;
    made_.sizes.push_back(std::move(made));
    return true;
  }

  void setting(size_t at, const std::string& key, const std::string& value) {
    const size_t dots = value.find(".."), comma = value.find(", ");
    if (!is_name(key) || key[0] == '_') refuse(at, fmt::format("{} is no name of a setting", key));
    if (dots == std::string::npos && size(key, value)) return;
    if (dots == std::string::npos || comma == std::string::npos || comma < dots)
      refuse(at,
             fmt::format("{0}: LOW..HIGH, what it is; of an exercise's size {0}: SIZE, SECOND SIZE", key));
    DocumentSetting made{.name = key,
                         .flag = "--" + key,
                         .low = {},
                         .high = {},
                         .what = value.substr(comma + 2),
                         .default_text = {},
                         .line = int(at) + 1};
    std::replace(made.flag.begin(), made.flag.end(), '_', '-');
    const auto bound = [&](const std::string& text) -> std::optional<double> {
      if (text.empty()) return {};
      constexpr double kMost = 9007199254740992;  // up to here a double represents every integer
      char* end = nullptr;
      const double x = std::strtod(text.c_str(), &end);
      if (end != text.data() + text.size() || !(std::abs(x) <= kMost))
        refuse(at, fmt::format("{} is no number, or beyond 2^53", text));
      if (text.find('.') != std::string::npos) made.real = true;
      return x;
    };
    made.low = bound(value.substr(0, dots));
    made.high = bound(value.substr(dots + 2, comma - dots - 2));
    if (made.low && made.high && *made.low > *made.high) refuse(at, "LOW is above HIGH");
    for (const DocumentSetting& known : made_.settings)
      if (known.name == key) refuse(at, fmt::format("{} is a setting of line {} already", key, known.line));
    made_.settings.push_back(std::move(made));
  }

  Document& made_;
};

}  // namespace

void read_header(Document& made, std::span<const std::string> body, size_t at) {
  Header(made).read(body, at);
}

}  // namespace glassgrad::learn
