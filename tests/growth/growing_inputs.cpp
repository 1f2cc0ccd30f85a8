#include "tests/growth/growing_inputs.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "tests/fuzz/targets.h"

namespace growing {
namespace {

using Make = std::function<std::string(size_t n)>;

std::string repeated(std::string_view part, size_t n) {
  std::string text;
  for (size_t i = 0; i < n; ++i) text += part;
  return text;
}
// Returns part(0), part(1), … with commas between them.
std::string listed(size_t n, const std::function<std::string(size_t)>& part) {
  std::string text;
  for (size_t i = 0; i < n; ++i) text += (i ? "," : "") + part(i);
  return text;
}

// JSON values, and texts that are not JSON.
const std::vector<std::pair<std::string, Make>>& json_shapes() {
  static const std::vector<std::pair<std::string, Make>> all = {
      {"objects in a list", [](size_t n) { return "[" + repeated("{},", n) + "{}]"; }},
      {"lists in a list", [](size_t n) { return "[" + repeated("[],", n) + "[]]"; }},
      {"full objects in a list", [](size_t n) { return "[" + repeated("{\"a\":1,\"b\":[2]},", n) + "{}]"; }},
      {"numbers", [](size_t n) { return "[" + repeated("1,", n) + "1]"; }},
      {"texts", [](size_t n) { return "[" + repeated("\"\",", n) + "1]"; }},
      {"keys",
       [](size_t n) { return "{" + listed(n, [](size_t i) { return fmt::format("\"{}\":0", i); }) + "}"; }},
      {"objects in an object",
       [](size_t n) {
         return "{" + listed(n, [](size_t i) { return fmt::format("\"{}\":{{}}", i); }) + "}";
       }},
      {"levels", [](size_t n) { return repeated("[", n) + repeated("]", n); }},
      {"levels of objects", [](size_t n) { return repeated("{\"\":", n) + "1" + repeated("}", n); }},
      {"a long text", [](size_t n) { return "\"" + repeated("a", n) + "\""; }},
      {"a long key", [](size_t n) { return "{\"" + repeated("a", n) + "\":1}"; }},
      {"escapes", [](size_t n) { return "\"" + repeated("\\u00e9\\n", n) + "\""; }},
      {"a long number", [](size_t n) { return repeated("1", n); }},
      {"many digits", [](size_t n) { return "0." + repeated("1", n); }},
      {"spaces", [](size_t n) { return "[" + repeated(" \n", n) + "]"; }},
      {"a list that is not closed", [](size_t n) { return "[" + repeated("{},", n); }},
      {"bytes that are no text", [](size_t n) { return "\"" + repeated("\xff", n) + "\""; }},
  };
  return all;
}

void add_json(std::vector<GrowingInput>& all, const char* target, std::string before, std::string after) {
  for (const auto& [name, value] : json_shapes())
    all.push_back({target, "JSON: " + name, [=](size_t n) { return before + value(n) + after; }});
}

// Returns the i-th of the tokens of two letters, of which there are 90 times 90.
std::string pair_of(size_t i, const char* between = "") {
  const auto letter = [](size_t k) {
    const auto c = static_cast<char>('#' + k);
    return c == '\\' ? '~' : c;
  };
  return fmt::format("{}{}{}", letter(i / 90 % 90), between, letter(i % 90));
}
std::string two_bytes(unsigned c) {
  return c < 0x80 ? std::string(1, char(c)) : std::string{char(0xc0 | c >> 6), char(0x80 | (c & 0x3f))};
}
// Returns the tokens of all bytes in GPT-2's alphabet, as JSON.
std::vector<std::string> alphabet() {
  std::vector<std::string> tokens;
  unsigned next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool itself = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte != 0xad);
    const std::string c = two_bytes(itself ? byte : next++);
    tokens.push_back(c == "\"" || c == "\\" ? "\\" + c : c);
  }
  return tokens;
}
std::vector<std::string> tokens_and_pairs(size_t n) {
  std::vector<std::string> tokens = alphabet();
  for (size_t i = 0; i < n; ++i) tokens.push_back(pair_of(i));
  return tokens;
}
std::string vocabulary(size_t n) {
  const std::vector<std::string> tokens = tokens_and_pairs(n);
  return "{" + listed(tokens.size(), [&](size_t i) { return fmt::format("\"{}\":{}", tokens[i], i); }) + "}";
}
std::string merges(size_t n, const char* end = "\n") {
  std::string text;
  for (size_t i = 0; i < n; ++i) text += pair_of(i, " ") + end;
  return text;
}
std::string description(const char* kind, size_t n) {
  const std::vector<std::string> tokens = tokens_and_pairs(n);
  return fmt::format("{{\"kind\":\"{}\",\"tokens\":[{}],\"merges\":[{}]}}", kind,
                     listed(tokens.size(), [&](size_t i) { return "\"" + tokens[i] + "\""; }),
                     listed(n, [](size_t i) { return "\"" + pair_of(i, " ") + "\""; }));
}
const std::string kZero(1, '\0');

