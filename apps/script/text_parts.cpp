// Methods of str that take it apart, and put it together.
#include "apps/script/letters.h"
#include "apps/script/types.h"

namespace glassgrad::script {
namespace {

const std::string& text(Given a) { return a[0].as<Str>()->text; }

Value split_spaces(const std::string& s, int64_t limit) {
  std::vector<Value> parts;
  for (size_t at = 0;;) {
    while (at < s.size() && is_blank(s[at])) ++at;
    if (at == s.size()) return list(std::move(parts));
    size_t end = at;
    if (limit-- > 0) {
      while (end < s.size() && !is_blank(s[end])) ++end;
    } else {
      end = s.size();  // the rest, with the spaces at its end
    }
    parts.push_back(str(s.substr(at, end - at)));
    at = end;
  }
}

Value right_split_spaces(const std::string& s, int64_t limit) {
  std::vector<Value> parts;
  for (size_t end = s.size(); true;) {
    while (end > 0 && is_blank(s[end - 1])) --end;
    if (end == 0) break;
    size_t at = 0;
    if (limit-- > 0)
      for (at = end; at > 0 && !is_blank(s[at - 1]);) --at;
    parts.push_back(str(s.substr(at, end - at)));
    end = at;
  }
  std::reverse(parts.begin(), parts.end());
  return list(std::move(parts));
}

Value split(Interpreter& in, Given a, bool right) {
  const std::string& s = text(a);
  int64_t limit = limit_of(in, a[2]);
  if (!a[1] || a[1].is_none()) return right ? right_split_spaces(s, limit) : split_spaces(s, limit);
  const std::string& by = text_of(a[1], "must be str or None");
  if (by.empty()) raise("ValueError", "empty separator");
  std::vector<Value> parts;
  if (right) {
    size_t last = s.size();
    while (limit-- > 0 && last >= by.size()) {
      const size_t at = s.rfind(by, last - by.size());
      if (at == s.npos) break;
      parts.push_back(str(s.substr(at + by.size(), last - at - by.size())));
      last = at;
    }
    parts.push_back(str(s.substr(0, last)));
    std::reverse(parts.begin(), parts.end());
    return list(std::move(parts));
  }
  size_t first = 0;
  for (size_t at; limit-- > 0 && (at = s.find(by, first)) != s.npos; first = at + by.size())
    parts.push_back(str(s.substr(first, at - first)));
  parts.push_back(str(s.substr(first)));
  return list(std::move(parts));
}

Value split_lines(Interpreter& in, Given a) {
  const std::string& s = text(a);
  const bool keep = a[1] && in.truth(a[1]);
  std::vector<Value> lines;
  for (size_t first = 0; first < s.size();) {
    const size_t end = std::min(s.find_first_of("\n\r\v\f\x1c\x1d\x1e", first), s.size());
    size_t after = end + (end < s.size());
    if (end + 1 < s.size() && s[end] == '\r' && s[end + 1] == '\n') ++after;
    lines.push_back(str(s.substr(first, (keep ? after : end) - first)));
    first = after;
  }
  return list(std::move(lines));
}

Value join(Interpreter& in, Given a) {
  if (!in.iterable(a[1])) raise("TypeError", "can only join an iterable");
  const auto items = in.items(a[1]);
  std::string out;
  uint64_t size = 0;
  for (size_t k = 0; k < items.size(); ++k) {
    if (!items[k].as<Str>())
      raise("TypeError", "sequence item {}: expected str instance, {} found", k, type_name(items[k]));
    size += items[k].as<Str>()->text.size() + (k ? text(a).size() : 0);
  }
  Heap::current().check(static_cast<size_t>(std::min<uint64_t>(size, PTRDIFF_MAX)));
  out.reserve(static_cast<size_t>(size));
  for (size_t k = 0; k < items.size(); ++k) {
    if (k) out += text(a);
    out += items[k].as<Str>()->text;
  }
  return str(std::move(out));
}

Value partition(Interpreter&, Given a, bool last) {
  if (!a[1].as<Str>()) raise("TypeError", "must be str, not {}", type_name(a[1]));
  const std::string &s = text(a), &by = a[1].as<Str>()->text;
  if (by.empty()) raise("ValueError", "empty separator");
  const size_t at = last ? s.rfind(by) : s.find(by);
  if (at == s.npos) return last ? tuple({str(""), str(""), a[0]}) : tuple({a[0], str(""), str("")});
  return tuple({str(s.substr(0, at)), a[1], str(s.substr(at + by.size()))});
}

constexpr Row kMethods[] = {
    {"split", 0, 2, [](Interpreter& in, Given a) { return split(in, a, false); }, "sep maxsplit"},
    {"rsplit", 0, 2, [](Interpreter& in, Given a) { return split(in, a, true); }, "sep maxsplit"},
    {"splitlines", 0, 1, split_lines, "keepends"},
    {"join", 1, 1, join},
    {"partition", 1, 1, [](Interpreter& in, Given a) { return partition(in, a, false); }},
    {"rpartition", 1, 1, [](Interpreter& in, Given a) { return partition(in, a, true); }}};

}  // namespace

void add_text_parts(Types& types) { add_methods(types.get("str"), kMethods); }

}  // namespace glassgrad::script
