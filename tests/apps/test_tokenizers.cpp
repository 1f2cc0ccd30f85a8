// Tokenizers: decoding gives back any bytes; pieces, merges and character classes match other programs.
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/cli/arguments.h"
#include "apps/cli/parse_json.h"
#include "apps/cli/text_width.h"
#include "apps/text/byte_alphabet.h"
#include "apps/text/corpus.h"
#include "apps/text/split.h"
#include "apps/text/tokenizer.h"
#include "apps/text/unicode.h"
#include "apps/text/unicode_table.h"
#include "apps/text/visible.h"
#include "engine/core/utf8.h"
#include "engine/random.h"
#include "tests/scratch_file.h"
#include "tests/support.h"

using namespace glassgrad;
using namespace testing;
using Ids = std::vector<int64_t>;

namespace {

const std::string kGolden = std::string(GLASSGRAD_GOLDEN_DIR) + "/text/";

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> pieces(const std::string& text) {
  std::vector<std::string> list;
  for (size_t at = 0, end; at < text.size(); at = end) {
    end = word_end(text, at);
    list.push_back(text.substr(at, end - at));
  }
  return list;
}

std::vector<std::unique_ptr<Tokenizer>> one_of_each(const std::string& training_text) {
  std::vector<std::unique_ptr<Tokenizer>> all;
  for (const char* kind : {"byte", "char", "word", "bpe"})
    all.push_back(make_tokenizer(kind, training_text, 300));
  all.push_back(load_gpt2_tokenizer(kGolden + "vocab.json", kGolden + "merges.txt"));
  return all;
}

// Random bytes of every kind, many of them close to valid UTF-8.
std::string random_bytes(Generator& g) {
  static const std::vector<std::string> kParts{"cats",
                                               " climb",
                                               "\n",
                                               "\r\n",
                                               " ",
                                               "  ",
                                               "\t",
                                               "猫",
                                               "🐈",
                                               "é",
                                               std::string(1, '\0'),
                                               "\xe7\x8c",
                                               "\xf0\x9f",
                                               "\xc0\x80",
                                               "\xed\xa0\x80",
                                               "\xf4\x90\x80\x80",
                                               "\xff",
                                               "'s",
                                               "aaaa",
                                               "12"};
  std::string text;
  for (uint32_t left = g.r32() % 30; left > 0; --left)
    text += g.r32() % 4 ? kParts[g.r32() % kParts.size()] : std::string(1, char(g.r32() & 0xff));
  return text;
}

}  // namespace

TEST_CASE("decode gives back any bytes") {
  Generator g(4);
  const std::string training = generate_corpus(20) + "猫 é\xff\xe7\x8c cats' cats\r\n";
  for (const auto& tokenizer : one_of_each(training)) {
    const auto copy = tokenizer_from_json(tokenizer->to_json(), "copy");
    CHECK(copy->kind() == tokenizer->kind());
    CHECK(copy->size() == tokenizer->size());
    CHECK(copy->stand_ins() == tokenizer->stand_ins());
    std::vector<std::string> texts{"", training, std::string(3, '\0'), std::string(5000, 'a')};
    for (int i = 0; i < 300; ++i) texts.push_back(random_bytes(g));
    for (const std::string& text : texts) {
      const Ids ids = tokenizer->encode(text);
      REQUIRE_MESSAGE(tokenizer->decode(ids) == text, tokenizer->kind(), ": ", visible(text));
      REQUIRE(copy->encode(text) == ids);
      for (const int64_t id : ids) REQUIRE((id >= 0 && id < tokenizer->size()));
    }
  }
}

