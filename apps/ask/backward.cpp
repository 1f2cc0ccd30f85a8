#include "apps/ask/backward.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/ask/backward_code.h"
#include "apps/ask/backward_words.h"
#include "apps/lesson/lesson.h"
#include "apps/lesson/markdown.h"
#include "apps/lesson/phrases.h"
#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/print.h"

namespace glassgrad::learn {
namespace {

using Result = BackwardNames::Result;

// Makes the steps of one pass.
class BackwardStepBuilder {
 public:
  BackwardStepBuilder(const Recording& forward, const BackwardPass& pass, Recording& to)
      : forward_(forward),
        trace_(*forward.trace),
        pass_(pass),
        to_(to),
        names_(forward, pass, int(to.steps.size()) + 2) {}

  void tell() {
    start();
    for (size_t i = pass_.first.backward; i < pass_.last.backward; ++i) node(i);
    leaves();
  }

 private:
  // A gradient that a node sends to the next node.
  struct SentGradient {
    const RecordedEdge& to;
    std::string name;  // "grad_keys"
    Snapshot value;
    bool whole;  // true if it has the tensor's shape
  };

  Step& begin(std::string title) {
    Step& step = to_.steps.emplace_back();
    step.number = step.main_number = int(to_.steps.size());
    step.id = fmt::format("backward-{}", step.number);
    step.section = forward_.steps[pass_.step].section;
    step.title = std::move(title);
    step.about = forward_.steps[pass_.step].id;
    return step;
  }

  static void add(Step& step, std::string name, const Snapshot& x, const Entry* like) {
    const auto taken = [&](const Entry& e) { return e.name == name; };
    while (std::any_of(step.entries.begin(), step.entries.end(), taken)) name += "'";
    Entry entry{.name = std::move(name), .value = Value{x, {}, false, false, {}, 0, 0}, .label = {}};
    if (like && int(like->axes.size()) == x.shape().n) entry.axes = like->axes;
    step.entries.push_back(std::move(entry));
  }

  const Entry* shown(const Result& result) const {
    const auto* at = names_.shown(result);
    return at ? &forward_.steps[at->step].entries[at->entry] : nullptr;
  }

  // True if the program itself gave the gradient that the pass starts from: it is not 1, or it is not a
  // single number.
  bool is_given_gradient() const {
    const Snapshot& gradient = trace_.backwards()[pass_.first.backward].grads.front();
    return pass_.value.numel() != 1 || gradient.tensor().item() != 1;
  }
  void start_from_given() {
    const RecordedBackwardStep& first = trace_.backwards()[pass_.first.backward];
    const std::string name = name_of(Result{first.node, 0});
    Step& step = begin(fmt::format("The pass starts from {}", name));
    step.sentences.push_back(fmt::format(
        "The program gives the gradient of {} itself. The pass takes the {} back through the graph, the "
        "newest first.",
        name, counted(int64_t(pass_.last.backward - pass_.first.backward), "op")));
    step.code.push_back(fmt::format("{}.backward(gradient)", name));
    add(step, name, pass_.value, shown({first.node, 0}));
    add(step, "grad_" + name, first.grads.front(), shown({first.node, 0}));
  }

  void start() {
    if (is_given_gradient()) return start_from_given();
    const RecordedBackwardStep& first = trace_.backwards()[pass_.first.backward];
    const bool is_sum = !pass_.sum_of.empty();
    const std::string name = name_of(Result{first.node, 0});
    Step& step =
        begin(fmt::format("The loss{} and its gradient", pass_.name == name ? "" : " " + pass_.name));
    step.sentences.push_back(fmt::format(
        "{}{} = {}{}. A backward pass asks how it moves when any number that led to it moves a little.",
        is_sum ? name + " = " : "", pass_.name, digits(pass_.value.tensor()),
        is_sum ? ", which counts every number of the result once" : ""));
    step.sentences.push_back(fmt::format(
        "It starts with the gradient of the loss by itself, 1, and takes the {} back through the graph that the "
        "forward pass has recorded, the newest first.",
        counted(int64_t(pass_.last.backward - pass_.first.backward), "op")));
    if (is_sum) step.code.push_back(fmt::format("{} = {}.sum()", name, pass_.sum_of));
    step.code.push_back(name + ".backward()");
    add(step, name, pass_.value, shown({first.node, 0}));
    add(step, "grad_" + name, first.grads.front(), shown({first.node, 0}));
  }

  static std::string repr_of(const Value& number) { return digits(number.tensor()); }

