// Builds the steps: runs their blocks in order, then writes their sentences.
#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/text_width.h"
#include "apps/lesson/cancel.h"
#include "apps/lesson/lesson_runner.h"
#include "apps/lesson/phrases.h"
#include "apps/script/types.h"
#include "engine/autograd.h"

namespace glassgrad::learn {
namespace {

template <class... F>
struct Cases : F... {
  using F::operator()...;
};
template <class... F>
Cases(F...) -> Cases<F...>;

script::Dict& attributes(script::Namespace& n) { return *static_cast<script::Dict*>(n.attributes.object()); }

// Makes text printable line by line, so that the line breaks of a list are kept.
std::string printable_lines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines += printable(text.substr(0, end));
    if (end < text.size()) lines += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_identifier(std::string_view name) {
  return !name.empty() && name.find_first_of(".#[") == std::string_view::npos;
}

}  // namespace

// While it exists, expressions in prose look up the step's names first, then the program's. They can assign
// to none of them.
class LessonRunner::Scope {
 public:
  explicit Scope(LessonRunner& t) : t_(t), watcher_(t.in_.watch(nullptr)), nobody_(nullptr) {
    std::string prefix;  // the call whose names prose may use without a prefix
    if (const InsideCode* b = t.last_inside_) {
      if (!b->records.empty()) {
        prefix = b->records[t.scope_record_].prefix;
        for (const auto& [name, v] : b->records[t.scope_record_].locals) bind(name, v);
      }
      if (!b->pattern.empty()) {
        std::vector<script::Value> calls;
        for (const FrameRecord& r : b->records) {
          auto* const call = script::make<script::Namespace>(r.prefix);
          calls.emplace_back(call);
          for (const auto& [name, v] : r.locals) attributes(*call).set(name, v);
        }
        bind("calls", script::list(std::move(calls)));
      }
    }
    for (const ShownTensor& m : t.step_) {
      const std::string name = m.name.starts_with(prefix) ? m.name.substr(prefix.size()) : m.name;
      if (is_identifier(name) && m.value.buffer) bind(name, m.in_prose());
    }
    for (const auto& [name, v] : prose_helpers()) offer(name, v);
    std::vector<script::Value> tokens;
    for (const std::string& token : t.tokens_) tokens.push_back(script::str(token));
    offer("tokens", script::list(std::move(tokens)));
    offer("error", script::str(t.error_));
    offer("checkpoint", checkpoint_of(t.model_));
    offer("step",
          script::Value(script::make<script::Builtin>("step", [&t](auto& in, const script::Arguments& a) {
            return t.step_named(a.positional.empty() ? "" : in.str(a.positional[0]));
          })));
    if (t.costs_) offer("costs", costs_value(*t.costs_));
  }
  ~Scope() {
    for (auto at = before_.rbegin(); at != before_.rend(); ++at) t_.in_.set_global(at->first, at->second);
    t_.in_.watch(watcher_);
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  static script::Value costs_value(const Costs& costs) {
    auto* const n = script::make<script::Namespace>("costs");
    const script::Value kept(n);
    attributes(*n).set("multiplications", script::Value::of(costs.multiplications));
    attributes(*n).set("products", script::Value::of(costs.products));
    attributes(*n).set("bytes", script::Value::of(costs.bytes));
    return kept;
  }

 private:
  void bind(const std::string& name, script::Value v) {
    before_.emplace_back(name, t_.in_.set_global(name, std::move(v)));
  }
  void offer(const std::string& name, script::Value v) {
    if (!t_.in_.global(name)) bind(name, std::move(v));
  }

  LessonRunner& t_;
  script::Watcher* const watcher_;
  const Watch nobody_;
  const NoGrad no_grad_;
  std::vector<std::pair<std::string, script::Value>> before_;
};

script::Value LessonRunner::step_named(std::string_view id) {
  const auto found = step_values_.find(id);
  check<ValueError>(found != step_values_.end(), "no step above has the address {}", id);
  auto* const n = script::make<script::Namespace>("step");
  const script::Value kept(n);
  for (const ShownTensor& m : found->second.values) attributes(*n).set(m.name, m.in_prose());
  attributes(*n).set("costs", Scope::costs_value(found->second.costs));
  return kept;
}

void LessonRunner::tell() {
  for (const FencedCode& b : document_.opening) run(*by_block_[&b]);
  if (is_stopped_) throw Cancelled();  // before the first step
  for (auto step = document_.steps.begin(); step != document_.steps.end() && !is_stopped_; ++step)
    tell_step(*step);
}

void LessonRunner::tell_step(const DocumentStep& step) {
  builder_.step(step.id.c_str(), step.part.c_str(), step.title, step.inside);
  builder_.heading(step.title);
  step_.clear();
  last_inside_ = nullptr;
  Costs costs;
  costs_ = &costs;
  for (const Item& item : step.items) {
    const auto* const block = std::get_if<FencedCode>(&item);
    if (!block || (!block->mistake.empty() && block != step.mistake().wrong)) continue;
    Compiled& c = *by_block_[block];
    if (!block->mistake.empty()) {
      tell_wrong_code(step.mistake());
      run_wrong(c);
      continue;
    }
    if (block->whose != FencedCode::Hidden) tell_code(c);
    if (c.inside) {
      ignore_errors_if_edited([&] { gather_inside(c); });
      continue;
    }
    const Watch watch(&costs);
    run(c);
    if (is_stopped_) break;
  }
  tell_values();
  if (!is_stopped_) tell_prose(step);
  costs_ = nullptr;
  StepValues& told = step_values_.emplace(step.id, StepValues{{}, costs}).first->second;
  for (const ShownTensor& m : step_)
    if (m.value.buffer) told.values.push_back(m);
}

bool LessonRunner::ignore_errors_if_edited(const std::function<void()>& tell) {
  if (!document_.is_edited) return tell(), true;
  try {
    tell();
    return true;
  } catch (const Error&) {
    return false;
  }
}

void LessonRunner::tell_code(const Compiled& c) {
  const FencedCode& b = *c.block;
  CodeBlock told{.whose = b.whose == FencedCode::Ours ? Whose::Ours : Whose::Source,
                 .inside = b.inside + (b.below.empty() ? "" : " / " + b.below),
                 .raised = {},
                 .line = b.line,
                 .our_prints = b.our_prints,
                 .edited = b.edited};
  for (size_t k = 0; c.inside && k < b.lines.size(); ++k) {
    const auto at = c.inside->function_lines.find(b.line + static_cast<int>(k));
    told.function_lines.push_back(at == c.inside->function_lines.end() ? 0 : at->second);
  }
  builder_.code(b.shown(values_), std::move(told));
}

void LessonRunner::tell_wrong_code(const DocumentStep::Mistake& m) {
  CodeBlock told{
      .whose = Whose::Wrong, .inside = {}, .raised = {}, .line = m.wrong->line, .mistake = m.wrong->mistake};
  const std::vector<ChangedLine> changed = lines_of(m);
  for (size_t k = 0; k < m.wrong->lines.size(); ++k) told.edited[k] = changed[k].before;
  builder_.code(m.wrong->lines, std::move(told));
}

// If several blocks made a value of the same name, the last keeps the name and the earlier ones become
// NAME#1, NAME#2.
void LessonRunner::tell_values() {
  std::map<std::string, size_t> seen, count;
  for (const ShownTensor& m : step_)
    if (!m.name.empty()) ++count[m.name];
  std::stable_partition(step_.begin(), step_.end(),
                        [](const ShownTensor& m) { return m.whose != Whose::View; });
  for (ShownTensor& m : step_) {
    if (m.name.empty()) {
      builder_.add(
          {.name = {}, .value = {}, .printed = true, .whose = m.whose, .label = printable_lines(m.label)});
      continue;
    }
    if (const size_t k = ++seen[m.name]; k < count[m.name]) m.name += fmt::format("#{}", k);
    builder_.add({.name = printable(m.name),
                  .value = m.value,
                  .printed = m.printed > 0,
                  .whose = m.whose,
                  .label = printable_lines(m.label),
                  .axes = m.axes.words,
                  .row_sums = m.axes.sums,
                  .changed = m.changed});
  }
}

void LessonRunner::view(const Directive& d, const script::Program& expression, const std::string& prefix) {
  script::Value v;
  Observer* const recorder = watching;  // the view's ops are recorded, so that it can be opened
  {
    const Scope scope(*this);
    const Watch watch(recorder);
    try {
      v = in_.evaluate(expression);
    } catch (const script::Raised& e) {
      refuse(d.line, e);
    } catch (const Error& e) {
      refuse(d.line, e.what());
    }
  }
  const auto* const t = v.as<script::TensorObject>();
  if (!t) refuse(d.line, fmt::format("view: {} is no tensor", d.expression));
  ShownTensor viewed = shown_tensor(prefix + d.name, t->tensor, clock_);
  viewed.whose = Whose::View;
  if (!d.axes.words.empty()) viewed.axes = d.axes;
  step_.push_back(std::move(viewed));
}

// ---- sentences
std::string LessonRunner::text(const Paragraph& p) {
  try {
    std::string text = printable_lines(text_of(in_, expressions_.prose_template(p)));
    if (findings_) findings_->said[&p] = text;
    return text;
  } catch (const script::Raised& e) {
    refuse(p.line, e);
  } catch (const Error& e) {
    const std::string what = e.what();
    if (what.starts_with(document_.file + ":")) throw;
    refuse(p.line, what);
  }
}

// Adds each item of a list as a separate sentence.
void LessonRunner::say(const Paragraph& p, bool claimed) {
  const std::string all = text(p);
  const bool stated = !claimed && !has_expressions(p);
  for (size_t at = 0; at <= all.size();) {
    const size_t end = std::min(all.find('\n', at), all.size());
    builder_.say_marked(all.substr(at, end - at), stated);
    at = end + 1;
  }
}

void LessonRunner::say(const Branch& parts, bool claimed) {
  for (const auto& part : parts)
    std::visit(Cases{[&](const Paragraph& p) { say(p, claimed); },
                     [&](const Math& m) { builder_.formula(m.text, m.latex); }},
               part);
}

bool LessonRunner::holds(const Condition& c) {
  try {
    return in_.truth(in_.evaluate(expressions_.parse(c.expression, c.line)));
  } catch (const script::Raised& e) {
    refuse(c.line, e);
  } catch (const Error& e) {
    const std::string what = e.what();
    if (what.starts_with(document_.file + ":")) throw;
    refuse(c.line, what);
  }
}

// Notes a claim that does not hold. Parses the branch that is not shown too, and notes errors in it.
void LessonRunner::note_problems(const Condition& c, bool holds) {
  if (c.claim && !holds)
    findings_->problems.push_back(
        fmt::format("{}:{}: this claim does not hold: {}", document_.file, c.line, c.expression));
  for (const auto& part : holds ? c.otherwise : c.then)
    if (const auto* p = std::get_if<Paragraph>(&part)) try {
        expressions_.prose_template(*p);
      } catch (const Error& e) {
        findings_->problems.emplace_back(e.what());
      }
}

// Leaves the question out if the answer is not among the choices, which may happen with different settings.
void LessonRunner::ask(const AskedInFile& asked) {
  const auto words = [&](const Paragraph& p) { return plain_words(text(p)); };
  const auto all = [&](const std::vector<Paragraph>& paragraphs) {
    std::vector<std::string> texts;
    for (const Paragraph& p : paragraphs) texts.push_back(words(p));
    return texts;
  };
  const std::vector<std::string> choices = all(asked.choices);
  const std::string answer = words({.text = "{(" + asked.answer + ")}", .line = asked.answer_line});
  const auto right = std::find(choices.begin(), choices.end(), answer);
  if (std::count(choices.begin(), choices.end(), answer) != 1) {
    if (findings_)
      findings_->problems.push_back(fmt::format("{}:{}: the answer, {}, is {} choice", document_.file,
                                                asked.answer_line, answer,
                                                right == choices.end() ? "no" : "more than one"));
    return;
  }
  builder_.ask({.question = words(asked.question),
                .choices = choices,
                .hints = all(asked.hints),
                .right = size_t(right - choices.begin()),
                .why = words(asked.why)});
}

void LessonRunner::tell_prose(const DocumentStep& step) {
  if (!builder_.wants_sentences() && !findings_) return;
  const Scope scope(*this);
  const Draws before = draws();
  bool leading = true;
  for (const Item& item : step.items)
    std::visit(Cases{[&](const Paragraph& p) { ignore_errors_if_edited([&] { say(p); }); },
                     [&](const Math& m) { builder_.formula(m.text, m.latex); },
                     [&](const Condition& c) {
                       ignore_errors_if_edited([&] {
                         const bool is = holds(c);
                         if (findings_) note_problems(c, is);
                         say(is ? c.then : c.otherwise, c.claim);
                       });
                     },
                     [&](const AskedInFile& asked) { ignore_errors_if_edited([&] { ask(asked); }); },
                     [&](const FencedCode&) {
                       if (std::exchange(leading, false)) builder_.values_here();
                     }},
               item);
  if (step.mistake().wrong &&
      std::none_of(step_.begin(), step_.end(), [](const ShownTensor& m) { return bool(m.changed); }))
    builder_.say("On these numbers both are the same to the last bit: they cannot show the mistake.");
  const Draws now = draws();
  const auto drawn = [](const Generator::State& a, const Generator::State& b) {
    return a.used != b.used || a.has_normal != b.has_normal;
  };
  if (drawn(before.torch, now.torch) || drawn(before.python, now.python))
    refuse(step.line, "the sentences of this step draw random numbers");
}

}  // namespace glassgrad::learn
