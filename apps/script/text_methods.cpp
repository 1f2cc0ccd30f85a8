// Methods of str.

#include "apps/script/format.h"
#include "apps/script/letters.h"
#include "apps/script/number.h"

namespace glassgrad::script {
namespace {

const Str& self(Given a) { return *a[0].as<Str>(); }
const std::string& text(Given a) { return a[0].as<Str>()->text; }

bool is_digit(uint32_t c) { return c >= '0' && c <= '9'; }

// f(code point, the one before it)
template <class F>
Value mapped(Given a, F f) {
  std::string out;
  uint32_t before = 0;
  for (const uint32_t c : decode(text(a))) {
    const uint32_t to = f(c, before);
    out += to == c || c != 0xDF ? utf8(to) : to == 'S' ? "SS" : "Ss";  // the one letter that becomes two
    before = c;
  }
  return str(std::move(out));
}
uint32_t capital(uint32_t c) { return c == 0xDF ? 'S' : upper(c); }

// Is every character so, and is there one?
template <class F>
Value all_are(Given a, F f) {
  const auto s = decode(text(a));
  return Value::of(!s.empty() && std::all_of(s.begin(), s.end(), f));
}

Value cased(Given a, bool up) {
  bool one = false;
  for (const uint32_t c : decode(text(a))) {
    if (up ? is_lower(c) : is_upper(c)) return Value::of(false);
    one |= up ? is_upper(c) : is_lower(c);
  }
  return Value::of(one);
}

Value is_title(Interpreter&, Given a) {
  bool one = false, inside = false;
  for (const uint32_t c : decode(text(a))) {
    if ((is_upper(c) && inside) || (is_lower(c) && !inside)) return Value::of(false);
    inside = is_upper(c) || is_lower(c);
    one |= inside;
  }
  return Value::of(one);
}

Value strip(Given a, const char* name, bool left, bool right) {
  const std::string& s = text(a);
  const bool spaces = !a[1] || a[1].is_none();
  if (!spaces && !a[1].as<Str>()) raise("TypeError", "{} arg must be None or str", name);
  const auto drop = [&](size_t at, size_t length) {
    return spaces ? length == 1 && is_blank(s[at])
                  : a[1].as<Str>()->text.find(s.substr(at, length)) != s.npos;
  };
  size_t first = 0, last = s.size();
  while (left && first < last) {
    size_t length = 1;
    while (first + length < last && (s[first + length] & 0xC0) == 0x80) ++length;
    if (!drop(first, length)) break;
    first += length;
  }
  while (right && first < last) {
    size_t at = last - 1;
    while (at > first && (s[at] & 0xC0) == 0x80) --at;
    if (!drop(at, last - at)) break;
    last = at;
  }
  return str(s.substr(first, last - first));
}

Value replace(Interpreter& in, Given a) {
  const std::string &s = text(a), &old = text_of(a[1], "replace() argument 1 must be str"),
                    &fresh = text_of(a[2], "replace() argument 2 must be str");
  int64_t limit = limit_of(in, a[3]);
  std::string out;
  size_t first = 0;
  if (old.empty()) {  // between all characters
    while (limit-- > 0) {
      out += fresh;
      if (first >= s.size()) return str(std::move(out));
      do out += s[first++];
      while (first < s.size() && (s[first] & 0xC0) == 0x80);
    }
    return str(out + s.substr(first));
  }
  for (size_t at; limit-- > 0 && (at = s.find(old, first)) != s.npos; first = at + old.size()) {
    out.append(s, first, at - first) += fresh;
    Heap::current().check(out.size());
  }
  return str(out.append(s, first));
}

// The bytes between start and stop, which count code points.
std::pair<size_t, size_t> window(Interpreter& in, const Str& s, const Value& start, const Value& stop,
                                 bool& beyond) {
  const Value slice = make<Slice>(start ? start : Value::none(), stop ? stop : Value::none(), Value::none());
  const Cut c = cut(in, *slice.as<Slice>(), s.length);
  beyond = start && !start.is_none() && (c.start > c.stop || index_of(in, start) > s.length);
  if (s.ascii()) return {static_cast<size_t>(c.start), static_cast<size_t>(std::max(c.start, c.stop))};
  const auto bytes = [&](int64_t n) { return part_of(s, {0, n, 1, n}).size(); };
  return {bytes(c.start), bytes(std::max(c.start, c.stop))};
}

int64_t find(Interpreter& in, Given a, const char* name, bool last) {
  const std::string& what = text_of(a[1], (std::string(name) + "() argument 1 must be str").c_str());
  bool beyond = false;
  const auto [from, to] = window(in, self(a), a[2], a[3], beyond);
  const std::string_view within = std::string_view(text(a)).substr(from, to - from);
  const size_t at = last ? within.rfind(what) : within.find(what);
  if (at == within.npos || beyond) return -1;
  if (self(a).ascii()) return static_cast<int64_t>(from + at);
  return std::count_if(text(a).begin(), text(a).begin() + static_cast<ptrdiff_t>(from + at),
                       [](char c) { return (c & 0xC0) != 0x80; });
}

Value index(Interpreter& in, Given a, const char* name, bool last) {
  const int64_t k = find(in, a, name, last);
  if (k < 0) raise("ValueError", "substring not found");
  return Value::of(k);
}

Value count(Interpreter& in, Given a) {
  const std::string& what = text_of(a[1], "count() argument 1 must be str");
  bool beyond = false;
  const auto [from, to] = window(in, self(a), a[2], a[3], beyond);
  const std::string_view within = std::string_view(text(a)).substr(from, to - from);
  int64_t n = 0;
  if (what.empty()) {
    for (const char c : within) n += (c & 0xC0) != 0x80;
    return Value::of(beyond ? 0 : n + 1);
  }
  for (size_t at = 0; (at = within.find(what, at)) != within.npos; at += what.size()) ++n;
  return Value::of(n);
}

Value edge(Interpreter& in, Given a, const char* name, bool start) {
  bool beyond = false;
  const auto [from, to] = window(in, self(a), a[2], a[3], beyond);
  const std::string_view within = std::string_view(text(a)).substr(from, to - from);
  const auto is = [&](const Value& x) {
    return !beyond && (start ? within.starts_with(x.as<Str>()->text) : within.ends_with(x.as<Str>()->text));
  };
  if (a[1].as<Str>()) return Value::of(is(a[1]));
  if (!a[1].as<Tuple>())
    raise("TypeError", "{} first arg must be str or a tuple of str, not {}", name, type_name(a[1]));
  for (const Value& x : a[1].as<Tuple>()->items) {
    if (!x.as<Str>()) raise("TypeError", "tuple for {} must only contain str, not {}", name, type_name(x));
    if (is(x)) return Value::of(true);
  }
  return Value::of(false);
}

// The bytes of n letters as a size, of 32 bits in a page: where it holds them not, more than any heap has.
size_t letters(int64_t n, size_t bytes_each = 1) {
  return n > static_cast<int64_t>(PTRDIFF_MAX / bytes_each) ? PTRDIFF_MAX
                                                            : static_cast<size_t>(n) * bytes_each;
}

enum class Side { Left, Right, Middle };
Value padded(Interpreter& in, Given a, Side side) {
  const int64_t space = index_of(in, a[1]) - self(a).length;
  std::string fill = " ";
  if (a[2]) {
    if (!a[2].as<Str>())
      raise("TypeError", "The fill character must be a unicode character, not {}", type_name(a[2]));
    if (a[2].as<Str>()->length != 1)
      raise("TypeError", "The fill character must be exactly one character long");
    fill = a[2].as<Str>()->text;
  }
  if (space <= 0) return a[0];
  Heap::current().check(letters(space, fill.size()));
  const auto some = [&](int64_t n) {
    std::string out;
    for (; n > 0; --n) out += fill;
    return out;
  };
  const int64_t odd = space & (index_of(in, a[1]) & 1);  // as CPython centers
  const int64_t before = side == Side::Left ? 0 : side == Side::Right ? space : space / 2 + odd;
  return str(some(before) + text(a) + some(space - before));
}

Value zero_filled(Interpreter& in, Given a) {
  const int64_t space = index_of(in, a[1]) - self(a).length;
  if (space <= 0) return a[0];
  Heap::current().check(letters(space));
  std::string out = text(a);
  const bool sign = !out.empty() && (out[0] == '+' || out[0] == '-');
  return str(out.insert(sign, static_cast<size_t>(space), '0'));
}

Value without(Given a, const char* what, bool start) {
  const std::string &s = text(a), &part = text_of(a[1], what);
  if (start) return s.starts_with(part) ? str(s.substr(part.size())) : a[0];
  return s.ends_with(part) ? str(s.substr(0, s.size() - part.size())) : a[0];
}

Value casefold(Interpreter&, Given a) {
  std::string out;
  for (const uint32_t c : decode(text(a))) out += c == 0xDF ? "ss" : utf8(lower(c));
  return str(std::move(out));
}

Value translate(Interpreter& in, Given a) {
  Dict* const table = a[1].as<Dict>();
  if (!table) raise("TypeError", "translate() takes a dict here, not '{}'", type_name(a[1]));
  std::string out;
  for (const uint32_t c : decode(text(a))) {
    const Value* const to = table->find(Value::of(int64_t{c}));
    if (!to)
      out += utf8(c);
    else if (to->as<Str>())
      out += to->as<Str>()->text;
    else if (!to->is_none())
      out += utf8(static_cast<uint32_t>(index_of(in, *to)));
  }
  return str(std::move(out));
}

// Of a dict by letters, or of letters, what stands for them, and those that go.
Value make_translation(Interpreter&, const Arguments& arguments) {
  const Row row{"maketrans", 1, 3, nullptr};
  const auto a = match(row, "maketrans", arguments);
  const Value made = make<Dict>();
  Dict& into = *made.as<Dict>();
  if (!a[1]) {
    if (!a[0].as<Dict>()) raise("TypeError", "if you give only one argument to maketrans it must be a dict");
    a[0].as<Dict>()->each([&](const Value& key, const Value& value) {
      const Str* const s = key.as<Str>();
      if (s && s->length != 1) raise("ValueError", "string keys in translate table must be of length 1");
      into.set(s ? Value::of(int64_t{decode(s->text)[0]}) : key, value);
    });
    return made;
  }
  const auto from = decode(text_of(a[0], "maketrans() argument 1 must be str"));
  const auto to = decode(text_of(a[1], "maketrans() argument 2 must be str"));
  if (from.size() != to.size())
    raise("ValueError", "the first two maketrans arguments must have equal length");
  for (size_t k = 0; k < from.size(); ++k) into.set(Value::of(int64_t{from[k]}), Value::of(int64_t{to[k]}));
  if (a[2])
    for (const uint32_t c : decode(text_of(a[2], "maketrans() argument 3 must be str")))
      into.set(Value::of(int64_t{c}), Value::none());
  return made;
}

Value refuse_bytes(Interpreter&, Given) {
  raise("RuntimeError", "str.encode() is not supported here: there are no bytes");
}

constexpr Row kMethods[] = {
    {"upper", 0, 0, [](Interpreter&, Given a) { return mapped(a, [](uint32_t c, uint32_t) { return capital(c); }); }},
    {"lower", 0, 0, [](Interpreter&, Given a) { return mapped(a, [](uint32_t c, uint32_t) { return lower(c); }); }},
    {"casefold", 0, 0, casefold},
    {"swapcase", 0, 0, [](Interpreter&, Given a) {
       return mapped(a, [](uint32_t c, uint32_t) { return is_upper(c) ? lower(c) : capital(c); });
     }},
    {"title", 0, 0, [](Interpreter&, Given a) {
       return mapped(a, [](uint32_t c, uint32_t before) {
         return is_upper(before) || is_lower(before) ? lower(c) : c == 0xDF ? uint32_t{'s'} : upper(c);
       });
     }},
    {"capitalize", 0, 0, [](Interpreter&, Given a) {
       return mapped(a, [](uint32_t c, uint32_t before) { return before ? lower(c) : c == 0xDF ? uint32_t{'s'} : upper(c); });
     }},
    {"isdigit", 0, 0, [](Interpreter&, Given a) { return all_are(a, is_digit); }},
    {"isdecimal", 0, 0, [](Interpreter&, Given a) { return all_are(a, is_digit); }},
    {"isnumeric", 0, 0, [](Interpreter&, Given a) { return all_are(a, [](uint32_t c) { return is_number(c); }); }},
    {"isalpha", 0, 0, [](Interpreter&, Given a) { return all_are(a, is_letter); }},
    {"isalnum", 0, 0, [](Interpreter&, Given a) {
       return all_are(a, [](uint32_t c) { return is_letter(c) || is_number(c); });
     }},
    {"isspace", 0, 0, [](Interpreter&, Given a) { return all_are(a, is_space); }},
    {"isprintable", 0, 0, [](Interpreter&, Given a) {
       const auto s = decode(text(a));
       return Value::of(std::all_of(s.begin(), s.end(), is_visible));
     }},
    {"isidentifier", 0, 0, [](Interpreter&, Given a) {
       return Value::of(!text(a).empty() && !is_digit(decode(text(a))[0]) &&
                        all_are(a, [](uint32_t c) { return is_letter(c) || is_number(c) || c == '_'; }).boolean());
     }},
    {"translate", 1, 1, translate},
    {"isascii", 0, 0, [](Interpreter&, Given a) { return Value::of(self(a).ascii()); }},
    {"isupper", 0, 0, [](Interpreter&, Given a) { return cased(a, true); }},
    {"islower", 0, 0, [](Interpreter&, Given a) { return cased(a, false); }},
    {"istitle", 0, 0, is_title},
    {"strip", 0, 1, [](Interpreter&, Given a) { return strip(a, "strip", true, true); }},
    {"lstrip", 0, 1, [](Interpreter&, Given a) { return strip(a, "lstrip", true, false); }},
    {"rstrip", 0, 1, [](Interpreter&, Given a) { return strip(a, "rstrip", false, true); }},
    {"replace", 2, 3, replace, "- - count"},
    {"find", 1, 3, [](Interpreter& in, Given a) { return Value::of(find(in, a, "find", false)); }},
    {"rfind", 1, 3, [](Interpreter& in, Given a) { return Value::of(find(in, a, "rfind", true)); }},
    {"index", 1, 3, [](Interpreter& in, Given a) { return index(in, a, "index", false); }},
    {"rindex", 1, 3, [](Interpreter& in, Given a) { return index(in, a, "rindex", true); }},
    {"count", 1, 3, count},
    {"startswith", 1, 3, [](Interpreter& in, Given a) { return edge(in, a, "startswith", true); }},
    {"endswith", 1, 3, [](Interpreter& in, Given a) { return edge(in, a, "endswith", false); }},
    {"ljust", 1, 2, [](Interpreter& in, Given a) { return padded(in, a, Side::Left); }},
    {"rjust", 1, 2, [](Interpreter& in, Given a) { return padded(in, a, Side::Right); }},
    {"center", 1, 2, [](Interpreter& in, Given a) { return padded(in, a, Side::Middle); }},
    {"zfill", 1, 1, zero_filled},
    {"removeprefix", 1, 1, [](Interpreter&, Given a) { return without(a, "removeprefix() argument must be str", true); }},
    {"removesuffix", 1, 1, [](Interpreter&, Given a) { return without(a, "removesuffix() argument must be str", false); }},
    {"expandtabs", 0, 1, [](Interpreter& in, Given a) {
       const int64_t size = a[1] ? index_of(in, a[1]) : 8;
       std::string out;
       int64_t column = 0;
       for (const char c : text(a)) {
         if (c == '\t') {
           const int64_t n = size > 0 ? size - column % size : 0;
           Heap::current().check(out.size() + letters(n));
           out.append(static_cast<size_t>(n), ' ');
           column += n;
         } else {
           out += c;
           column = c == '\n' || c == '\r' ? 0 : column + 1;
         }
       }
       return str(std::move(out));
     }, "tabsize"},
    {"encode", 0, 2, refuse_bytes}};

}  // namespace

void add_text_methods(Types& types) {
  Class& type = types.get("str");
  add_methods(type, kMethods);
  const Value make_table = make<Builtin>("maketrans", make_translation);
  type.attributes.as<Dict>()->set("maketrans", make<Descriptor>(Descriptor::Static, make_table));
  type.attributes.as<Dict>()->set(
      "format", make<Builtin>("str.format", [](Interpreter& in, const Arguments& a) {
        if (a.positional.empty() || !a.positional[0].as<Str>())
          raise("TypeError", "unbound method str.format() needs an argument");
        return str(format_fields(in, a.positional[0].as<Str>()->text,
                                 {.positional = a.positional.subspan(1), .named = a.named}));
      }));
}

}  // namespace glassgrad::script