  std::string name_of(const Result& result) const {
    const bool is_loss = result.first == trace_.backwards()[pass_.first.backward].node;
    return is_loss && !shown(result) ? "loss" : names_.of(result);
  }
  std::string name_of(const RecordedEdge& to) const {
    return to.leaf ? names_.of_leaf(to.leaf) : name_of(Result{to.node, to.nr});
  }

  void node(size_t at) {
    const RecordedBackwardStep& b = trace_.backwards()[at];
    std::vector<std::pair<Snapshot, std::string>> incoming;
    for (size_t k = 0; k < b.grads.size(); ++k)
      if (b.grads[k]) incoming.emplace_back(b.grads[k], "grad_" + name_of(Result{b.node, uint32_t(k)}));
    GradientText text(names_, incoming);
    const std::vector<SentGradient> sent = sent_by(at, text);

    std::vector<std::string> from, to;
    for (const auto& [value, name] : incoming) from.push_back(name.substr(5));
    for (const SentGradient& s : sent) to.push_back(s.name.substr(5));
    Step& step = begin(fmt::format("{}: from {} to {}", b.name, joined(from, ", "), joined(to, ", ")));
    const auto* where = names_.shown({b.node, 0});
    if (where) step.about = forward_.steps[where->step].id;
    explain(step, b, sent, text, where != nullptr);
    for (const SentGradient& s : sent) step.code.push_back(fmt::format("{} = {}", s.name, text.of(s.value)));

    for (size_t k = 0, i = 0; k < b.grads.size(); ++k)
      if (b.grads[k]) add(step, incoming[i++].second, b.grads[k], shown({b.node, uint32_t(k)}));
    for (const SentGradient& s : sent)
      add(step, s.name, s.value, s.to.leaf ? names_.shown_leaf(s.to.leaf) : shown({s.to.node, s.to.nr}));
  }

  // True if the gradient has the shape of the input that the forward call read, so that no broadcasting is
  // left to undo.
  bool has_shape_of_input(const Snapshot& gradient, const RecordedBackwardStep& b, size_t input) const {
    const RecordedCall* call = names_.call(b.node);
    return !call || input >= call->in.size() || gradient.shape() == call->in[input].shape();
  }

  // Returns the gradients that the node sends to its inputs, after broadcasting was undone.
  std::vector<SentGradient> sent_by(size_t at, GradientText& text) {
    const RecordedBackwardStep& b = trace_.backwards()[at];
    for (size_t c = b.first_call; c < b.last_call; ++c) text.add(trace_.calls()[c]);
    const size_t end = at + 1 < pass_.last.backward ? trace_.backwards()[at + 1].first_call : pass_.last.call;
    std::vector<SentGradient> sent;
    for (size_t i = 0; i < b.out.size(); ++i) {
      const RecordedEdge& to = b.to[i];
      if (!b.out[i] || (!to.node && !to.leaf)) continue;
      Snapshot value = b.out[i];
      for (size_t c = b.last_call; c < end; ++c) {
        const RecordedCall& call = trace_.calls()[c];
        const bool goes_on = !has_shape_of_input(value, b, i) && call.backward_of == b.node &&
                             call.in.size() == 1 && call.out.size() == 1 && same_elements(call.in[0], value);
        if (!goes_on) continue;
        text.add(call);
        value = call.out[0];
      }
      sent.push_back({to, "grad_" + name_of(to), value, has_shape_of_input(value, b, i)});
    }
    return sent;
  }

  // Explains each gradient that is sent on: its meaning, how it is computed, where it comes from and goes to.
  void explain(Step& step, const RecordedBackwardStep& b, const std::vector<SentGradient>& sent,
               const GradientText& text, bool is_shown) const {
    for (const SentGradient& s : sent) {
      const bool is_named = s.to.leaf || names_.shown({s.to.node, s.to.nr});
      const RecordedCall* call = names_.call(b.node);
      // The step of a named tensor explains it.
      if (!s.whole || (!is_named && call && call->is_view)) continue;
      const std::string origin = s.to.leaf ? "" : origin_of(s.to.node);
      std::string meaning = meaning_of(s.name.substr(5), origin, s.value, senders_to(s).size() > 1);
      if (!meaning.empty()) step.sentences.push_back(std::move(meaning));
    }
    if (const RecordedCall* call = names_.call(b.node))
      step.sentences.push_back(fmt::format("In the forward pass {} = {}{}.", name_of(Result{b.node, 0}),
                                           forward_of(*call, b),
                                           is_shown ? fmt::format(", in step {}", step.about) : ""));
    if (const std::string_view rule = rule_of(b.name); !rule.empty()) step.sentences.emplace_back(rule);
    const std::string point(kPoint);
    for (const std::string& rule : text.rules()) step.sentences.push_back(point + rule);
    for (size_t k = 0; k < b.grads.size(); ++k)
      if (b.grads[k]) step.sentences.push_back(point + where_from(Result{b.node, uint32_t(k)}));
    for (const SentGradient& s : sent) step.sentences.push_back(point + where_to(s, b));
    const bool stays = sent.size() < b.out.size();
    if (stays && !sent.empty()) step.sentences.push_back(point + "The other inputs want no gradient.");
  }

