// The generated corpus, rows of tokens in memory and in files, and the batches drawn from them.
#include <map>
#include <set>
#include <sstream>

#include "apps/text/corpus.h"
#include "apps/text/dataset.h"
#include "apps/text/text_file.h"
#include "apps/text/tokenizer.h"
#include "tests/scratch_file.h"
#include "tests/support.h"

using namespace glassgrad;
using namespace testing;
using Ids = std::vector<int64_t>;

namespace {

Dataset dataset(const std::string& text, double validation) {
  return Dataset(token_sequence(*byte_tokenizer(), text), validation);
}

Ids read(const TokenSequence& tokens, int64_t at, size_t n) {
  Ids ids(n);
  tokens.read(at, ids);
  return ids;
}

// Returns the error of f, with FILE in place of the file's name.
template <class F>
std::string error_about(const ScratchFile& file, F f) {
  std::string message = error_of(f);
  if (const size_t at = message.find(file.path()); at != message.npos)
    message.replace(at, file.path().size(), "FILE");
  return message;
}

}  // namespace

TEST_CASE("the corpus follows its grammar") {
  const std::string text = generate_corpus();
  CHECK(text.size() > 20000);
  CHECK(text.size() < 40000);
  CHECK(text == generate_corpus(kCorpusSentences, 1));
  CHECK(text != generate_corpus(kCorpusSentences, 2));
  CHECK(text.starts_with(generate_corpus(10, 1)));
  CHECK(generate_corpus(0).empty());
  CHECK(contains(error_of([] { generate_corpus(-1); }), "ValueError: a corpus has 0 to"));

  std::map<std::string, std::set<std::string>> after_pair, after_subject, after_verb;
  std::set<std::string> sentences;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line); sentences.insert(line)) {
    std::istringstream words(line);
    std::string subject, verb, object, during, event, more;
    words >> subject >> verb >> object >> during >> event;
    REQUIRE(during == "during");
    words >> more;
    REQUIRE(more.empty());
    after_pair[subject + " " + verb].insert(event);
    after_subject[subject].insert(event);
    after_verb[verb].insert(event);
  }
  CHECK(sentences.count("cats chase mice during storms") == 1);
  CHECK(after_pair["cats chase"] == std::set<std::string>{"storms"});
  CHECK(after_pair.size() == 30);
  for (const auto& one : after_pair) CHECK_MESSAGE(one.second.size() == 1, one.first);
  for (const auto& one : after_subject) CHECK_MESSAGE(one.second.size() == 2, one.first);
  for (const auto& one : after_verb) CHECK_MESSAGE(one.second.size() == 3, one.first);
  CHECK(sentences.size() == 90);
  CHECK(std::abs(corpus_nats_per_sentence() - std::log(90.)) < 1e-12);

  // The subject and verb of a held-out sentence never occur together in the corpus, but each occurs with the
  // event.
  std::set<std::string> pairs, subjects, verbs, held_out;
  std::istringstream apart(held_out_sentences());
  for (std::string subject, verb, object, during, event;
       apart >> subject >> verb >> object >> during >> event;) {
    held_out.insert(object);
    pairs.insert(subject + " " + verb), subjects.insert(subject), verbs.insert(verb);
    CHECK(after_pair.count(subject + " " + verb) == 0);
    CHECK(after_subject[subject].count(event) == 1);
    CHECK(after_verb[verb].count(event) == 1);
  }
  CHECK(held_out.size() == 18);
  CHECK(pairs.size() == 6);
  CHECK(subjects.size() == 6);
  CHECK(verbs.size() == 6);
  CHECK(held_out_sentences().find(kCorpusPrompt) != std::string::npos);
}

TEST_CASE("the first sentences are the same on every machine") {
  // The draws of NumPy's Mersenne Twister with seed 1.
  CHECK(
      generate_corpus(3, 1) ==
      "monkeys smell flowers during floods\ncats cross roads during storms\nbirds smell honey during harvests\n");
}

