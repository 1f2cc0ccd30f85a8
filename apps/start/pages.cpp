#include "apps/start/pages.h"
#include "engine/core/joined.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "apps/lesson/phrases.h"
#include "apps/show/curve.h"

namespace glassgrad::start {
namespace {

Page guess_page(const Story& story) {
  Page page("guess", "Guess the next word");
  page.say(
      "A model that writes text does one thing again and again: it reads some words and guesses the next "
      "one. Try it yourself. One word is missing here:");
  page.picture({fmt::format("    {} ___", kSentence)}, fmt::format("{}, and what?", kSentence));
  page.say(
      "Which word is it? The sentence is made up, and the word follows a rule that nobody has told you. So "
      "press a number and guess. A model will get the same task, and you will watch how it finds out.");
  for (const std::string& event : story.events()) page.choices.push_back({event});
  return page;
}

Page untrained_page(const Story& story) {
  Page page("untrained", "A small GPT that has learned nothing yet");
  const ModelResults& now = story.before;
  const int64_t tokens = story.tokenizer().size();
  page.say(
      "This GPT is {} numbers, all drawn at random. It knows {} tokens, words and (for all other text) bytes, and goes "
      "on with our sentence like this:",
      story.settings().model.parameters(), tokens);
  page.picture({"    " + now.writes}, now.writes);
  page.say(
      "Its loss is {:.2f}. Loss is the mean of -ln p, where p is the probability that the model gave to "
      "the token that really came next. With the same 1/{} for every token it would be ln {} = {:.2f}.",
      now.loss, tokens, tokens, story.loss_of_nothing());
  page.say("What it gives to six words as the next one:");
  page.table(next_words(story, {"probability"}, {&now.probabilities}));
  return page;
}

Page training_page(const Story& story) {
  Page page("training", story.is_trained() ? "Trained" : "Watch it train");
  page.say(
      "Each step shows it 512 tokens of sentences like ours and changes every number a little, so that the "
      "right next tokens become more likely. The curve is the loss of each step.");
  page.picture(curve(story.losses(), {.columns = 76,
                                      .lines = story.is_finished() ? 8u : 11u,
                                      .total = size_t(std::max<int64_t>(story.steps(), 1))}),
               curve_spoken(story.losses()));
  if (!story.is_finished()) return page;
  const ModelResults &before = story.before, &after = story.after;
  page.say("After {} steps it writes: {}", story.done(), after.writes);
  page.say(
      "On such sentences the loss was {:.2f} and is {:.2f}; {:.2f} is the best possible, as some words are random. "
      "{} sentences were kept out of the training, as all with \"{} {}\". It had {} of their last words right, and has {} "
      "now.",
      before.loss, after.loss, train::loss_nobody_can_lose(), before.last.all, story.words()[0],
      story.words()[1], before.last.right, after.last.right);
  return page;
}

Page head_page(const Story& story) {
  Page page("head", "Two heads that look back");
  const auto& model = story.settings().model;
  page.say(
      "A GPT looks back through attention heads: here {} layers of {}. With each one switched off in turn, the "
      "probability of {} changes by:",
      model.layers, model.heads, quoted(story.answer));
  const auto& [first, second] = story.heads;
  NumberTable changes;
  for (int64_t h = 0; h < model.heads; ++h) changes.columns.push_back(fmt::format("head {}", h));
  for (int64_t l = 0; l < model.layers; ++l) {
    Row row{fmt::format("layer {}", l), {}, l == first.layer};
    for (int64_t h = 0; h < model.heads; ++h)
      row.cells.push_back({fmt::format("{:+.4f}", story.change[l][h].item())});
    changes.rows.push_back(row);
  }
  page.table(changes);
  const bool costs = story.change[first.layer][first.head].item() < 0;
  const std::string& other = story.words()[story.looked_at[1]];
  const int64_t last = std::ssize(story.words()) - 1;
  const auto most = [&](size_t i) { return learn::position_of_largest(story.after.heads[i].weights[last]); };
  page.say("{} {}; {} looks most at {}. How much the last word looks at each word, 1 in all:",
           costs ? "It falls most without" : "It does not fall without any, and rises least without",
           name_of(first), name_of(second), quoted(story.words()[most(1)]));
  NumberTable looks{{"untrained", "trained", "untrained", "trained"}, {}, {name_of(first), name_of(second)}};
  for (int64_t k = last; k >= 0; --k) {  // from the last word, which looks, to the first
    Row row{story.words()[size_t(k)], {}, size_t(k) == story.looked_at[0] || size_t(k) == story.looked_at[1]};
    for (size_t i = 0; i < story.heads.size(); ++i)
      for (const ModelResults* results : {&story.before, &story.after})
        row.cells.push_back(number(results->heads[i].weights[last][k].item()));
    looks.rows.push_back(row);
  }
  page.table(looks);
  page.say("Trained, the first gives {} {:.4f}, the second {} {:.4f}.", quoted(story.words()[most(0)]),
           story.after.heads[0].weights[last][int64_t(most(0))].item(), quoted(other),
           story.after.heads[1].weights[last][int64_t(story.looked_at[1])].item());
  return page;
}

// P(answer) = e^logit / Σ e^logit.
Page opened_probability(const Story& story) {
  Page page("without-head", fmt::format("The probability of {}, opened", quoted(story.answer)));
  const std::vector<double> logits = story.after.logits.to_vector<double>();
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit);
  const double mine = logits[size_t(story.answer_id)];
  page.say(
      "The trained model ends with a score for each of {} tokens. Softmax makes probabilities of them: e to "
      "the score, divided by the sum over all tokens.",
      logits.size());
  page.picture(
      {fmt::format("   score of {}      {:>12.4f}", story.answer, mine),
       fmt::format("   e to that score {:>{}.4f}", std::exp(mine), 9 + story.answer.size()),
       fmt::format("   sum of all {:<4}{:>{}.4f}", logits.size(), sum, 10 + story.answer.size()), "",
       fmt::format("   {:.4f} / {:.4f} = {:.4f}", std::exp(mine), sum,
                   story.after.probabilities[story.answer_id].item())},
      fmt::format("The score of {} is {:.4f}, e to that is {:.4f}, the sum is {:.4f}, and the quotient "
                  "is {:.4f}.",
                  story.answer, mine, std::exp(mine), sum,
                  story.after.probabilities[story.answer_id].item()));
  return page;
}

bool goes_with(const Story& story, const std::string& event, const std::string& word) {
  const std::vector<std::string> events = story.events_with(word);
  return std::find(events.begin(), events.end(), event) != events.end();
}

Page without_head_page(const Story& story) {
  Page page("without-head", "Switch them off");
  const auto p = [&](const Tensor& probabilities) { return probabilities[story.answer_id].item(); };
  const double with = p(story.after.probabilities), without = p(story.without);
  const std::string &one = story.words()[story.looked_at[0]], &other = story.words()[story.looked_at[1]];
  page.say(
      "A head writes {} numbers for each word; zeros in their place switch it off. The next word without {}, without "
      "all heads that give {} more than half, and without all that give {} so much:",
      story.settings().model.width / story.settings().model.heads, name_of(story.heads[0]), quoted(one),
      quoted(other));
  page.table(
      next_words(story, {"all heads", "one less", "none on " + one, "none on " + other},
                 {&story.after.probabilities, &story.without, &story.without_on[0], &story.without_on[1]}));
  const auto on = [&](size_t i) { return story.heads_on(story.looked_at[i]).size(); };
  std::string told = fmt::format(
      "The probability of {} {} from {:.4f} to {:.4f} without one. {} of the heads are on {}, {} on {}: without these it "
      "is {:.4f}, and {:.4f}.",
      quoted(story.answer), without < with ? "falls" : "goes", with, without, on(0), quoted(one), on(1),
      quoted(other), p(story.without_on[0]), p(story.without_on[1]));
  const std::string said = story.word_of(int64_t(learn::position_of_largest(story.without_on[0])));
  if (goes_with(story, said, other) && !goes_with(story, said, one))
    told += fmt::format(" Without those on {}, {} is likeliest: it ends sentences with {}, none with {}.",
                        quoted(one), quoted(said), quoted(other), quoted(one));
  page.say_text(told + " How does a head compute? Four screens show it.");
  page.opens = fmt::format("the probability of {}", story.answer);
  page.opened.push_back(opened_probability(story));
  return page;
}

Page your_guess_page(const Story& story, const std::optional<std::string>& guess) {
  Page page("your-guess", "Your guess and the model's");
  if (guess)
    page.say("You guessed {}. The trained model says {}, with a probability of {:.4f}.", quoted(*guess),
             quoted(story.answer), story.after.probabilities[story.answer_id].item());
  else
    page.say("You made no guess this time. The trained model says {}, with a probability of {:.4f}.",
             quoted(story.answer), story.after.probabilities[story.answer_id].item());
  page.table(
      next_words(story, {"untrained", "trained"}, {&story.before.probabilities, &story.after.probabilities}));
  const std::string &subject = story.words()[0], &verb = story.words()[1];
  const std::vector<std::string> a = story.events_with(subject), b = story.events_with(verb);
  std::vector<std::string> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  const std::string fits = both.front();
  page.say(
      "None of the {} sentences made for it begins with \"{} {}\". Those with {} end with {}, those with {} "
      "with {}. Only {} fits both.",
      kCorpusSentences, subject, verb, quoted(subject), joined(a, " or "), quoted(verb), joined(b, " or "),
      quoted(fits));
  if (fits == story.answer)
    page.say(
        "You had one sentence and no examples, so your guess was one in six. The model began like that, too: all "
        "that it knows it took from examples, a little at each step.");
  else
    page.say("The model has not learned that: it was trained too little.");
  return page;
}

Page learned_page(const Story& story) {
  Page page("learned", "What it learned, and how");
  page.say("In these sentences the last word follows from subject and verb together. Ask the trained model:");
  NumberTable table{{"last word", "probability"}, {}};
  for (const NextWord& next : story.other_beginnings)
    table.rows.push_back({next.beginning, {{next.word}, share(next.probability)}});
  page.table(table);
  page.say("To fetch what stands further back, the last word needs attention:");
  page.picture(
      {"dot product   how well does what I look for match what you offer?",
       "softmax       scores become weights that add to 1",
       "weighted sum  I take from each word as much as its weight says",
       "mask          nobody looks at words that come later",
       "training      loss falls, step by step, until the numbers do this"},
      "Dot product: how well does what I look for match what you offer? Softmax: scores become weights "
      "that add to 1. Weighted sum: I take from each word as much as its weight says. Mask: nobody "
      "looks at words that come later. Training: the loss falls, step by step, until the numbers do this.");
  return page;
}

Page onward_page(const Story& story, const std::vector<Choice>& onward) {
  Page page("onward", "Where to go next");
  const auto& model = story.settings().model;
  page.say(
      "You trained a whole GPT and opened two of its {} heads. Around the heads it has what the large ones have: "
      "positions, norms, shortcuts, feed-forward layers. Press a number to go on:",
      model.layers * model.heads);
  page.choices = onward;
  return page;
}

}  // namespace

