#include "safetensors_header.h"

#include <fmt/core.h>

#include <optional>
#include <unordered_set>
#include <utility>

#include "../core/error.h"
#include "../core/joined.h"
#include "../core/utf8.h"

namespace glassgrad::safetensors {
namespace {

using namespace std::string_view_literals;

// A tensor takes a kilobyte of memory, however small it is in the file. The largest models have some ten
// thousand.
constexpr size_t kMostTensors = 1 << 17;

// Returns the offset at which the text stops being UTF-8, or its size.
size_t utf8_end(std::string_view text) {
  size_t at = 0;
  for (char32_t code = 0; at < text.size();) {
    const size_t length = utf8_length(text.substr(at), code);
    if (length == 0) break;
    at += length;
  }
  return at;
}

// Returns what is wrong with a name, or an empty text. Names are shown to people, and some programs end them
// at a zero byte.
std::string trouble_with(std::string_view name) {
  constexpr size_t kLongest = 512;
  if (name.size() > kLongest)
    return fmt::format("a name of {} bytes ('{}'), more than {},", name.size(), excerpt(name), kLongest);
  return name.find('\0') == name.npos ? "" : fmt::format("the name '{}' with a zero byte", excerpt(name));
}

// ---- reading
class Parser {
 public:
  Parser(const InputFile& file, std::string_view text) : file_(file), text_(text) {}

  Header parse() {
    if (const size_t end = utf8_end(text_); end < text_.size()) wrong_at(end, "no UTF-8");
    Header header;
    std::unordered_set<std::string> names;
    object([&](const std::string& name, size_t start) {
      if (!names.insert(name).second)
        wrong_at(start, fmt::format("the name '{}' appears twice", excerpt(name)));
      if (const std::string trouble = trouble_with(name); !trouble.empty()) wrong_at(start, trouble);
      if (header.entries.size() == kMostTensors && name != kMetadataKey)
        wrong_at(start, fmt::format("more than {} tensors", kMostTensors));
      if (name == kMetadataKey)
        header.metadata = metadata();
      else
        header.entries.push_back(entry(name, start));
    });
    skip_spaces();
    if (at_ != text_.size()) wrong("nothing expected after the last '}'");
    return header;
  }

 private:
  std::map<std::string, std::string> metadata() {
    std::map<std::string, std::string> texts;
    object([&](const std::string& key, size_t start) {
      if (!texts.emplace(key, string()).second)
        wrong_at(start, fmt::format("the key '{}' appears twice", excerpt(key)));
      if (texts.size() > 2 * kMostTensors)
        wrong_at(start, fmt::format("more than {} metadata", 2 * kMostTensors));
    });
    return texts;
  }

  Entry entry(const std::string& name, size_t start) {
    std::optional<std::string> dtype;
    std::optional<Dims> shape;
    std::optional<std::pair<uint64_t, uint64_t>> offsets;
    object([&](const std::string& key, size_t key_start) {
      bool first = false;
      if (key == "dtype")
        first = !std::exchange(dtype, string());
      else if (key == "shape")
        first = !std::exchange(shape, this->shape(name));
      else if (key == "data_offsets")
        first = !std::exchange(offsets, this->offsets());
      else
        wrong_at(key_start, fmt::format("unknown key '{}' of tensor '{}'", excerpt(key), excerpt(name)));
      if (!first) wrong_at(key_start, fmt::format("key '{}' appears twice", key));
    });
    if (!dtype || !shape || !offsets)
      wrong_at(start, fmt::format("tensor '{}' lacks dtype, shape or data_offsets", excerpt(name)));
    return {name, *dtype, *shape, offsets->first, offsets->second};
  }

  Dims shape(const std::string& name) {
    Dims sizes;
    array([&] {
      check(sizes.n < kMaxDims, "{}: tensor '{}' has more than {} dimensions; reshape it", file_.path(),
            excerpt(name), kMaxDims);
      sizes.push(static_cast<int64_t>(number()));
    });
    return sizes;
  }

  std::pair<uint64_t, uint64_t> offsets() {
    expect('[');
    const uint64_t begin = number();
    expect(',');
    const uint64_t end = number();
    expect(']');
    return {begin, end};
  }

  // ---- JSON
  template <class F>
  void object(F member) {
    expect('{');
    if (accept('}')) return;
    do {
      skip_spaces();
      const size_t start = at_;
      const std::string key = string();
      expect(':');
      member(key, start);
    } while (accept(','));
    expect('}');
  }
  template <class F>
  void array(F element) {
    expect('[');
    if (accept(']')) return;
    do element();
    while (accept(','));
    expect(']');
  }

