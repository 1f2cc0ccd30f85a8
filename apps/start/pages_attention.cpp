// The two heads taken apart: dot product, softmax, weighted sum, mask.
#include <algorithm>
#include <cmath>

#include "apps/lesson/phrases.h"
#include "apps/start/pages.h"

namespace glassgrad::start {
namespace {

// The two words that the pages are about: the last word, and the word that the trained first head looks at
// most.
struct Pair {
  int64_t query, key;
  std::string asks, asked;
};
Pair pair_of(const Story& story) {
  const int64_t last = std::ssize(story.words()) - 1;
  const size_t most = learn::position_of_largest(story.after.heads[0].weights[last]);
  return {last, int64_t(most), story.words()[size_t(last)], story.words()[most]};
}
const HeadAtWork& first(const Story& story) { return story.after.heads[0]; }

// Returns the names of both heads, as the groups of a table.
std::vector<std::string> both(const Story& story, const char* more = "") {
  return {name_of(story.heads[0]) + more, name_of(story.heads[1]) + more};
}
bool is_looked_at(const Story& story, int64_t word) {
  return size_t(word) == story.looked_at[0] || size_t(word) == story.looked_at[1];
}

double root(const Story& story) { return std::sqrt(double(first(story).keys.size(1))); }

std::string range(const Tensor& row) {
  const std::vector<double> x = row.to_vector<double>();
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  return fmt::format("from {:.4f} to {:.4f}", *low, *high);
}

// Puts the second half of the lines beside the first half.
std::vector<std::string> in_two_columns(const std::vector<std::string>& lines) {
  const size_t half = (lines.size() + 1) / 2;
  std::vector<std::string> rows(lines.begin(), lines.begin() + std::ptrdiff_t(half));
  for (size_t i = half; i < lines.size(); ++i) rows[i - half] += "     " + lines[i];
  return rows;
}

// For listening: turns each run of spaces into one space.
std::string one_spaced(const std::string& line) {
  std::string text;
  for (const char c : line)
    if (c != ' ' || (!text.empty() && text.back() != ' ')) text += c;
  return text;
}

Page opened_score(const Story& story, const Pair& pair) {
  const HeadAtWork& head = first(story);
  Page page("dot-product", fmt::format("The trained score of {} and {}, opened", pair.asks, pair.asked));
  page.say("On the left the query of {}, on the right the key of {}:", quoted(pair.asks), quoted(pair.asked));
  std::vector<std::string> products;
  for (int64_t i = 0; i < head.keys.size(1); ++i) {
    const double q = head.queries[pair.query][i].item(), k = head.keys[pair.key][i].item();
    products.push_back(fmt::format("{:8.4f} x {:8.4f} = {:9.4f}", q, k, q * k));
  }
  const double score = head.scores[pair.query][pair.key].item();
  std::string spoken;
  for (const std::string& product : products) spoken += one_spaced(product) + ".\n";
  page.picture(in_two_columns(products), spoken);
  page.say("These {} products add up to {:.4f}: the score.", products.size(), score);
  return page;
}

// Opens the softmax of a row, with a line for each word: score, e^score, weight.
Page opened_weight(const Story& story, int64_t query, int64_t key, const char* id) {
  const HeadAtWork& head = first(story);
  const std::string &asks = story.words()[size_t(query)], &asked = story.words()[size_t(key)];
  Page page(id, fmt::format("The trained weight from {} to {}, opened", asks, asked));
  page.say("e to each score, then its share of the sum.{}",
           query + 1 < std::ssize(story.words()) ? " A score of -inf gives e^-inf = 0." : "");
  NumberTable table{{fmt::format("score/{:g}", root(story)), "e^score", "weight"}, {}};
  double sum = 0;
  for (int64_t k = 0; k < head.scaled.size(1); ++k) {
    const double score = head.scaled[query][k].item();
    sum += std::exp(score);
    table.rows.push_back({story.words()[size_t(k)],
                          {{std::isinf(score) ? "-inf" : fmt::format("{:.4f}", score)},
                           {fmt::format("{:.4f}", std::exp(score))},
                           share(head.weights[query][k].item())},
                          k == key});
  }
  page.table(table);
  page.say("The sum of e^score is {:.4f}, and {:.4f} / {:.4f} = {:.4f}.", sum,
           std::exp(head.scaled[query][key].item()), sum, head.weights[query][key].item());
  return page;
}

Page opened_context(const Story& story, const Pair& pair) {
  const HeadAtWork& head = first(story);
  Page page("weighted-sum", fmt::format("The first number that {} gets, trained, opened", pair.asks));
  page.say("Each word's weight, times the first number of its value:");
  std::vector<std::string> lines;
  for (int64_t k = 0; k < head.values.size(0); ++k) {
    const double weight = head.weights[pair.query][k].item(), value = head.values[k][0].item();
    lines.push_back(fmt::format("   {:<8} {:7.4f} x {:8.4f} = {:8.4f}", story.words()[size_t(k)], weight,
                                value, weight * value));
  }
  std::string spoken;
  for (const std::string& line : lines) spoken += one_spaced(line) + ".\n";
  page.picture(lines, spoken);
  page.say("The four products add up to {:.4f}.", head.context[pair.query][0].item());
  return page;
}

// Returns each word's weight and value, and the weighted sum, with as many of the numbers as fit.
NumberTable mix(const Story& story, size_t which, int64_t query) {
  constexpr int64_t kShown = 6;
  const HeadAtWork& head = story.after.heads[which];
  NumberTable table{{"weight"}, {}};
  const int64_t numbers = std::min(head.values.size(1), kShown);
  for (int64_t i = 0; i < numbers; ++i) table.columns.push_back(fmt::format("[{}]", i));
  const auto row = [&](const std::string& name, const std::string& weight, const Tensor& x, bool stands_out) {
    Row r{name, {{weight, {}, weight.empty() ? "1 in all" : ""}}, stands_out};
    for (int64_t i = 0; i < numbers; ++i) r.cells.push_back(number(x[i].item()));
    table.rows.push_back(r);
  };
  for (int64_t k = 0; k < head.values.size(0); ++k)
    row("value, " + story.words()[size_t(k)], fmt::format("{:.4f}", head.weights[query][k].item()),
        head.values[k], false);
  row(which == 0 ? "first sum" : "second sum", "", head.context[query], true);
  return table;
}

// Returns both heads' weights side by side, with a row for each word that looks.
NumberTable all_weights(const Story& story, Tensor HeadAtWork::*weights, bool hidden, const char* how) {
  NumberTable table;
  table.groups = both(story, how);
  for (const HeadAtWork& head : story.after.heads)
    for (int64_t k = 0; k < std::ssize(story.words()); ++k) {
      table.columns.push_back(story.words()[size_t(k)]);
      table.rows.resize(story.words().size());
      for (int64_t q = 0; q < std::ssize(story.words()); ++q) {
        const bool is_hidden = hidden && k > q;
        table.rows[size_t(q)].name = story.words()[size_t(q)];
        table.rows[size_t(q)].cells.push_back(
            {is_hidden ? "▒▒▒▒▒" : fmt::format("{:.3f}", (head.*weights)[q][k].item()),
             {},
             is_hidden ? "hidden" : ""});
      }
    }
  return table;
}

}  // namespace

Page dot_product_page(const Story& story) {
  Page page("dot-product", "Inside the heads: the dot product");
  const Pair pair = pair_of(story);
  const int64_t width = first(story).keys.size(1);
  page.say(
      "How does {} choose where to look? From each word a head makes a query (what it looks for) and a key "
      "(what it offers): {} numbers each. The score of two words is the dot product of one's query and the "
      "other's key: multiply the numbers pair by pair, then add up.",
      quoted(pair.asks), width);
  page.say("Scores of the query of {} with the key of:", quoted(pair.asks));
  NumberTable table{{"untrained", "trained", "untrained", "trained"}, {}, both(story)};
  for (int64_t k = 0; k < std::ssize(story.words()); ++k) {
    Row row{story.words()[size_t(k)], {}, is_looked_at(story, k)};
    for (size_t i = 0; i < story.heads.size(); ++i)
      for (const ModelResults* results : {&story.before, &story.after})
        row.cells.push_back(number(results->heads[i].scores[pair.query][k].item()));
    table.rows.push_back(row);
  }
  page.table(table);
  const auto largest = [&](size_t i) {
    return quoted(story.words()[learn::position_of_largest(story.after.heads[i].scores[pair.query])]);
  };
  page.say("In {} they go, trained, {}. The largest trained score belongs to {} there and to {} in {}.",
           name_of(story.heads[0]), range(first(story).scores[pair.query]), largest(0), largest(1),
           name_of(story.heads[1]));
  page.opens = fmt::format("the {} multiplications of {} and {}", width, pair.asks, pair.asked);
  page.opened.push_back(opened_score(story, pair));
  return page;
}

Page softmax_page(const Story& story) {
  Page page("softmax", "Inside the heads: softmax");
  const Pair pair = pair_of(story);
  page.say(
      "Scores can be anything, but weights should be positive and add to 1. First each score is divided by {:g}, "
      "the root of {}, so that long queries and keys do not make all scores huge. Then softmax: e to the "
      "score, divided by the sum of all four. Both heads, trained:",
      root(story), first(story).keys.size(1));
  const std::string scaled = fmt::format("score/{:g}", root(story));
  NumberTable table{{scaled, "weight", scaled, "weight"}, {}, both(story)};
  for (int64_t k = 0; k < std::ssize(story.words()); ++k) {
    Row row{story.words()[size_t(k)], {}, is_looked_at(story, k)};
    for (const HeadAtWork& head : story.after.heads) {
      row.cells.push_back(number(head.scaled[pair.query][k].item()));
      row.cells.push_back(share(head.weights[pair.query][k].item()));
    }
    table.rows.push_back(row);
  }
  page.table(table);
  const auto most = [&](const ModelResults& results) {
    return max(results.heads[0].weights[pair.query]).item();
  };
  page.say(
      "e^x grows fast: a score that is larger by 1 gets e = 2.72 times the weight. Untrained, the largest weight "
      "of {} was {:.4f}, where the same for all would be {:.4f}. Trained, it is {:.4f}.",
      name_of(story.heads[0]), most(story.before), 1 / double(story.words().size()), most(story.after));
  page.opens = fmt::format("the weight from {} to {}", pair.asks, pair.asked);
  page.opened.push_back(opened_weight(story, pair.query, pair.key, "softmax"));
  return page;
}

Page weighted_sum_page(const Story& story) {
  Page page("weighted-sum", "Inside the heads: the weighted sum");
  const Pair pair = pair_of(story);
  page.say(
      "Each word also has a value of {} numbers. {} gets their sum, each times its weight. The first six, in {}, then "
      "in {}:",
      first(story).values.size(1), quoted(pair.asks), name_of(story.heads[0]), name_of(story.heads[1]));
  for (size_t i = 0; i < story.heads.size(); ++i) page.table(mix(story, i, pair.query));
  const auto apart = [&](size_t i, int64_t word) {
    const HeadAtWork& head = story.after.heads[i];
    return max(abs(head.context[pair.query] - head.values[word])).item();
  };
  const std::string& other = story.words()[story.looked_at[1]];
  page.say("Over all {} numbers they are within {:.4f} of {}, {:.4f} of {}.", first(story).values.size(1),
           apart(0, pair.key), quoted(pair.asked), apart(1, int64_t(story.looked_at[1])), quoted(other));
  page.opens = "the first number of the first sum";
  page.opened.push_back(opened_context(story, pair));
  return page;
}

Page mask_page(const Story& story) {
  Page page("mask", "Inside the heads: the mask");
  page.say(
      "In training every word of a sentence has to guess the next one, so no word may see what comes later. The "
      "mask puts -inf in place of those scores, before softmax. Weights from each word (a row) to each word "
      "(a column):");
  page.table(all_weights(story, &HeadAtWork::unmasked, false, ", all"));
  page.table(all_weights(story, &HeadAtWork::weights, true, ", masked"));
  page.opens = fmt::format("the weight from {} to {}", story.words()[1], story.words()[0]);
  page.opened.push_back(opened_weight(story, 1, 0, "mask"));
  return page;
}

}  // namespace glassgrad::start