TEST_CASE("vocabularies") {
  const auto bytes = byte_tokenizer();
  CHECK(bytes->size() == 256);
  CHECK(bytes->stand_ins() == 0);
  CHECK(bytes->encode("a\xff") == Ids{97, 255});

  const auto chars = char_tokenizer("bé a猫b");
  CHECK(chars->encode(" abé猫") == Ids{0, 1, 2, 3, 4});
  CHECK(chars->size() == 5 + 256 - 3);
  CHECK(chars->stand_ins() == 253);
  CHECK(chars->encode("c") == Ids{5 + 'c' - 3});  // the bytes below c, without the three that are characters
  CHECK(chars->encode("ü").size() == 2);

  const auto words = word_tokenizer("cats climb trees\ncats\n");
  CHECK(words->encode("cats climb trees\n") == Ids{3, 1, 2, 0});
  CHECK(words->stand_ins() == 255);
  CHECK(words->token_text(1) == "␣climb");
  CHECK(words->token_text(0) == "\\n");
  CHECK(words->token(2) == " trees");
  CHECK(char_tokenizer("")->size() == 256);
  CHECK_THROWS_WITH_AS(make_tokenizer("letter", "", 300),
                       "there is no tokenizer 'letter'; take byte, char, word or bpe", UsageError);
}

TEST_CASE("the default corpus has a small vocabulary") {
  const auto words = word_tokenizer(generate_corpus());
  CHECK(words->size() - words->stand_ins() == 38);
  const Ids ids = words->encode("cats climb trees during storms\n");
  CHECK(ids.size() == 6);
  for (const int64_t id : ids) CHECK(id < 38);
}

TEST_CASE("ids outside the vocabulary") {
  const auto bytes = byte_tokenizer();
  CHECK(error_of([&] {
          bytes->decode(Ids{1, 2, 256});
        }) == "IndexError: token 256 at position 2 is not in the vocabulary, which has the ids 0 to 255");
  CHECK(error_of([&] { bytes->decode(Ids{-1}); }) ==
        "IndexError: token -1 at position 0 is not in the vocabulary, which has the ids 0 to 255");
  CHECK(contains(error_of([&] { bytes->token(256); }), "IndexError: token 256 is not in the vocabulary"));
}

TEST_CASE("pieces and ids as of the published GPT-2 pattern and algorithm") {
  const auto golden = nlohmann::json::parse(contents(kGolden + "cases.json"));
  const auto gpt2 = load_gpt2_tokenizer(kGolden + "vocab.json", kGolden + "merges.txt");
  REQUIRE(golden["cases"].size() > 80);
  for (const auto& c : golden["cases"]) {
    const std::string text = c["text"];
    CHECK_MESSAGE(pieces(text) == c["pieces"].get<std::vector<std::string>>(), visible(text));
    CHECK_MESSAGE(gpt2->encode(text) == c["ids"].get<Ids>(), visible(text));
  }
  // Invalid UTF-8 is punctuation, byte by byte.
  CHECK(pieces("a \xff\xc3!b") == std::vector<std::string>{"a", " \xff\xc3!", "b"});
}

TEST_CASE("merges that rank in any order") {
  const auto golden = nlohmann::json::parse(contents(kGolden + "cases.json"))["shuffled"];
  const auto bpe = tokenizer_from_json(golden["description"].dump(), "shuffled");
  for (const auto& c : golden["cases"]) {
    const std::string text = c["text"];
    CHECK_MESSAGE(bpe->encode(text) == c["ids"].get<Ids>(), text);
  }
}

TEST_CASE("training finds the merges of the textbook form") {
  const std::string text = nlohmann::json::parse(contents(kGolden + "cases.json"))["training_text"];
  const auto bpe = bpe_tokenizer(text, 400);
  const auto description = nlohmann::json::parse(bpe->to_json());
  std::string merges = "#version: 0.2\n";
  for (const std::string line : description["merges"]) merges += line + "\n";
  CHECK(merges == contents(kGolden + "merges.txt"));
  CHECK(bpe->size() == 256 + std::ssize(description["merges"]));  // no pair is left that occurs twice
  CHECK(bpe_tokenizer(text, 300)->size() == 300);
  CHECK(bpe_tokenizer("", 300)->size() == 256);
  CHECK(error_of([] { bpe_tokenizer("a", 255); }) ==
        "ValueError: a vocabulary of 255 cannot hold the 256 bytes that bpe starts from");
}