TEST_CASE("training and validation are parts that touch") {
  const Dataset d = dataset("abcdefghij", 0.3);
  CHECK(d.size(Part::Training) == 7);
  CHECK(d.size(Part::Validation) == 3);
  const Ids starts{0, 4};
  const Batch two = d.batch_at(Part::Training, starts, 2);
  CHECK(two.inputs.shape() == Dims{2, 2});
  CHECK(two.inputs.dtype() == int64);
  CHECK(two.inputs.to_vector<int64_t>() == Ids{'a', 'b', 'e', 'f'});
  CHECK(two.targets.to_vector<int64_t>() == Ids{'b', 'c', 'f', 'g'});
  const Batch last = d.batch_at(Part::Validation, Ids{0}, 2);
  CHECK(last.targets.to_vector<int64_t>() == Ids{'i', 'j'});
  CHECK(contains(error_of([&] { d.batch_at(Part::Training, Ids{5}, 2); }), "IndexError: a context of 2"));
  CHECK(contains(error_of([&] { d.batch_at(Part::Training, Ids{-1}, 2); }), "IndexError"));
  CHECK(contains(error_of([] { dataset("ab", 1); }), "at least 0 and below 1, not 1"));
  CHECK(contains(error_of([] { dataset("ab", NAN); }), "at least 0 and below 1"));
}

TEST_CASE("training and validation may come from two streams") {
  const auto sequence = [](const char* text) { return token_sequence(*byte_tokenizer(), text); };
  const Dataset d(sequence("abcde"), sequence("fgh"));
  CHECK(d.size(Part::Training) == 5);
  CHECK(d.size(Part::Validation) == 3);
  CHECK(d.batch_at(Part::Training, Ids{2}, 2).targets.to_vector<int64_t>() == Ids{'d', 'e'});
  CHECK(contains(error_of([&] { d.batch_at(Part::Training, Ids{3}, 2); }), "IndexError"));
  CHECK(d.batch_at(Part::Validation, Ids{0}, 2).inputs.to_vector<int64_t>() == Ids{'f', 'g'});
  CHECK(d.tokens().size() == 8);
  CHECK(read(d.tokens(), 3, 4) == Ids{'d', 'e', 'f', 'g'});
  CHECK(read(d.tokens(), 5, 3) == Ids{'f', 'g', 'h'});
}

TEST_CASE("a text that is too short says what it needs") {
  const Dataset d = dataset("abcdefghij", 0.3);
  d.require(Part::Training, 6);
  CHECK(
      error_of([&] { d.require(Part::Training, 7); }) ==
      "RuntimeError: the text is too short: its part for training has 7 of its 10 tokens, but a context of 7 "
      "and the target behind it need 8; take a longer text, a shorter context or a smaller share for "
      "validation");
  Generator g(1);
  CHECK(contains(error_of([&] { d.batch(Part::Validation, 4, 3, g); }), "its part for validation has 3 of"));
  CHECK(contains(error_of([] { dataset("", 0).require(Part::Training, 1); }), "has 0 of its 0 tokens"));
  CHECK(contains(error_of([&] { d.require(Part::Training, 0); }), "a context has at least one token"));
}

TEST_CASE("tokens of files are those in memory") {
  const ScratchFile file(generate_corpus(50) + "é\xff\r\n");
  const std::string text = read_text(file.path());
  for (const char* kind : {"byte", "char", "word", "bpe"}) {
    const auto tokenizer = make_tokenizer(kind, text, 300);
    const auto in_file = token_sequence_of_file(*tokenizer, file.path());
    REQUIRE(in_file->size() == token_sequence(*tokenizer, text)->size());
    const Ids all = read(*in_file, 0, size_t(in_file->size()));
    CHECK(tokenizer->decode(all) == text);
    CHECK(read(*in_file, 7, 5) == Ids(all.begin() + 7, all.begin() + 12));
    CHECK(largest_token(*in_file) == *std::max_element(all.begin(), all.end()));
  }
}

