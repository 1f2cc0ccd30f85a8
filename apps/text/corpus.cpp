#include "corpus.h"

#include <array>
#include <cmath>
#include <string_view>

#include "engine/core/error.h"
#include "engine/random.h"
#include "text_file.h"

namespace glassgrad {
namespace {

struct Verb {
  std::string_view name;
  std::array<std::string_view, 3> objects;
};
constexpr std::array<std::string_view, 6> kSubjects{"cats", "monkeys", "dogs", "foxes", "birds", "bears"};
constexpr std::array<Verb, 6> kVerbs{{{"climb", {"trees", "hills", "walls"}},
                                      {"chase", {"mice", "leaves", "shadows"}},
                                      {"cross", {"roads", "fields", "bridges"}},
                                      {"guard", {"nests", "caves", "doors"}},
                                      {"watch", {"clouds", "rivers", "stars"}},
                                      {"smell", {"flowers", "honey", "smoke"}}}};
// Indexed by subject / 2 and verb / 3.
constexpr std::string_view kEvents[3][2] = {
    {"storms", "floods"}, {"holidays", "sunsets"}, {"winters", "harvests"}};
// The verb that each subject never has in the text.
constexpr size_t kHeldOut[] = {0, 3, 1, 4, 2, 5};

std::string sentence(size_t subject, size_t verb, size_t object) {
  return fmt::format("{} {} {} during {}\n", kSubjects[subject], kVerbs[verb].name,
                     kVerbs[verb].objects[object], kEvents[subject / 2][verb / 3]);
}

}  // namespace

std::string generate_corpus(int64_t sentences, uint64_t seed) {
  constexpr int64_t kLongest = 64;  // bytes of a sentence, an upper bound
  constexpr auto kMost = static_cast<int64_t>(kMaxText) / kLongest;
  check<ValueError>(sentences >= 0 && sentences <= kMost, "a corpus has 0 to {} sentences, not {}", kMost,
                    sentences);
  Generator g(seed);
  std::string text;
  for (int64_t i = 0; i < sentences;) {
    const size_t subject = g.r32() % kSubjects.size(), verb = g.r32() % kVerbs.size();
    const size_t object = g.r32() % kVerbs[verb].objects.size();
    if (kHeldOut[subject] == verb) continue;
    text += sentence(subject, verb, object);
    ++i;
  }
  return text;
}

std::string held_out_sentences() {
  std::string text;
  for (size_t subject = 0; subject < kSubjects.size(); ++subject)
    for (size_t object = 0; object < kVerbs[0].objects.size(); ++object)
      text += sentence(subject, kHeldOut[subject], object);
  return text;
}

double corpus_nats_per_sentence() {
  return std::log(double(kSubjects.size() * (kVerbs.size() - 1) * kVerbs[0].objects.size()));
}

}  // namespace glassgrad