  // Reads a whole number below 2^63 in plain digits, as sizes and offsets are written.
  uint64_t number() {
    const auto digit = [&] { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; };
    skip_spaces();
    const size_t start = at_;
    int64_t n = 0;
    for (; digit(); ++at_)
      if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, text_[at_] - '0', &n))
        wrong_at(start, "a number below 2^63 expected");
    const bool leading_zero = at_ > start + 1 && text_[start] == '0';
    const bool goes_on = at_ < text_.size() && ".eE"sv.find(text_[at_]) != ""sv.npos;
    if (at_ == start || leading_zero || goes_on)
      wrong_at(start, "a number in plain digits expected, not negative");
    return static_cast<uint64_t>(n);
  }

  std::string string() {
    if (!accept('"')) wrong("a text in double quotes expected");
    const size_t start = at_ - 1;
    std::string text;
    while (true) {
      if (at_ == text_.size()) wrong_at(start, "a text that is not closed");
      const char c = text_[at_++];
      if (c == '"') return text;
      if (static_cast<unsigned char>(c) < ' ') wrong_at(at_ - 1, "a control character in a text");
      if (c == '\\')
        escape(text);
      else
        text += c;
    }
  }

  void escape(std::string& text) {
    constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    const char c = at_ < text_.size() ? text_[at_++] : '\0';
    if (const size_t which = kLetters.find(c); which != kLetters.npos) {
      text += kMeanings[which];
      return;
    }
    if (c != 'u') wrong_at(at_ - 1, "an unknown escape in a text");
    uint32_t code = hex4();
    const bool high = code >= 0xd800 && code < 0xdc00;
    if (high && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      const uint32_t low = hex4();
      if (low < 0xdc00 || low >= 0xe000) wrong_at(at_ - 4, "half a character expected");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code >= 0xd800 && code < 0xe000) wrong_at(at_ - 4, "half a character alone");
    append_utf8(text, code);
  }
  uint32_t hex4() {
    uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = at_ < text_.size() ? text_[at_] : '\0';
      const char lower = static_cast<char>(c | 0x20);
      if (c >= '0' && c <= '9')
        code = code * 16 + static_cast<uint32_t>(c - '0');
      else if (lower >= 'a' && lower <= 'f')
        code = code * 16 + static_cast<uint32_t>(lower - 'a' + 10);
      else
        wrong("four hexadecimal digits expected");
    }
    return code;
  }

  void skip_spaces() {
    while (at_ < text_.size() && " \t\n\r"sv.find(text_[at_]) != ""sv.npos) ++at_;
  }
  bool accept(char c) {
    skip_spaces();
    const bool found = at_ < text_.size() && text_[at_] == c;
    if (found) ++at_;
    return found;
  }
  void expect(char c) {
    if (!accept(c)) wrong(fmt::format("'{}' expected", c));
  }
  [[noreturn]] void wrong_at(size_t at, std::string_view what) const {
    fail("{}: malformed .safetensors header: {} at byte {}; save the tensors again", file_.path(), what,
         file_.offset() - text_.size() + at);
  }
  [[noreturn]] void wrong(std::string_view what) const { wrong_at(at_, what); }

  const InputFile& file_;
  std::string_view text_;
  size_t at_ = 0;
};

// ---- writing
std::string in_quotes(std::string_view text) {
  check<ValueError>(utf8_end(text) == text.size(), "'{}' is no UTF-8, which a .safetensors file needs",
                    excerpt(text));
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (json += '\\') += c;
    else if (static_cast<unsigned char>(c) < ' ')
      json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      json += c;
  }
  return json += '"';
}

}  // namespace

Header parse(const InputFile& file, std::string_view text) { return Parser(file, text).parse(); }

std::string format(const Header& header) {
  check<ValueError>(header.entries.size() <= kMostTensors && header.metadata.size() <= 2 * kMostTensors,
                    "a .safetensors file has at most {} tensors, and twice as many metadata", kMostTensors);
  std::string json, texts;
  for (const auto& [key, text] : header.metadata)
    texts += fmt::format("{}{}:{}", texts.empty() ? "" : ",", in_quotes(key), in_quotes(text));
  if (!texts.empty()) json = fmt::format("{}:{{{}}}", in_quotes(kMetadataKey), texts);
  for (const Entry& e : header.entries) {
    const std::string trouble = trouble_with(e.name);
    check<ValueError>(trouble.empty(), "a .safetensors file cannot have {}", trouble);
    json +=
        fmt::format("{}{}:{{\"dtype\":{},\"shape\":[{}],\"data_offsets\":[{},{}]}}", json.empty() ? "" : ",",
                    in_quotes(e.name), in_quotes(e.dtype), joined(e.shape, ","), e.begin, e.end);
  }
  json = "{" + json + "}";
  constexpr size_t kAlign = 8;
  json.resize((json.size() + kAlign - 1) / kAlign * kAlign, ' ');
  return json;
}

}  // namespace glassgrad::safetensors