TEST_CASE("nanoGPT files") {
  const ScratchFile file(std::string_view("\x01\x00\x02\x01\xff\xff", 6));
  const auto tokens = token_sequence_of_bin(file.path(), 65536);
  CHECK(tokens->size() == 3);
  CHECK(read(*tokens, 0, 3) == Ids{1, 258, 65535});
  CHECK(largest_token(*tokens) == 65535);
  CHECK(error_about(file, [&] { read(*token_sequence_of_bin(file.path(), 50257), 1, 2); }) ==
        "RuntimeError: FILE: token 65535 at position 2 (byte 4) is outside the vocabulary of 50257");
  file.write_at(6, "x");
  CHECK(
      error_about(file, [&] { token_sequence_of_bin(file.path(), 10); }) ==
      "RuntimeError: FILE: has 7 bytes, an odd number, but each token takes 2; is the file cut off, or a text?");
}

TEST_CASE("files that cannot be read") {
  const auto bytes = byte_tokenizer(), words = word_tokenizer("a");
  const ScratchFile empty;
  for (const auto* tokenizer : {bytes.get(), words.get()}) {
    CHECK(error_about(empty, [&] { token_sequence_of_file(*tokenizer, empty.path()); }) ==
          "RuntimeError: FILE: is empty; there is nothing to learn from");
    CHECK(contains(error_of([&] { token_sequence_of_file(*tokenizer, "/nowhere"); }), "cannot be opened"));
    CHECK(contains(error_of([&] { token_sequence_of_file(*tokenizer, "/"); }), "is a directory"));
    CHECK(contains(error_of([&] { token_sequence_of_file(*tokenizer, "/dev/zero"); }), "not a regular file"));
  }
  CHECK(contains(error_of([&] { token_sequence_of_bin(empty.path(), 9); }), "is empty"));
}

TEST_CASE("a file that becomes shorter is an error not a crash") {
  const ScratchFile file("abcdefgh");
  const auto tokens = token_sequence_of_file(*byte_tokenizer(), file.path());
  REQUIRE(file.resize(5));
  CHECK(read(*tokens, 0, 5) == Ids{'a', 'b', 'c', 'd', 'e'});
  CHECK(error_about(file, [&] { read(*tokens, 4, 3); }) ==
        "RuntimeError: FILE: became shorter while it was read: had 8 bytes, now ends before byte 6");
}

TEST_CASE("files above four gigabytes are read at the right place") {
  const ScratchFile file;
  constexpr int64_t kSize = int64_t{5} << 30, kPlace = kSize - 9;
  if (!file.resize(kSize)) {
    MESSAGE("skipped: the file system of the temporary folder has no sparse files of 5 GiB");
    return;
  }
  file.write_at(kPlace, "glassgrad");
  file.write_at(kPlace - (int64_t{1} << 32), "WRONG PLACE");  // where a 32-bit offset would end up

  const auto bytes = byte_tokenizer();
  const auto tokens = token_sequence_of_file(*bytes, file.path());
  CHECK(tokens->size() == kSize);
  CHECK(bytes->decode(read(*tokens, kPlace, 9)) == "glassgrad");
  CHECK(read(*tokens, kPlace - 2, 3) == Ids{0, 0, 'g'});
  const auto pairs = token_sequence_of_bin(file.path(), 65536);
  CHECK(pairs->size() == kSize / 2);
  CHECK(read(*pairs, kSize / 2 - 1, 1) == Ids{'a' | 'd' << 8});
  CHECK(contains(error_of([&] { read(*token_sequence_of_bin(file.path(), 256), kSize / 2 - 1, 1); }),
                 "at position 2684354559 (byte 5368709118)"));

  Generator g(1);
  const Dataset d(token_sequence_of_file(*bytes, file.path()), 0.1);
  CHECK(d.batch(Part::Training, 4, 8, g).inputs.shape() == Dims{4, 8});
  const Batch end = d.batch_at(Part::Validation, Ids{d.size(Part::Validation) - 9}, 8);
  CHECK(bytes->decode(end.targets.to_vector<int64_t>()) == "lassgrad");
  CHECK(contains(
      error_about(file, [&] { token_sequence_of_file(*word_tokenizer("a"), file.path()); }),
      "FILE: has 5368709120 bytes; a text that is kept in memory has at most 268435456. Take the byte "
      "tokenizer"));
}