  std::string forward_of(const RecordedCall& call, const RecordedBackwardStep& b) const {
    std::vector<std::string> inputs;
    for (size_t i = 0; i < call.in.size(); ++i) {
      const bool is_on_the_way = i < b.to.size() && (b.to[i].leaf || names_.number(b.to[i].node) > 0);
      inputs.push_back(is_on_the_way ? name_of(b.to[i]) : names_.of(call.in[i]));
    }
    return call_text(call, inputs);
  }

  // If the node's tensor has no name and only rearranges a named tensor, returns that name; else empty.
  std::string origin_of(uint64_t node) const {
    if (names_.shown({node, 0})) return {};
    for (size_t i = pass_.first.backward; i < pass_.last.backward; ++i) {
      const RecordedBackwardStep& b = trace_.backwards()[i];
      if (b.node != node) continue;
      const RecordedCall* call = names_.call(node);
      if (!call || !call->is_view || b.to.size() != 1) return {};
      const RecordedEdge& from = b.to[0];
      if (from.leaf || names_.shown({from.node, from.nr})) return name_of(from);
      node = from.node;  // its backward ran later, so the loop still reaches it
    }
    return {};
  }

  // "the softmax that made attn_weights (backward-49)", "the view of keys (backward-51)".
  std::string the_op(uint64_t node, std::string_view backward_name) const {
    const RecordedCall* call = names_.call(node);
    std::string_view op = call ? std::string_view(call->op->name) : backward_name;
    while (op.starts_with('_')) op.remove_prefix(1);
    std::string what;
    if (names_.shown({node, 0}))
      what = " that made " + names_.of(Result{node, 0});
    else if (const std::string origin = origin_of(node); !origin.empty())
      what = " of " + origin;
    return fmt::format("the {}{} (backward-{})", op, what, names_.number(node));
  }

  // The nodes that send a gradient to this place, in the order of the pass.
  struct Sender {
    uint64_t node;
    std::string op;  // the_op
  };
  template <class F>
  std::vector<Sender> senders(F is_the_place) const {
    std::vector<Sender> found;
    for (size_t i = pass_.first.backward; i < pass_.last.backward; ++i) {
      const RecordedBackwardStep& b = trace_.backwards()[i];
      for (size_t k = 0; k < b.to.size(); ++k)
        if (b.out[k] && is_the_place(b.to[k])) found.push_back({b.node, the_op(b.node, b.name)});
    }
    return found;
  }
  std::vector<Sender> senders(const Result& result) const {
    return senders([&](const RecordedEdge& e) { return e.node == result.first && e.nr == result.second; });
  }
  std::vector<Sender> senders(const Snapshot& leaf) const {
    return senders([&](const RecordedEdge& e) { return same_elements(e.leaf, leaf); });
  }
  std::vector<Sender> senders_to(const SentGradient& s) const {
    return s.to.leaf ? senders(s.to.leaf) : senders(Result{s.to.node, s.to.nr});
  }
  static std::string all_of(const std::vector<Sender>& senders) {
    std::vector<std::string> ops;
    for (const Sender& s : senders) ops.push_back(s.op);
    return joined(ops, " and ", 8);
  }

  std::string where_from(const Result& result) const {
    const std::string name = "grad_" + name_of(result);
    const std::vector<Sender> from = senders(result);
    if (from.empty()) return fmt::format("{} is what the pass starts from.", name);
    if (from.size() == 1) return fmt::format("{} arrives from {}.", name, from[0].op);
    return fmt::format("{} was used {} times, so its gradient is a sum: {} adds up what arrives from {}.",
                       name_of(result), from.size(), name, all_of(from));
  }

  std::string where_to(const SentGradient& s, const RecordedBackwardStep& b) const {
    const std::string place = s.to.leaf ? fmt::format("arrives at {}, a leaf", names_.of_leaf(s.to.leaf))
                                        : fmt::format("goes on to {}", the_op(s.to.node, "written"));
    std::vector<Sender> others = senders_to(s);
    if (others.size() < 2) return fmt::format("{} {}.", s.name, place);
    const auto is_here = [&](const Sender& sender) { return sender.node == b.node; };
    if (!std::all_of(others.begin(), others.end(), is_here)) std::erase_if(others, is_here);
    return fmt::format("{} {}, where it is added to what {} sends.", s.name, place,
                       is_here(others.front()) ? "the same op" : all_of(others));
  }

