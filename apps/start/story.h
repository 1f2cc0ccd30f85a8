// The content of the first ten minutes: a small GPT before and after a training that runs now, and two of its
// heads at work on a sentence. Every number is computed here, the same for the same number of steps.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/lesson/recording.h"
#include "apps/model/model_run.h"
#include "apps/text/corpus.h"
#include "apps/train/trainer.h"

namespace glassgrad::start {

inline constexpr const char* kSentence = kCorpusPrompt;
inline constexpr int64_t kSteps = 400;

// A head at work on the sentence. Rows and columns are the sentence's words, d the width of a head.
struct HeadAtWork {
  Tensor queries, keys, values;  // (T, d)
  Tensor scores;                 // (T, T): queries times keys, before anything is hidden
  Tensor scaled;                 // divided by √d, later words hidden behind -inf
  Tensor weights;                // softmax of scaled
  Tensor unmasked;               // softmax if nothing were hidden
  Tensor context;                // (T, d): weights times values
};

// A model's results on the text.
struct ModelResults {
  double loss = 0;  // on the part for validation
  train::LastWordAccuracy last;
  std::string writes;               // its greedy continuation of the sentence, to the line's end
  Tensor logits;                    // (V), after the sentence's last word
  Tensor probabilities;             // (V)
  std::array<HeadAtWork, 2> heads;  // Story::heads at work; known when the training is over
};

// A sentence's beginning, and the trained model's next word.
struct NextWord {
  std::string beginning, word;
  double probability = 0;
};

class Story {
 public:
  // Makes an untrained model. Throws Error if there is not enough memory.
  explicit Story(int64_t steps = kSteps);

  int64_t steps() const { return settings_.steps; }
  const train::Settings& settings() const { return settings_; }
  const Tokenizer& tokenizer() const { return *corpus_->tokenizer; }
  double loss_of_nothing() const { return train::loss_of_knowing_nothing(*corpus_); }
  const std::vector<std::string>& words() const { return words_; }    // of the sentence
  const std::vector<std::string>& events() const { return events_; }  // the corpus' last words, by letters
  // Returns the last words of the generated sentences with this word, by letters.
  std::vector<std::string> events_with(const std::string& word) const;

  // Makes one step of training; does nothing if all steps are made or the training was ended early.
  void step();
  int64_t done() const { return std::ssize(losses_); }
  const std::vector<double>& losses() const { return losses_; }  // of the steps so far
  std::string writes_now() const;
  void end_early() { settings_.steps = done(); }
  // Saves the present model, like `train`. Throws Error if the system refuses.
  void save(const std::string& path) const { train::save_checkpoint(path, trainer_->checkpoint({})); }
  bool is_trained() const { return done() >= settings_.steps; }

  // Compares both models. To be called once, when the training is over.
  void finish();
  bool is_finished() const { return finished_; }

  ModelResults before, after;  // finish() sets `after` and all members below
  // looked_at[0]: of the subject and the verb, the one that the first head looks at most, or else the
  // subject; looked_at[1]: the other one. heads[0]: the head whose absence lowers the probability of `answer`
  // most. heads[1]: of the other heads that look most at looked_at[1], the one whose absence lowers it most;
  // if there is none, the head that gives that word most.
  std::array<inspect::Head, 2> heads;
  std::array<size_t, 2> looked_at;
  Tensor change;                     // (layers, heads): of the probability of `answer`, without each head
  Tensor looks;                      // (layers, heads, T): the weights from the sentence's last word, trained
  Tensor without;                    // (V): the probabilities without the first head
  std::array<Tensor, 2> without_on;  // (V): without all heads that give looked_at[i] more than half
  std::string answer;                // the likeliest word after the sentence, in the trained model
  int64_t answer_id = 0;
  std::vector<NextWord> other_beginnings;

  // Returns the probability of a word that may follow, from probabilities (V).
  double probability(const Tensor& probabilities, const std::string& word) const;
  // Returns the heads of the trained model that give this word more than half of the last word's weight.
  std::vector<inspect::Head> heads_on(size_t word) const;
  // Returns a token as a word of a sentence: without the space before it.
  std::string word_of(int64_t token) const;

 private:
  std::unique_ptr<nn::GPT> model_now() const;
  ModelResults results_of(const nn::GPT& model, learn::Recording& recording) const;
  std::string writes(int64_t tokens) const;
  HeadAtWork at_work(const learn::Recording& recording, inspect::Head head) const;
  Tensor probabilities_without(std::span<const inspect::Head> heads) const;
  void choose_heads();
  NextWord next_word_after(const nn::GPT& model, const std::string& beginning) const;

  train::Settings settings_;
  std::unique_ptr<train::Corpus> corpus_;
  std::unique_ptr<train::Trainer> trainer_;
  std::vector<int64_t> sentence_;
  std::vector<std::string> words_, events_;
  std::vector<double> losses_;
  learn::Recording untrained_;
  bool finished_ = false;
};

}  // namespace glassgrad::start