TEST_CASE("one long piece does not take quadratic time") {
  std::string text(1 << 18, 'a');
  Generator g(1);
  for (size_t i = 0; i < text.size() / 2; ++i) text[i] = "acgt"[g.r32() % 4];
  const auto bpe = bpe_tokenizer(text, 600);
  CHECK(bpe->size() == 600);
  const Ids ids = bpe->encode(text);
  CHECK(ids.size() < text.size() / 3);
  CHECK(bpe->decode(ids) == text);
}

TEST_CASE("files that GPT-2 would not read") {
  std::string alphabet;  // "…":0,…
  for (int byte = 0; byte < 256; ++byte)
    alphabet += nlohmann::json(to_byte_alphabet(std::string(1, char(byte)))).dump() + ":" +
                std::to_string(byte) + ",";
  const auto load = [](const std::string& vocab, const std::string& merges) {
    const ScratchFile v(vocab), m(merges);
    std::string message = error_of([&] { load_gpt2_tokenizer(v.path(), m.path()); });
    for (const auto& [file, name] : {std::pair{&v, "VOCAB"}, {&m, "MERGES"}})
      if (const size_t at = message.find(file->path()); at != message.npos)
        message.replace(at, file->path().size(), name);
    return message;
  };
  const std::string good = "{" + alphabet + "\"ab\":256,\"abc\":257}";
  CHECK(load(good, "#version: 0.2\na b\nab c\n") == "nothing");
  CHECK(load(good, "a b\r\n\r\nab c") == "nothing");
  CHECK(load("{\n\n\"a\":}", "") == "ValueError: VOCAB: line 3: is no valid JSON at byte 8");
  CHECK(load("[1]", "") == "ValueError: VOCAB: must be an object of tokens and their ids");
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  CHECK(load("{\"a\":" + deep + "}", "") == "ValueError: VOCAB: nests deeper than 16 levels");
  CHECK(load("{}", "") == "ValueError: VOCAB: no token stands for byte 0 alone; all 256 are needed");
  CHECK(load("{\"a\":0,\"a\":1}", "") == "ValueError: VOCAB: has 'a' twice in one object");
  CHECK(load("{\"a\":0,\"b\":0}", "") == "ValueError: VOCAB: 'b' has no token or an id that is taken, 0");
  for (const char* id : {"-1", "1", "0.5", "\"0\"", "18446744073709551616", "null", "{\"b\":0}", "[0]"})
    CHECK(contains(load(std::string("{\"a\":") + id + "}", ""), "VOCAB: the id of 'a' is"));
  CHECK(load("{\"a\":1e999}", "") == "ValueError: VOCAB: holds a number that is too large");
  CHECK(load("{\"a b\":0}", "") == "ValueError: VOCAB: '␣' is no character of GPT-2's byte alphabet");
  CHECK(contains(load(good, "a b\na"), "MERGES: line 2: a merge is two tokens with one space between"));
  CHECK(contains(load(good, "a  b"), "MERGES: line 1: a merge is two tokens"));
  CHECK(contains(load(good, "a b\nab d\n"), "MERGES: line 2: the token 'abd' is not in the vocabulary"));
  CHECK(contains(load(good, "a b\nx\x01 b\n"), "MERGES: line 2: '\\x01' is no character"));
  CHECK(
      contains(load(good, "a b\n\na b\n"), "MERGES: line 3: 'a' and 'b' are merged twice, first by merge 1"));
}