  void leaves() {
    Step& step = begin("What has arrived at the leaves");
    step.code.emplace_back("print(parameter.grad)");
    std::vector<std::string> words;
    for (size_t i = pass_.first.gradient; i < pass_.last.gradient; ++i) {
      const auto& [leaf, grad] = trace_.gradients()[i];
      const std::string name = names_.of_leaf(leaf);
      add(step, name + ".grad", grad, names_.shown_leaf(leaf));
      words.push_back(fmt::format("{}{} from {}", kPoint, name, all_of(senders(leaf))));
      if (std::string meaning = meaning_of(name, {}, grad, false); !meaning.empty())
        words.back() += ". " + meaning;
      else
        words.back() += ".";
    }
    step.sentences.emplace_back("Leaves keep their gradient in .grad. They have it:");
    step.sentences.insert(step.sentences.end(), words.begin(), words.end());
    step.sentences.emplace_back(
        "An optimizer moves each number against its gradient. Tensors on the way keep theirs only after "
        "retain_grad().");
  }

  const Recording& forward_;
  const Recorder& trace_;
  const BackwardPass& pass_;
  Recording& to_;
  BackwardNames names_;
};

}  // namespace

void check_losses(const Recording& forward) {
  if (!forward.passes.empty()) return;
  check(forward.no_loss.empty(), "{}", forward.no_loss);
  fail("the lesson {} names no loss that a gradient could be of, so it goes nowhere backward",
       forward.lesson->id);
}

Recording backward_steps(const Recording& forward) {
  check_losses(forward);
  Recording backward;
  backward.lesson = forward.lesson;
  backward.trace = forward.trace;
  backward.given = forward.given;
  for (const Step& step : forward.steps)  // keep the names of tensors that gradients are computed from
    for (const Entry& entry : step.entries)
      if (entry.value) backward.given.entries.push_back(entry);
  backward.tokens = forward.tokens;
  backward.flags = forward.flags + " --backward";
  backward.edits = forward.edits;
  for (const BackwardPass& pass : forward.passes) BackwardStepBuilder(forward, pass, backward).tell();
  for (Step& step : backward.steps)
    for (std::string& sentence : step.sentences) {
      const bool is_point = sentence.starts_with(kPoint);
      sentence = (is_point ? std::string(kPoint) : "") + prose(sentence.substr(is_point ? kPoint.size() : 0));
    }
  return backward;
}

std::optional<Gradient> gradient_of(const Recording& forward, const Value& x) {
  const Recorder& trace = *forward.trace;
  for (size_t l = forward.passes.size(); l-- > 0;) {
    const BackwardPass& pass = forward.passes[l];
    for (size_t i = pass.first.backward; i < pass.last.backward; ++i) {
      const RecordedBackwardStep& b = trace.backwards()[i];
      if (x.made_by != 0 && b.node == x.made_by && x.nr < b.grads.size() && b.grads[x.nr])
        return Gradient{l, b.grads[x.nr]};
    }
    for (size_t i = pass.first.gradient; i < pass.last.gradient; ++i)
      if (x.made_by == 0 && same_elements(trace.gradients()[i].leaf, x))
        return Gradient{l, trace.gradients()[i].grad};
  }
  return {};
}

const Entry* counterpart_tensor(std::string_view tensor, const Step& there) {
  constexpr std::string_view kGradient = "grad_";
  const bool back = there.about.empty();  // steps of the lesson leave `about` empty
  std::string name(tensor);
  if (back && name.starts_with(kGradient))
    name = name.substr(kGradient.size(), name.find('#') - kGradient.size());
  if (!back) name.insert(0, kGradient);
  for (const Entry& entry : there.entries)
    if (entry.value && (entry.name == name || entry.name.starts_with(name + "#"))) return &entry;
  return nullptr;
}

const Step* counterpart_step(const Step& step, const Recording& other, std::string_view tensor) {
  const Step* first = nullptr;
  for (const Step& s : other.steps) {
    if (step.about.empty() ? s.about != step.id : s.id != step.about) continue;
    if (tensor.empty() || counterpart_tensor(tensor, s)) return &s;
    if (!first) first = &s;
  }
  return first;
}

}  // namespace glassgrad::learn
