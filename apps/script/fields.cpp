// "{0.name[key]!r:>{width}}".format(…)
#include "apps/script/format.h"
#include "apps/script/number.h"

namespace glassgrad::script {
namespace {

struct Fields {
  Interpreter& in;
  const Arguments& values;
  int64_t next = 0;  // of {}; -1: they are numbered

  Value first(std::string_view name) {
    const auto number = parse_int(name, 10);
    if (!name.empty() && !(number && name.find_first_not_of("0123456789") == name.npos)) {
      for (const Named& n : values.named)
        if (n.name == name) return n.value;
      throw_new("KeyError", {str(std::string(name))});
    }
    if (name.empty()) {
      if (next < 0)
        raise("ValueError", "cannot switch from manual field specification to automatic field numbering");
    } else {
      if (next > 0)
        raise("ValueError", "cannot switch from automatic field numbering to manual field specification");
      next = -1;
    }
    const int64_t k = name.empty() ? next++ : *number;
    if (k >= static_cast<int64_t>(values.positional.size()))
      raise("IndexError", "Replacement index {} out of range for positional args tuple", k);
    return values.positional[static_cast<size_t>(k)];
  }

  // name.attribute[item]…
  Value value(std::string_view path) {
    const size_t end = std::min(path.find_first_of(".["), path.size());
    Value v = first(path.substr(0, end));
    for (path.remove_prefix(end); !path.empty();) {
      if (path[0] == '.') {
        const size_t stop = std::min(path.find_first_of(".[", 1), path.size());
        if (stop == 1) raise("ValueError", "Empty attribute in format string");
        v = in.attribute(v, path.substr(1, stop - 1));
        path.remove_prefix(stop);
      } else if (path[0] == '[') {
        const size_t stop = path.find(']');
        if (stop == path.npos) raise("ValueError", "Missing ']' in format string");
        if (stop == 1) raise("ValueError", "Empty attribute in format string");
        const std::string_view key = path.substr(1, stop - 1);
        const bool number = key.find_first_not_of("0123456789") == key.npos;
        v = in.item(v, number ? Value::of(*parse_int(key, 10)) : str(std::string(key)));
        path.remove_prefix(stop + 1);
      } else {
        raise("ValueError", "Only '.' or '[' may follow ']' in format field specifier");
      }
    }
    return v;
  }

  std::string field(std::string_view text, int depth) {
    size_t colon = 0;
    for (size_t brackets = 0; colon < text.size() && (brackets || (text[colon] != ':' && text[colon] != '!'));
         ++colon) {
      brackets += text[colon] == '[';
      if (brackets && text[colon] == ']') --brackets;
    }
    Value v = value(text.substr(0, colon));
    text.remove_prefix(colon);
    if (text.starts_with('!')) {
      const char c = text.size() > 1 ? text[1] : 0;
      if (text.size() > 2 && text[2] != ':') raise("ValueError", "expected ':' after conversion specifier");
      if (c == 's')
        v = str(in.str(v));
      else if (c == 'r')
        v = str(in.repr(v));
      else if (c == 'a')
        v = str(ascii(in.repr(v)));
      else if (!c)
        raise("ValueError", "end of string while looking for conversion specifier");
      else
        raise("ValueError", "Unknown conversion specifier {}", std::string(1, c));
      text.remove_prefix(2);
    }
    if (text.starts_with(':')) text.remove_prefix(1);
    return in.format(v, fill(text, depth - 1));
  }

  std::string fill(std::string_view s, int depth) {
    if (depth < 0) raise("ValueError", "Max string recursion exceeded");
    std::string out;
    for (size_t k = 0; k < s.size();) {
      const char c = s[k++];
      if (c != '{' && c != '}') {
        out += c;
        continue;
      }
      if (k < s.size() && s[k] == c) {
        out += c;
        ++k;
        continue;
      }
      if (c == '}') raise("ValueError", "Single '}' encountered in format string");
      if (k == s.size()) raise("ValueError", "Single '{' encountered in format string");
      size_t end = k;
      for (size_t open = 1; open; ++end) {
        if (end == s.size()) raise("ValueError", "expected '}' before end of string");
        open += s[end] == '{';
        open -= s[end] == '}';
      }
      out += field(s.substr(k, end - 1 - k), depth);
      k = end;
    }
    return out;
  }
};

}  // namespace

std::string format_fields(Interpreter& in, const std::string& s, const Arguments& values) {
  return Fields{in, values}.fill(s, 2);
}

}  // namespace glassgrad::script