std::string safetensors(std::string header) {
  std::string length;
  for (size_t i = 0; i < 8; ++i) length += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return length + header;
}
std::string no_cells(size_t i) {
  return fmt::format("\"t{}\":{{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}", i);
}
std::string in_metadata(const std::string& members) {
  return safetensors("{\"__metadata__\":{" + members + "}}");
}

void add_tensors(std::vector<GrowingInput>& all) {
  const auto add = [&](const char* name, Make input) {
    all.push_back({"safetensors", name, std::move(input)});
  };
  add("tensors", [](size_t n) { return safetensors("{" + listed(n, no_cells) + "}"); });
  add("tensors with checksums", [](size_t n) {
    const auto crc = [](size_t i) { return fmt::format("\"crc32:t{}\":\"00000000\"", i); };
    return safetensors("{\"__metadata__\":{" + listed(n, crc) + "}," + listed(n, no_cells) + "}");
  });
  add("a checksum of a long header", [](size_t n) {
    const auto key = [](size_t i) { return fmt::format("\"k{}\":\"\\n\"", i); };
    return in_metadata("\"crc32\":\"x\"," + listed(n, key));
  });
  add("metadata", [](size_t n) {
    return in_metadata(listed(n, [](size_t i) { return fmt::format("\"k{}\":\"\"", i); }));
  });
  add("a long text in metadata", [](size_t n) { return in_metadata("\"k\":\"" + repeated("a", n) + "\""); });
  add("escapes in metadata",
      [](size_t n) { return in_metadata("\"k\":\"" + repeated("\\u00e9", n) + "\""); });
  add("a long name", [](size_t n) { return safetensors("{\"" + repeated("a", n) + "\":{}}"); });
  add("spaces", [](size_t n) { return safetensors(repeated(" ", n) + "{" + repeated(" ", n) + "}"); });
  add("a long number", [](size_t n) {
    return safetensors("{\"t\":{\"dtype\":\"U8\",\"shape\":[" + repeated("0", n) +
                       "],\"data_offsets\":[0,0]}}");
  });
  add("a long type", [](size_t n) {
    return safetensors("{\"t\":{\"dtype\":\"" + repeated("U", n) +
                       "\",\"shape\":[0],\"data_offsets\":[0,0]}}");
  });
  add("cells", [](size_t n) {
    return safetensors(
               fmt::format("{{\"t\":{{\"dtype\":\"U8\",\"shape\":[{}],\"data_offsets\":[0,{}]}}}}", n, n)) +
           repeated("a", n);
  });
  all.push_back({"npy", "cells", [](size_t n) {
                   std::string header =
                       fmt::format("{{'descr': '|b1', 'fortran_order': False, 'shape': ({},), }}", n);
                   header.resize(118, ' ');
                   return "\x93NUMPY\x01" + kZero + "\x76" + kZero + header + repeated("\x01", n);
                 }});
  all.push_back({"npy", "a long header", [](size_t n) {
                   const std::string header = "{'" + repeated("a", n) + "':";
                   return "\x93NUMPY\x01" + kZero + char(header.size() & 0xff) + char(header.size() >> 8) +
                          header;
                 }});
}