TEST_CASE("descriptions that contradict themselves") {
  const auto wrong = [](const char* text) { return error_of([&] { tokenizer_from_json(text, "model"); }); };
  const std::string deep = "{\"kind\":" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}";
  for (const char* text : {"[]", "7", "[{\"kind\":\"byte\"}]"})
    CHECK(wrong(text) == "ValueError: model: is no description of a tokenizer in JSON");
  for (const char* text : {"", "{", "\xff", "{\"kind\":\"byte\"}]"})
    CHECK(contains(wrong(text),
                   "ValueError: model: the tokenizer's description line 1: is no valid JSON at byte "));
  CHECK(wrong(deep.c_str()) == "ValueError: model: the tokenizer's description nests deeper than 16 levels");
  CHECK(
      contains(wrong("{\"kind\":\"byte\",\"kind\":\"bpe\"}"), "description has 'kind' twice in one object"));
  CHECK(wrong("{}") == "ValueError: model: does not name its kind");
  CHECK(contains(wrong("{\"kind\":\"sound\"}"), "model: kind 'sound' is none of byte, char, word, bpe"));
  CHECK(wrong("{\"kind\":\"word\"}") == "ValueError: model: has no list \"tokens\"");
  CHECK(wrong("{\"kind\":\"word\",\"tokens\":[\"a\",1]}") ==
        "ValueError: model: \"tokens\": item 1 is no text");
  CHECK(wrong("{\"kind\":\"char\",\"tokens\":[\"a\",\"a\"]}") ==
        "ValueError: model: 'a' is both token 0 and token 1");
  CHECK(wrong("{\"kind\":\"char\",\"tokens\":[\"\"]}") == "ValueError: model: token 0 is empty");
  CHECK(contains(wrong("{\"kind\":\"bpe\",\"tokens\":[\"a\"],\"merges\":[]}"), "no token stands for byte 0"));
}

TEST_CASE("bytes for a terminal") {
  CHECK(visible(" a\n\r\t\\\x1b\x7f") == "␣a\\n\\r\\t\\\\\\x1b\\x7f");
  CHECK(visible("猫é🐈") == "猫é🐈");
  CHECK(visible("\xff\xc3") == "\\xff\\xc3");
  CHECK(visible("\xc2\x9b\xc2\xa0\xe2\x80\xae\xef\xbb\xbf") == "\\u009b\\u00a0\\u202e\\ufeff");
}

TEST_CASE("what is visible is printable") {
  for (uint32_t c = 0; c <= 0x10ffff; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    std::string text;
    append_utf8(text, c);
    const std::string shown = visible(text);
    if (printable(shown) != shown) CHECK_MESSAGE(false, c);
  }
  CHECK(printable("a\x1b]0;\x7f\xc2\x9b\x9b\xe2\x80\xae\xe2\x80\xa8\n") == "a?]0;??????");
  CHECK(printable("猫é🐈\xc2\xa0\xe2\x80\x8d") == "猫é🐈\xc2\xa0\xe2\x80\x8d");
}

TEST_CASE("characters that are not whole yet") {
  const std::string text = "aé猫🐈";
  size_t whole = 0;  // the end of the last whole character
  for (size_t n = 0; n <= text.size(); ++n) {
    if (n == text.size() || (text[n] & 0xc0) != 0x80) whole = n;
    CHECK(unfinished(text.substr(0, n)) == n - whole);
  }
  for (const char* none :
       {"\x80", "\xc3\xa9", "\xff", "\xc1", "\xf5\x80\x80", "\x80\x80\x80\x80", "\xe7\x8c\xab\x80"})
    CHECK(unfinished(none) == 0);
}

