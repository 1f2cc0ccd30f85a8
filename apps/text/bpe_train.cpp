// Training: pieces that occur more than once are stored once, with their count. Each merge visits only the
// places of its pair.
#include <algorithm>
#include <queue>
#include <unordered_set>

#include "bpe.h"
#include "byte_alphabet.h"
#include "engine/core/error.h"
#include "split.h"

namespace glassgrad {
namespace {

constexpr int64_t kBytes = 256;

int32_t left_of(uint64_t key) { return static_cast<int32_t>(key >> 32); }
int32_t right_of(uint64_t key) { return static_cast<int32_t>(key & 0xffffffff); }

struct Pair {
  int64_t count = 0;            // occurrences in the text
  std::vector<int32_t> places;  // where it is, or once was
};

// The best pair is the most frequent; of equally frequent pairs, the one with the lowest key.
struct Ranked {
  int64_t count;
  uint64_t key;
  bool operator<(const Ranked& other) const {
    return count != other.count ? count < other.count : key > other.key;
  }
};

class Trainer {
 public:
  Trainer(std::string_view text, int64_t vocabulary);
  std::vector<std::string> tokens;
  std::vector<Merge> merges;

 private:
  void read(std::string_view text);
  // Adds `sign` times the piece's count to the pair of a place and its right neighbour, if there is one.
  void count(int32_t place, int sign);
  // Ranks the pairs whose counts have grown in count().
  void rank_grown();
  // Returns the most frequent pair that spells a new token, if it occurs twice.
  std::optional<uint64_t> best();
  std::string spelled(uint64_t key) const {
    return tokens[size_t(left_of(key))] + tokens[size_t(right_of(key))];
  }
  void merge(uint64_t key);

  Chain chain_;
  std::vector<int64_t> times_;  // per place: how often its piece occurs
  std::unordered_map<uint64_t, Pair> pairs_;
  std::vector<uint64_t> grown_;
  std::priority_queue<Ranked> ranked_;         // some counts are out of date
  std::unordered_set<std::string> spellings_;  // of all tokens
};

Trainer::Trainer(std::string_view text, int64_t vocabulary) {
  for (int64_t byte = 0; byte < kBytes; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
  read(text);
  for (int32_t i = 0; i < chain_.size(); ++i) count(i, 1);
  while (std::ssize(tokens) < vocabulary) {
    rank_grown();
    const auto key = best();
    if (!key) break;
    merge(*key);
  }
}

void Trainer::read(std::string_view text) {
  std::unordered_map<std::string_view, int64_t> pieces;
  for (size_t at = 0, end; at < text.size(); at = end) {
    end = word_end(text, at);
    ++pieces[text.substr(at, end - at)];
  }
  for (const auto& [piece, times] : pieces)
    for (size_t i = 0; i < piece.size(); ++i) {
      chain_.append(static_cast<unsigned char>(piece[i]), i == 0);
      times_.push_back(times);
    }
}

void Trainer::count(int32_t place, int sign) {
  const int32_t right = place == Chain::kNone ? Chain::kNone : chain_.next[size_t(place)];
  if (right == Chain::kNone) return;
  const uint64_t key = pair_key(chain_.id[size_t(place)], chain_.id[size_t(right)]);
  Pair& pair = pairs_[key];
  pair.count += sign * times_[size_t(place)];
  if (sign < 0) return;
  pair.places.push_back(place);
  grown_.push_back(key);
}

void Trainer::rank_grown() {
  std::sort(grown_.begin(), grown_.end());
  grown_.erase(std::unique(grown_.begin(), grown_.end()), grown_.end());
  for (const uint64_t key : grown_) ranked_.push({pairs_[key].count, key});
  grown_.clear();
}

std::optional<uint64_t> Trainer::best() {
  while (!ranked_.empty()) {
    const Ranked top = ranked_.top();
    ranked_.pop();
    const int64_t now = pairs_[top.key].count;
    if (now < 2 || now > top.count || spellings_.count(spelled(top.key)) > 0) continue;
    if (now == top.count) return top.key;
    ranked_.push({now, top.key});
  }
  return {};
}

void Trainer::merge(uint64_t key) {
  const Merge merge{left_of(key), right_of(key), static_cast<int32_t>(tokens.size())};
  merges.push_back(merge);
  tokens.push_back(spelled(key));
  spellings_.insert(tokens.back());
  std::vector<int32_t> places = std::move(pairs_[key].places);
  std::sort(places.begin(), places.end());
  for (const int32_t i : places) {
    if (!chain_.fits(i, merge)) continue;
    const int32_t before = chain_.previous[size_t(i)];
    count(before, -1);
    count(i, -1);
    count(chain_.next[size_t(i)], -1);
    chain_.apply(i, merge.result);
    count(before, 1);
    count(i, 1);
  }
}

}  // namespace

std::unique_ptr<Tokenizer> bpe_tokenizer(std::string_view text, int64_t vocabulary) {
  check<ValueError>(vocabulary >= kBytes, "a vocabulary of {} cannot hold the {} bytes that bpe starts from",
                    vocabulary, kBytes);
  check<ValueError>(text.size() < size_t{1} << 31, "a text of {} bytes is too long for bpe to train on",
                    text.size());
  Trainer trainer(text, vocabulary);
  auto bpe = std::make_unique<BpeTokenizer>(trainer.tokens, "vocabulary");
  const auto name = [&](int32_t id) { return to_byte_alphabet(trainer.tokens[size_t(id)]); };
  for (const Merge& merge : trainer.merges)
    bpe->add_merge(name(merge.left) + " " + name(merge.right), "merge");
  return bpe;
}

}  // namespace glassgrad