void add_texts(std::vector<GrowingInput>& all) {
  const auto add = [&](const char* target, const char* name, Make input) {
    all.push_back({target, name, std::move(input)});
  };
  add("csv", "rows", [](size_t n) { return repeated("1,2\n", n); });
  add("csv", "columns", [](size_t n) { return repeated("1,", n) + "1\n"; });
  add("csv", "empty lines", [](size_t n) { return "1,2\n" + repeated("\n", n); });
  add("csv", "empty lines of Windows", [](size_t n) { return "1,2\n" + repeated(" \r\n", n); });
  add("csv", "a long number", [](size_t n) { return repeated("1", n); });
  add("csv", "many digits", [](size_t n) { return "0." + repeated("1", n); });
  add("csv", "a long word", [](size_t n) { return repeated("x", n); });
  add("csv", "spaces",
      [](size_t n) { return repeated(" ", n) + "1" + repeated(" ", n) + "," + repeated("\t", n); });
  add("tokens", "tokens", [](size_t n) { return repeated(std::string("a\0", 2), n); });
  add("log", "lines",
      [](size_t n) { return repeated("{\"step\":1,\"loss\":1,\"validation_loss\":2}\n", n); });
  add("log", "short lines", [](size_t n) { return repeated("{\"step\":1,\"loss\":1}\n", n); });
  add("log", "empty lines", [](size_t n) { return repeated("\n", n); });
  add("log", "lines that are cut off", [](size_t n) { return repeated("{\"step\":\n", n); });
  add("log", "a line without end", [](size_t n) { return repeated("{\"step\":1}", n); });
  add("answers", "comments", [](size_t n) { return repeated("# a\n", n) + "a.grad[0]=1"; });
  add("answers", "empty lines", [](size_t n) { return repeated(" \n", n) + "a.grad[0]=1"; });
  add("answers", "a long line", [](size_t n) { return repeated("a", n) + "=1"; });
  add("answers", "a long address",
      [](size_t n) { return "a:" + repeated("b", n) + "[" + repeated("1,", n) + "1]=1"; });
  add("answers", "a long value", [](size_t n) { return "a=" + repeated("1", n); });
  for (const char* target : {"typed", "set", "tokenizers"}) {
    const std::string after = target == std::string("set") ? "=1" + kZero + "1" + kZero + "x" : "";
    for (const auto& [name, part] : {std::pair("letters", "a"),
                                     {"digits", "1"},
                                     {"brackets", "["},
                                     {"commas", ","},
                                     {"spaces", " "},
                                     {"words", "ab "},
                                     {"lines", "\n"},
                                     {"characters", "猫"},
                                     {"bytes that are no text", "\xff"},
                                     {"places", "[0,1]"},
                                     {"steps", "a:b."}})
      add(target, name, [part = part, after](size_t n) { return repeated(part, n) + after; });
  }
}

