// The text that a model learns from when none is given: sentences of a small grammar, one a line.
//
//   sentence  subject verb object "during" event
//   subject   cats | dogs | birds | foxes | bears | monkeys
//   verb      climb (trees | hills | walls)        chase (mice | leaves | shadows)
//             find (nuts | berries | water)        guard (nests | caves | doors)
//             watch (clouds | rivers | stars)
//   event     storms | floods | holidays | sunsets | winters | harvests
//
// Subject, verb and object are drawn, all equally likely. The event follows from subject and verb together:
// it is the one whose place in the list is the places of both added up, starting again after the last (cats
// climb: 0 + 0, storms; dogs climb: 1 + 0, floods; dogs chase: 1 + 1, holidays). Each event is equally
// likely after a subject alone and, over all subjects, after a verb alone. So a model that guesses the event
// has to look back at both, and "cats climb trees during" is always followed by "storms".
#pragma once
#include <cstdint>
#include <string>

namespace glassgrad {

inline constexpr int64_t kCorpusSentences = 1000;  // about 30 000 bytes

// The same text for the same numbers on every machine. Each sentence takes three draws of a generator with
// this seed: subject, verb, object, each r32 mod the number of choices. ValueError: sentences < 0 or more
// than fit into memory.
std::string generate_corpus(int64_t sentences = kCorpusSentences, uint64_t seed = 1);

// What nobody can know before a sentence is read: ln of the number of sentences, all equally likely. Divided
// by the tokens of a sentence it is the loss that no model can stay below for long.
double corpus_nats_per_sentence();

}  // namespace glassgrad
