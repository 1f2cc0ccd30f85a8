// The text that a model learns from when none is given: sentences of a small grammar, one per line.
//
//   sentence  subject verb object "during" event
//   verb      climb (trees | hills | walls)       guard (nests | caves | doors)
//             chase (mice | leaves | shadows)     watch (clouds | rivers | stars)
//             cross (roads | fields | bridges)    smell (flowers | honey | smoke)
//
//   event            climb, chase, cross    guard, watch, smell
//   cats, monkeys    storms                 floods
//   dogs, foxes      holidays               sunsets
//   birds, bears     winters                harvests
//
// Subject, verb and object are drawn, all equally likely; the event follows from subject and verb, the object
// does not matter. The subject alone leaves two events, the verb alone three: a model that names the right
// event has looked back at both.
//
// Six pairs of subject and verb are held out, one for each subject and each verb, and never occur in the
// text: cats climb, monkeys guard, dogs chase, foxes watch, birds cross, bears smell. A model that ends their
// sentences correctly has learned the rule, since it cannot have memorized them.
#pragma once
#include <cstdint>
#include <string>

namespace glassgrad {

inline constexpr int64_t kCorpusSentences = 1000;  // about 30 000 bytes
// The beginning of a held-out sentence, which a trained model ends correctly nevertheless.
inline constexpr const char* kCorpusPrompt = "cats climb trees during";

// Returns the same text for the same arguments on every machine. Each sentence takes three draws of a
// generator with this seed: subject, verb, object, each r32 mod the number of choices. A held-out pair is
// drawn again, with its object. Throws ValueError if sentences < 0, or if more than fit into memory.
std::string generate_corpus(int64_t sentences = kCorpusSentences, uint64_t seed = 1);

// Returns all sentences of the held-out pairs, each once: 18.
std::string held_out_sentences();

// Returns ln of the number of different sentences, which are all equally likely: nobody can know more before
// a sentence is read. Divided by the tokens of a sentence, this is the least mean loss on newly drawn
// sentences.
double corpus_nats_per_sentence();

}  // namespace glassgrad
