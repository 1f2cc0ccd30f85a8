#include "bpe.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <queue>

#include "byte_alphabet.h"
#include "engine/core/error.h"
#include "split.h"
#include "visible.h"

namespace glassgrad {
namespace {

// A merge that may fit at a place. The lowest rank goes first; of equal ranks, the leftmost place.
struct Candidate {
  int32_t rank, place;
  auto operator<=>(const Candidate&) const = default;
};
using Candidates = std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>>;

}  // namespace

void Chain::append(int32_t token, bool new_piece) {
  const int32_t place = size();
  const int32_t before = new_piece ? kNone : place - 1;
  id.push_back(token);
  next.push_back(kNone);
  previous.push_back(before);
  if (before != kNone) next[size_t(before)] = place;
}

bool Chain::fits(int32_t i, const Merge& merge) const {
  if (id[size_t(i)] != merge.left) return false;
  const int32_t right = next[size_t(i)];
  return right != kNone && id[size_t(right)] == merge.right;
}

void Chain::apply(int32_t i, int32_t result) {
  const int32_t right = next[size_t(i)], after = next[size_t(right)];
  id[size_t(i)] = result;
  id[size_t(right)] = kNone;
  next[size_t(i)] = after;
  if (after != kNone) previous[size_t(after)] = i;
}

void BpeTokenizer::add_merge(std::string_view pair, std::string_view where) {
  const size_t space = pair.find(' ');
  const bool two =
      space != pair.npos && space > 0 && space + 1 < pair.size() && pair.find(' ', space + 1) == pair.npos;
  check<ValueError>(two, "{}: a merge is two tokens with one space between, not '{}'", where,
                    visible(pair.substr(0, 80)));
  const std::string left = from_byte_alphabet(pair.substr(0, space), where),
                    right = from_byte_alphabet(pair.substr(space + 1), where);
  const auto known = [&](const std::string& token) {
    const int64_t id = id_of(token);
    check<ValueError>(id >= 0, "{}: the token '{}' is not in the vocabulary", where, visible(token));
    return static_cast<int32_t>(id);
  };
  const Merge merge{known(left), known(right), known(left + right)};
  const auto [same, added] = ranks_.emplace(pair_key(merge.left, merge.right), int32_t(merges_.size()));
  check<ValueError>(added, "{}: '{}' and '{}' are merged twice, first by merge {}", where, visible(left),
                    visible(right), same->second + 1);
  merges_.push_back(merge);
}

void BpeTokenizer::encode_piece(std::string_view piece, std::vector<int64_t>& ids) const {
  Chain chain;
  for (size_t i = 0; i < piece.size(); ++i) chain.append(static_cast<int32_t>(id_of_byte(piece[i])), i == 0);

  std::vector<Candidate> found;
  const auto look_at = [&](int32_t place) {
    const int32_t right = place == Chain::kNone ? Chain::kNone : chain.next[size_t(place)];
    if (right == Chain::kNone) return;
    const auto rank = ranks_.find(pair_key(chain.id[size_t(place)], chain.id[size_t(right)]));
    if (rank != ranks_.end()) found.push_back({rank->second, place});
  };
  for (int32_t i = 0; i + 1 < chain.size(); ++i) look_at(i);
  for (Candidates open(std::greater<>(), std::move(found)); !open.empty();) {
    // Merge all places of one rank before any new pair: even a pair of lower rank waits until they are
    // merged.
    found.clear();
    for (const int32_t rank = open.top().rank; !open.empty() && open.top().rank == rank; open.pop()) {
      const int32_t place = open.top().place;
      const Merge& merge = merges_[size_t(rank)];
      if (!chain.fits(place, merge)) continue;
      chain.apply(place, merge.result);
      look_at(chain.previous[size_t(place)]);
      look_at(place);
    }
    for (const Candidate& candidate : found) open.push(candidate);
  }
  for (const int32_t id : chain.id)
    if (id != Chain::kNone) ids.push_back(id);
}

std::vector<int64_t> BpeTokenizer::encode(std::string_view text) const {
  check<ValueError>(text.size() < size_t(std::numeric_limits<int32_t>::max()),
                    "a text of {} bytes is too long to be encoded at once; give less than 2 GiB",
                    text.size());
  struct IdRange {
    size_t begin, end;
  };
  std::unordered_map<std::string_view, IdRange> seen;  // the place in ids of a piece that is encoded already
  std::vector<int64_t> ids;
  for (size_t at = 0, end; at < text.size(); at = end) {
    end = word_end(text, at);
    const auto [place, is_new] = seen.try_emplace(text.substr(at, end - at));
    if (is_new) {
      const size_t begin = ids.size();
      encode_piece(place->first, ids);
      place->second = {begin, ids.size()};
    } else {
      for (size_t i = place->second.begin; i < place->second.end; ++i) ids.push_back(int64_t{ids[i]});
    }
  }
  return ids;
}

void BpeTokenizer::describe(nlohmann::json& description) const {
  std::vector<std::string> tokens, merges;
  for (int64_t id = 0; id < size(); ++id) tokens.push_back(to_byte_alphabet(token(id)));
  for (const Merge& merge : merges_)
    merges.push_back(tokens[size_t(merge.left)] + " " + tokens[size_t(merge.right)]);
  description["tokens"] = std::move(tokens);
  description["merges"] = std::move(merges);
}

}  // namespace glassgrad