TEST_CASE("JSON that is no good says why") {
  const auto problem = [](std::string_view text, size_t most = 9) {
    JsonVisitor nobody;
    return read_json(text, nobody, most);
  };
  CHECK(problem("{\"a\": [1, {\"a\": null}], \"b\": \"\\ud83d\\ude00\"}").empty());
  CHECK(problem("{\"a\": 1,\n \"a\": 2}") == "has 'a' twice in one object");
  CHECK(problem("[{\"a\": 1}, {\"a\": 2}]").empty());
  CHECK(problem("[1,2,3,4,5,6,7,8]").empty());
  CHECK(problem("[1,2,3,4,5,6,7,8,9]") == "has more than 9 values");
  CHECK(problem("[\n1e999]") == "holds a number that is too large");
  for (const char* bad :
       {"", "{", "[1,]", "nul", "1 2", "\"\xff\"", "{\"a\"}", "[1}", "\"\x01\"", "01", "+1", "\"\\ud83d\""})
    CHECK(contains(problem(bad), "line 1: is no valid JSON at byte "));
  CHECK(problem(std::string(16, '[') + std::string(16, ']'), 99).empty());
  CHECK(problem(std::string(17, '[') + std::string(17, ']'), 99) == "nests deeper than 16 levels");
  CHECK(problem(std::string(1'000'000, '['), 99) == "nests deeper than 16 levels");
  CHECK(error_of([] { parse_json("{", "FILE"); }) == "ValueError: FILE: line 1: is no valid JSON at byte 2");
}

TEST_CASE("the byte alphabet") {
  CHECK(to_byte_alphabet(" \n!~\x7f\xa0\xad\xff") == "ĠĊ!~ġłŃÿ");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += char(byte);
  CHECK(from_byte_alphabet(to_byte_alphabet(all), "") == all);
}

TEST_CASE("UTF-8 is read strictly") {
  const auto value = [](std::string_view text) {
    const CodePoint c = code_point(text, 0);
    return c.valid && c.length == text.size() ? int64_t(c.value) : -1;
  };
  CHECK(value("\xc2\x80") == 0x80);
  CHECK(value("\xdf\xbf") == 0x7ff);
  CHECK(value("\xe0\xa0\x80") == 0x800);
  CHECK(value("\xed\x9f\xbf") == 0xd7ff);
  CHECK(value("\xef\xbf\xbf") == 0xffff);
  CHECK(value("\xf0\x90\x80\x80") == 0x10000);
  CHECK(value("\xf4\x8f\xbf\xbf") == 0x10ffff);
  for (const char* bad : {"\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe7\x8c", "\xc3("})
    CHECK(value(bad) == -1);
}

TEST_CASE("classes of characters are those of Python") {
  const std::string script = std::string(GLASSGRAD_GOLDEN_DIR) + "/../../apps/text/make_unicode_table.py";
  FILE* const run = ::popen(("python3 '" + script + "' --classes").c_str(), "r");
  REQUIRE(run != nullptr);
  char version[32] = "";
  const bool answers = std::fscanf(run, "unicode %31s", version) == 1;
  std::vector<std::string> of(0x110000);
  uint32_t first = 0, at = 0;
  char name[16] = "", before[16] = "";
  while (answers && std::fscanf(run, "%u %15s", &first, name) == 2) {
    REQUIRE(first < of.size());
    while (at < first) of[at++] = before;
    std::copy(std::begin(name), std::end(name), std::begin(before));
  }
  ::pclose(run);
  if (!answers) {
    MESSAGE("skipped: there is no python3 that answers");
    return;
  }
  while (at < of.size()) of[at++] = before;

  int64_t different = 0, compared = 0;
  for (uint32_t c = 0; c < of.size(); ++c) {
    static const char* const kNames[] = {"Other", "Letter", "Number", "Space", "Unassigned"};
    const std::string ours = kNames[int(char_class(c))];
    // A character that only one of the two Unicode versions assigns cannot be compared.
    if (std::string(version) != kUnicodeVersion && (ours == "Unassigned" || of[c] == "Unassigned")) continue;
    ++compared;
    different += ours != of[c];
  }
  CHECK_MESSAGE(different == 0, "Unicode ", version, " beside our ", kUnicodeVersion);
  CHECK(compared > 280000);
}
