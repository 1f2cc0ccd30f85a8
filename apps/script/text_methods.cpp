// Methods of str.
#include <algorithm>
#include <cstring>

#include "apps/script/letters.h"
#include "apps/script/number.h"
#include "apps/script/types.h"
#include "apps/text/unicode.h"
#include "engine/core/utf8.h"

namespace glassgrad::script {
namespace {

const Str& self(BuiltinArgs a) { return *a[0].as<Str>(); }
const std::string& text(BuiltinArgs a) { return self(a).text; }
std::u32string letters(const std::string& s) {
  Heap::current().check(s.size() * sizeof(char32_t));
  return decode(s);
}

// f(code point, the previous one)
template <class F>
Value mapped(BuiltinArgs a, F f) {
  std::string out;
  uint32_t before = 0;
  for (const uint32_t c : letters(text(a))) out += utf8(f(c, std::exchange(before, c)));
  return str(std::move(out));
}
Value capitals(Interpreter&, BuiltinArgs a) {
  std::string out;
  for (const uint32_t c : letters(text(a))) out += c == 0xDF ? "SS" : utf8(upper(c));
  return str(std::move(out));
}

// Returns whether f holds for every character, and there is one.
template <bool (*f)(uint32_t)>
Value all_are(Interpreter&, BuiltinArgs a) {
  const auto s = letters(text(a));
  return Value::of(!s.empty() && std::all_of(s.begin(), s.end(), f));
}
// Returns whether a letter has this case and none has the other case.
template <bool (*f)(uint32_t), bool (*other)(uint32_t)>
Value cased(Interpreter&, BuiltinArgs a) {
  const auto s = letters(text(a));
  return Value::of(std::any_of(s.begin(), s.end(), f) && std::none_of(s.begin(), s.end(), other));
}

template <bool kLeft, bool kRight>
Value strip(Interpreter&, BuiltinArgs a) {
  const bool spaces = !a[1] || a[1].is_none();
  const std::string& s = text(a);
  auto chars = spaces ? std::u32string() : letters(text_of(a[1], "strip arg must be None or str"));
  std::sort(chars.begin(), chars.end());
  const auto goes = [&](size_t at) {
    const char32_t c = code_point(s, at).value;
    return spaces ? is_space(c) : std::binary_search(chars.begin(), chars.end(), c);
  };
  size_t first = 0, last = s.size();
  while (kLeft && first < last && goes(first)) first += code_point(s, first).length;
  while (kRight && first < last) {
    size_t at = last - 1;
    while (at > first && is_continuation(s[at])) --at;
    if (!goes(at)) break;
    last = at;
  }
  return str(s.substr(first, last - first));
}

Value replace(Interpreter&, BuiltinArgs a) {
  const std::string &s = text(a), &old = text_of(a[1], "replace() argument 1 must be str"),
                    &fresh = text_of(a[2], "replace() argument 2 must be str");
  if (old.empty()) raise("ValueError", "replace() of an empty text is not supported here");
  std::string out;
  size_t first = 0;
  for (size_t at; (at = find_text(s, old, first)) != s.npos; first = at + old.size()) {
    out.append(s, first, at - first) += fresh;
    Heap::current().check(out.size());
  }
  return str(out.append(s, first));
}

int64_t place(BuiltinArgs a, const char* what) {
  const size_t at = find_text(text(a), text_of(a[1], what));
  if (at == std::string::npos) return -1;
  return static_cast<int64_t>(count_characters(std::string_view(text(a)).substr(0, at)));
}

// Where the last occurrence begins: the first one of the reversed texts.
int64_t last_place(BuiltinArgs a) {
  const std::string &s = text(a), &part = text_of(a[1], "rfind() argument 1 must be str");
  const size_t at = find_text(std::string(s.rbegin(), s.rend()), std::string(part.rbegin(), part.rend()));
  if (at == std::string::npos) return -1;
  return static_cast<int64_t>(count_characters(std::string_view(s).substr(0, s.size() - at - part.size())));
}

Value index(Interpreter&, BuiltinArgs a) {
  const int64_t k = place(a, "index() argument 1 must be str");
  if (k < 0) raise("ValueError", "substring not found");
  return Value::of(k);
}

Value count(Interpreter&, BuiltinArgs a) {
  const std::string& what = text_of(a[1], "count() argument 1 must be str");
  if (what.empty()) return Value::of(self(a).length + 1);
  int64_t n = 0;
  for (size_t at = 0; (at = find_text(text(a), what, at)) != std::string::npos; at += what.size()) ++n;
  return Value::of(n);
}

template <bool kStart>
Value edge(Interpreter&, BuiltinArgs a) {
  const auto is = [&](const Value& x) {
    const std::string& part = text_of(x, kStart ? "startswith first arg must be str or a tuple of str"
                                                : "endswith first arg must be str or a tuple of str");
    return kStart ? text(a).starts_with(part) : text(a).ends_with(part);
  };
  const Tuple* const any = a[1].as<Tuple>();
  return Value::of(any ? std::any_of(any->items.begin(), any->items.end(), is) : is(a[1]));
}

// Pads with `left` and `right` fill characters.
Value filled(BuiltinArgs a, int64_t left, int64_t right) {
  const std::string& fill =
      a.size() > 2 && a[2] ? text_of(a[2], "The fill character must be a unicode character") : " ";
  if (count_characters(fill) != 1)
    raise("TypeError", "The fill character must be exactly one character long");
  const auto room = static_cast<size_t>(std::min<int64_t>(left + right, PTRDIFF_MAX / 4));
  Heap::current().check(room * fill.size());
  std::string out;
  while (left-- > 0) out += fill;
  out += text(a);
  while (right-- > 0) out += fill;
  return str(std::move(out));
}
// The characters missing to the requested width.
int64_t space(Interpreter&, BuiltinArgs a) { return std::max<int64_t>(index_of(a[1]) - self(a).length, 0); }
Value center(Interpreter& in, BuiltinArgs a) {
  const int64_t n = space(in, a), left = n / 2 + (n & index_of(a[1]) & 1);  // as CPython centers
  return filled(a, left, n - left);
}
Value zero_filled(Interpreter& in, BuiltinArgs a) {
  const int64_t n = space(in, a);
  const bool sign = text(a).starts_with('+') || text(a).starts_with('-');
  const Value both[] = {str(text(a).substr(sign)), Value(), str("0")};
  return str(text(a).substr(0, sign) + filled(both, n, 0).as<Str>()->text);
}

Value split(Interpreter&, BuiltinArgs a) {
  const std::string& s = text(a);
  const bool spaces = !a[1] || a[1].is_none();
  const std::string by = spaces ? "" : text_of(a[1], "must be str or None");
  if (!spaces && by.empty()) raise("ValueError", "empty separator");
  int64_t limit = a[2] ? index_of(a[2]) : -1;
  std::vector<Value> parts;
  for (size_t at = 0;;) {
    while (spaces && at < s.size() && is_blank(s[at])) ++at;
    if (spaces && at == s.size()) break;
    const size_t end = limit == 0 ? s.npos
                       : spaces   ? s.find_first_of(" \t\n\r\f\v", at)
                                  : find_text(s, by, at);
    parts.push_back(str(s.substr(at, end - at)));
    if (end == s.npos) break;
    --limit;
    at = end + by.size();
  }
  return list(std::move(parts));
}

Value split_lines(Interpreter&, BuiltinArgs a) {
  const std::string& s = text(a);
  std::vector<Value> lines;
  for (size_t first = 0; first < s.size();) {
    const size_t end = std::min(s.find_first_of("\n\r", first), s.size());
    lines.push_back(str(s.substr(first, end - first)));
    first = end + (s.compare(end, 2, "\r\n") == 0 ? 2 : 1);
  }
  return list(std::move(lines));
}

Value join(Interpreter& in, BuiltinArgs a) {
  if (!in.iterable(a[1])) raise("TypeError", "can only join an iterable");
  std::string out;
  size_t k = 0;
  for (const Value& item : in.items(a[1])) {
    if (!item.as<Str>())
      raise("TypeError", "sequence item {}: expected str instance, {} found", k, type_name(item));
    Heap::current().check(out.size() + text(a).size() + item.as<Str>()->text.size());
    if (k++) out += text(a);
    out += item.as<Str>()->text;
  }
  return str(std::move(out));
}

bool is_digit(uint32_t c) { return c >= '0' && c <= '9'; }
bool is_letter_or_number(uint32_t c) { return is_letter(c) || is_number(c); }

constexpr BuiltinDef kTextMethods[] = {
    {"upper", 0, 0, capitals},
    {"lower", 0, 0,
     [](Interpreter&, BuiltinArgs a) { return mapped(a, [](uint32_t c, uint32_t) { return lower(c); }); }},
    {"title", 0, 0,
     [](Interpreter&, BuiltinArgs a) {
       return mapped(a, [](uint32_t c, uint32_t before) {
         return is_upper(before) || is_lower(before) ? lower(c) : upper(c);
       });
     }},
    {"capitalize", 0, 0,
     [](Interpreter&, BuiltinArgs a) {
       return mapped(a, [](uint32_t c, uint32_t before) { return before ? lower(c) : upper(c); });
     }},
    {"isdigit", 0, 0, all_are<is_digit>},
    {"isalpha", 0, 0, all_are<is_letter>},
    {"isalnum", 0, 0, all_are<is_letter_or_number>},
    {"isspace", 0, 0, all_are<is_space>},
    {"isupper", 0, 0, cased<is_upper, is_lower>},
    {"islower", 0, 0, cased<is_lower, is_upper>},
    {"strip", 0, 1, strip<true, true>},
    {"lstrip", 0, 1, strip<true, false>},
    {"rstrip", 0, 1, strip<false, true>},
    {"replace", 2, 2, replace},
    {"rfind", 1, 1, [](Interpreter&, BuiltinArgs a) { return Value::of(last_place(a)); }},
    {"find", 1, 1,
     [](Interpreter&, BuiltinArgs a) { return Value::of(place(a, "find() argument 1 must be str")); }},
    {"index", 1, 1, index},
    {"count", 1, 1, count},
    {"startswith", 1, 1, edge<true>},
    {"endswith", 1, 1, edge<false>},
    {"ljust", 1, 2, [](Interpreter& in, BuiltinArgs a) { return filled(a, 0, space(in, a)); }},
    {"rjust", 1, 2, [](Interpreter& in, BuiltinArgs a) { return filled(a, space(in, a), 0); }},
    {"center", 1, 2, center},
    {"zfill", 1, 1, zero_filled},
    {"split", 0, 2, split, "sep maxsplit"},
    {"splitlines", 0, 0, split_lines},
    {"join", 1, 1, join}};

}  // namespace

size_t find_text(std::string_view text, std::string_view part, size_t from) {
  if (from > text.size() || part.size() > text.size() - from) return text.npos;
  if (part.empty()) return from;
  Heap::current().count_work(part.size());
  const void* const at = ::memmem(text.data() + from, text.size() - from, part.data(), part.size());
  const size_t found = at ? static_cast<size_t>(static_cast<const char*>(at) - text.data()) : text.npos;
  Heap::current().count_work((at ? found + part.size() : text.size()) - from);
  return found;
}

void add_text_methods(Types& types) { add_methods(types.get("str"), kTextMethods); }

}  // namespace glassgrad::script