void add_vocabularies(std::vector<GrowingInput>& all) {
  const auto add = [&](const char* target, const char* name, Make input) {
    all.push_back({target, name, std::move(input)});
  };
  add("gpt2-tokenizer", "tokens and merges",
      [](size_t n) { return vocabulary(n) + kZero + merges(n) + kZero + "ab"; });
  add("gpt2-tokenizer", "merges of Windows",
      [](size_t n) { return vocabulary(n) + kZero + merges(n, "\r\n") + kZero + "ab"; });
  add("gpt2-tokenizer", "empty lines",
      [](size_t n) { return vocabulary(0) + kZero + repeated("\n", n) + kZero + "ab"; });
  add("gpt2-tokenizer", "a long line",
      [](size_t n) { return vocabulary(0) + kZero + repeated("a", n) + kZero + "ab"; });
  add("gpt2-tokenizer", "a long merge",
      [](size_t n) { return vocabulary(0) + kZero + repeated("a", n) + " b" + kZero + "ab"; });
  add("gpt2-tokenizer", "a long token",
      [](size_t n) { return "{\"" + repeated("a", n) + "\":0}" + kZero + kZero; });
  add("gpt2-tokenizer", "a long text to cut",
      [](size_t n) { return vocabulary(4000) + kZero + merges(4000) + kZero + repeated("$%", n); });
  for (const char* kind : {"word", "char", "bpe"})
    add("tokenizer-json", kind, [=](size_t n) { return description(kind, n) + kZero + "ab"; });
  add("tokenizer-json", "empty tokens",
      [](size_t n) { return "{\"kind\":\"word\",\"tokens\":[" + repeated("\"\",", n) + "\"\"]}" + kZero; });
  add("tokenizer-json", "the same token",
      [](size_t n) { return "{\"kind\":\"word\",\"tokens\":[" + repeated("\"a\",", n) + "\"a\"]}" + kZero; });
  add("tokenizer-json", "objects for tokens",
      [](size_t n) { return "{\"kind\":\"word\",\"tokens\":[" + repeated("{},", n) + "1]}" + kZero; });
  add("tokenizer-json", "a long kind",
      [](size_t n) { return "{\"kind\":\"" + repeated("a", n) + "\"}" + kZero; });
  const std::string whole = fuzzing::empty_watch_file();
  const std::string before = whole.substr(0, whole.rfind("\n]")), after = whole.substr(before.size());
  for (const char* target : {"watch", "watch-page"})
    add(target, "recordings", [=](size_t n) {
      const char* rest = R"("next":[{"token":"a","probability":1}],"sample":["b"],"attention":[])";
      const auto recording = [&](size_t i) {
        return fmt::format("{}{{\"step\":{},{}}}", i ? "\n" : "", i, rest);
      };
      return before + listed(n / 10, recording) + after;
    });
  add("watch-page", "heads", [](size_t n) {
    return R"({"tokens":["a"],"recordings":[{"step":1,"next":[],"sample":[],"attention":[)" +
           repeated("[[[1]]],", n / 10) + "[[[1]]]]}]}";
  });
  add("watch-page", "tokens",
      [](size_t n) { return "{\"tokens\":[" + repeated("\"a\",", n) + "\"a\"],\"recordings\":[]}"; });
  add("watch", "empty lines", [=](size_t n) { return before + repeated("\n", n) + after; });
  add("watch", "commas", [=](size_t n) { return before + repeated(",", n) + after; });
}

}  // namespace

std::vector<GrowingInput> growing_inputs() {
  std::vector<GrowingInput> all;
  add_tensors(all);
  add_texts(all);
  add_vocabularies(all);
  const std::string whole = fuzzing::empty_watch_file();
  const size_t end = whole.rfind("\n]");
  add_json(all, "log", "{\"step\":1,\"loss\":1,\"x\":", "}\n");
  add_json(all, "log", "", "\n");
  add_json(all, "huggingface-config", "{\"n_head\":1,\"x\":", "}");
  add_json(all, "gpt2-tokenizer", "{\"a\":", "}" + kZero + kZero);
  add_json(all, "tokenizer-json", "{\"kind\":\"byte\",\"x\":", "}" + kZero);
  add_json(all, "checkpoint", "{\"x\":", "}" + kZero + "*" + kZero + "*");
  add_json(all, "checkpoint", "*" + kZero + "*" + kZero + "{\"x\":", "}");
  add_json(all, "watch", whole.substr(0, end) + "{\"step\":1,\"x\":", "}" + whole.substr(end));
  return all;
}

}  // namespace growing