std::string quoted(const std::string& word) { return fmt::format("\"{}\"", word); }
std::string name_of(inspect::Head head) { return fmt::format("head {} of layer {}", head.head, head.layer); }

NumberTable next_words(const Story& story, std::vector<std::string> columns,
                       const std::vector<const Tensor*>& probabilities) {
  constexpr size_t kMostBars = 2;  // of columns; with more columns there are no bars
  const auto cell = [&](double x) { return probabilities.size() > kMostBars ? number(x) : share(x); };
  NumberTable table{std::move(columns), {}};
  for (const std::string& event : story.events()) {
    Row row{event, {}, event == story.answer};
    for (const Tensor* p : probabilities) row.cells.push_back(cell(story.probability(*p, event)));
    table.rows.push_back(row);
  }
  const auto& events = story.events();
  if (!story.answer.empty() && std::find(events.begin(), events.end(), story.answer) == events.end()) {
    Row row{story.answer, {}, true};
    for (const Tensor* p : probabilities) row.cells.push_back(cell((*p)[story.answer_id].item()));
    table.rows.push_back(row);
  }
  return table;
}

Page make_page(size_t place, const Story& story, const Learner& learner) {
  switch (place) {
    case 0:
      return guess_page(story);
    case 1:
      return untrained_page(story);
    case kTraining:
      return training_page(story);
    case 3:
      return head_page(story);
    case 4:
      return without_head_page(story);
    case 5:
      return dot_product_page(story);
    case 6:
      return softmax_page(story);
    case 7:
      return weighted_sum_page(story);
    case 8:
      return mask_page(story);
    case 9:
      return your_guess_page(story, learner.guess);
    case 10:
      return learned_page(story);
    default:
      return onward_page(story, learner.onward);
  }
}

}  // namespace glassgrad::start
