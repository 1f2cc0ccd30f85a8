#include "apps/lesson/lesson_runner.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/cancel.h"
#include "apps/lesson/difference.h"
#include "apps/script/modules.h"
#include "apps/script/torch.h"
#include "apps/script/types.h"
#include "engine/autograd.h"
#include "engine/core/default_float64.h"

namespace glassgrad::learn {

using script::Expr;
using script::Frame;
using script::Statement;
using script::tensor_of;

namespace {

bool is_print(const Statement& s) {
  return s.kind == Statement::Expression && s.value->kind == Expr::Call &&
         s.value->left->kind == Expr::Name && s.value->left->text == "print";
}

// True for x = torch.empty(...), whose numbers are uninitialised memory.
bool is_empty(const Statement& s) {
  if (s.kind != Statement::Assign || s.value->kind != Expr::Call) return false;
  const std::string& f = s.value->left->text;
  return f == "empty" || f == "empty_like" || f == "new_empty";
}

}  // namespace

LessonRunner::LessonRunner(StepBuilder& builder, const Document& document,
                           const std::map<std::string, std::string>& values, bool only_to_inputs)
    : builder_(builder),
      document_(document),
      values_(values),
      run_(
          {}, [this](std::string_view text) { output_ += text; }, this),
      expressions_(document.file, in_.names()) {
  frames_.make = [this](std::string name, const Tensor& x) {
    return shown_tensor(std::move(name), x, clock_);
  };
  compile(only_to_inputs);
}

LessonRunner::~LessonRunner() = default;

void LessonRunner::use_model(const GivenModel& model) {
  model_ = &model;
  in_.set_global("tokenizer", tokenizer_of(model));
}

ShownTensor LessonRunner::shown_tensor(std::string name, const Tensor& x, uint64_t at) {
  return {.name = std::move(name),
          .value = builder_.take(x),
          .x = x,
          .axes = axes_.of(x),
          .version = x.version(),
          .at = at};
}

// ---- compiles the blocks before anything runs
void LessonRunner::compile(bool only_to_inputs) {
  std::vector<const FencedCode*> blocks;
  // For a block of wrong lines: the block that runs instead.
  std::unordered_map<const FencedCode*, const FencedCode*> wrong;
  for (const FencedCode& b : document_.opening) blocks.push_back(&b);
  for (const DocumentStep& step : document_.steps) {
    const auto mistake = step.mistake();
    for (const Item& item : step.items)
      if (const auto* b = std::get_if<FencedCode>(&item); b && (b->mistake.empty() || b == mistake.wrong))
        blocks.push_back(b);
    if (!mistake.wrong) continue;
    FencedCode& runs = with_mistakes_.emplace_back(patched(*mistake.right, lines_of(mistake)));
    runs.mistake = mistake.wrong->mistake;
    const auto& more = mistake.wrong->directives;
    runs.directives.insert(runs.directives.end(), more.begin(), more.end());
    wrong[mistake.wrong] = &runs;
  }
  const auto is_marked = [](const FencedCode* b) {
    return std::any_of(b->marks.begin(), b->marks.end(),
                       [](const LineMark& m) { return m.setting == "inputs"; });
  };
  if (only_to_inputs)
    blocks.erase(std::find_if(blocks.rbegin(), blocks.rend(), is_marked).base(), blocks.end());
  for (const FencedCode* b : blocks) {
    const auto runs = wrong.find(b);
    compile(runs == wrong.end() ? *b : *runs->second);
    by_block_[b] = &compiled_.back();
  }
}

void LessonRunner::compile(const FencedCode& block) {
  Compiled& c = compiled_.emplace_back();
  c.block = &block;
  std::string text = block.program(values_);
  const bool inside = !block.inside.empty();
  if (inside) {  // parse it as the body of a function, so that `return` is allowed
    std::string body = "def lines():\n";
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      body += " " + text.substr(at, end - at) + "\n";
      at = end + 1;
    }
    text = body;
  }
  try {
    c.program = script::parse(text, document_.file, in_.names(), inside ? block.line - 1 : block.line);
  } catch (const script::SyntaxError& e) {
    refuse(e.line, (document_.is_edited ? fmt::format("{}: ", e.kind()) : "") + e.text +
                       (e.hint.empty() ? "" : ": " + e.hint));
  }
  for (const auto& [line, axes] : block.axes) comments_[block.line + static_cast<int>(line)] = axes;
  for (const Directive& d : block.directives) {
    names_losses_ |= d.kind == Directive::Loss;
    if (d.kind == Directive::Show || d.kind == Directive::View)
      c.expressions.emplace_back(&d, &expressions_.parse(d.expression, d.line));
  }
  if (inside) {
    InsideCode made{.line = block.line - 1,
                    .call = expressions_.parse(block.inside, block.line - 1).body[0]->value.get(),
                    .text = block.inside,
                    .pattern = block.below,
                    .lines = &c.program.body[0]->code->body,
                    .shown = {},
                    .records = {},
                    .problem = {},
                    .function_lines = {}};
    for (const auto& [d, expression] : c.expressions)
      made.shown.push_back(d->kind == Directive::Show ? expression->body[0]->value.get() : nullptr);
    frames_.add(std::move(made));
    c.inside = frames_.last();
    return;
  }
  c.assigned = script::assigned_names(c.program.body);
  script::walk(c.program.body, {.expression = [&](const Expr& x) {
                 if (x.kind == Expr::Name) c.mentioned.push_back(x.text);
                 for (const auto& [d, expression] : c.expressions)
                   if (d->kind == Directive::Show && script::same(*expression->body[0]->value, x))
                     c.shown[&x].name = d->name;
               }});
  for (const LineMark& m : block.marks)
    if (m.setting == "inputs")
      for (const auto& s : c.program.body)
        if (s->where.line <= block.line + int(m.line) && block.line + int(m.line) <= s->where.end_line)
          marked_.push_back(s->value.get());
}

// ---- callbacks while the program runs
void LessonRunner::before(const Statement& s, Frame& frame) {
  ++clock_;
  if (interruptible_run) interruptible_run->line = s.where.line;
  asserted_ = remainder_in(s);
  if (own_inputs_ && std::find(marked_.begin(), marked_.end(), s.value.get()) != marked_.end())
    draws_before_ = draws();
  frames_.before(s, frame);
  // At x.backward(), offer a pass from x, unless a directive of the file names the loss. In a loop, offer
  // only the first pass.
  if (s.kind != Statement::Expression || s.value->kind != Expr::Call) return;
  const Expr& f = *s.value->left;
  if (f.kind != Expr::Attribute || f.text != "backward") return;
  builder_.backward_begins();
  if (names_losses_ || f.left->kind != Expr::Name) return;
  const bool from_one = std::all_of(s.value->arguments.begin(), s.value->arguments.end(),
                                    [](const auto& a) { return a.name == "retain_graph"; });
  const Tensor* const x = tensor_named(f.left->text, frame);
  const bool is_wrong = running_ && !running_->block->mistake.empty();
  if (x && x->requires_grad() && from_one && !is_wrong && passes_.insert(&s).second)
    offer_loss(f.left->text, *x);
}

void LessonRunner::after(const Statement& s, Frame& frame) {
  ++clock_;
  name_axes(s, frame);
  if (!frame.outer) axes_.ended();
  frames_.after(s, frame);
}

void LessonRunner::assigned(const Expr& target, const script::Value&, Frame& frame) {
  ++clock_;
  if (frame.outer) return frames_.assigned(target, frame, clock_);
  if (!running_ || target.kind != Expr::Name) return;
  if (std::find(running_->assigned.begin(), running_->assigned.end(), &target) != running_->assigned.end())
    bound_at_[target.text] = clock_;
}

void LessonRunner::evaluated(const Expr& x, script::Value& v, Frame& frame) {
  ++clock_;
  if (asserted_) {
    if (&x == asserted_->left.get()) whole_ = v.is_int() ? v.whole() : 0;
    if (&x == asserted_->right.get()) parts_ = v.is_int() ? v.whole() : 0;
  }
  // The reader's own inputs replace all marked statements, not only the last one, because earlier steps need
  // the same sizes. A replaced statement must draw no random numbers: restore the generators.
  if (std::find(marked_.begin(), marked_.end(), &x) != marked_.end()) {
    const bool last = &x == marked_.back();
    if (own_inputs_) set_draws(draws_before_);
    if (own_inputs_ || (inputs_ && last)) v = script::tensor(inputs_);
    if (last) marked_value_ = v;
  }
  axes_.evaluated(x, v);
  const Tensor* const t = tensor_of(v);
  if (!t) return;
  if (frame.outer) return frames_.evaluated(x, *t, frame, clock_);
  if (!running_) return;
  const auto found = running_->shown.find(&x);
  if (found == running_->shown.end()) return;
  found->second = shown_tensor(std::move(found->second.name), *t, clock_);
}

void LessonRunner::entered(Frame& frame) {
  throw_if_cancelled();
  frames_.entered(frame);
}
void LessonRunner::left(Frame& frame, const script::Value&) { frames_.left(frame); }

const Tensor* LessonRunner::tensor_named(const std::string& name, const Frame& frame) {
  const script::Value v = frame.outer ? local(frame, name) : script::Value();
  return v ? tensor_of(v) : tensor_of(in_.global(name));
}

const std::pair<const int, AxisWords>* LessonRunner::axes_on(const Statement& s) const {
  const auto comment = comments_.lower_bound(s.where.line);
  return comment == comments_.end() || comment->first > s.where.end_line ? nullptr : &*comment;
}

// Gives the tensors that a statement assigns the axes from the comment on one of its lines.
void LessonRunner::name_axes(const Statement& s, Frame& frame) {
  if (s.kind != Statement::Assign && s.kind != Statement::AugAssign && s.kind != Statement::AnnAssign) return;
  const auto* const comment = axes_on(s);
  if (!comment) return;
  for (const Expr* name : script::assigned_names(s)) {
    const Tensor* const x = tensor_named(name->text, frame);
    if (!x) continue;
    try {
      axes_.set(*x, comment->second);
    } catch (const Error& e) {
      if (document_.is_edited) continue;
      refuse(comment->first, e.what());
    }
  }
}

// ---- a block
std::vector<LessonRunner::Before> LessonRunner::before() {
  std::vector<Before> all(in_.names().names.size());
  for (size_t k = 0; k < all.size(); ++k)
    if (const Tensor* x = tensor_of(in_.global(k)))
      all[k] = {*x, x->version(), x->grad(), x->grad() ? x->grad().version() : 0};
  return all;
}

void LessonRunner::set_draws(const Draws& draws) {
  default_generator().set_state(draws.torch);
  in_.random().set_state(draws.python);
}

void LessonRunner::run(Compiled& c) {
  const auto was = before();
  running_ = &c;
  bound_at_.clear();
  prints_.clear();
  error_.clear();
  bool ended = false;
  for (const auto& s : c.program.body) {
    run(c, *s);
    if ((ended = !error_.empty())) break;
  }
  running_ = nullptr;
  if (!c.block->raises.empty() && !ended && !document_.is_edited)
    refuse(c.block->line - 1, fmt::format("the block ends without a {}", c.block->raises));
  if (c.block->whose != FencedCode::Hidden) gather(c, was);
}

// Runs wrong lines on the side: restores the program's names and the generators afterwards.
void LessonRunner::run_wrong(Compiled& c) {
  const Draws before = draws();
  std::vector<script::Value> bound;
  for (size_t k = 0; k < in_.names().names.size(); ++k)
    bound.push_back(in_.global(k) ? *in_.global(k) : script::Value());
  run(c);
  for (size_t k = 0; k < bound.size(); ++k) in_.set_global(in_.names().names[k], std::move(bound[k]));
  set_draws(before);
  for (size_t k = block_begin_; k < step_.size(); ++k) {
    ShownTensor& wrong = step_[k];
    const auto right = std::find_if(step_.rend() - static_cast<ptrdiff_t>(block_begin_), step_.rend(),
                                    [&](const ShownTensor& m) { return m.name == wrong.name; });
    if (right != step_.rend()) wrong.changed = difference(right->value, wrong.value);
    wrong.name.insert(0, kWrong);
    if (wrong.whose != Whose::View) wrong.whose = Whose::Wrong;
  }
}

void LessonRunner::run(Compiled& c, const Statement& s) {
  output_.clear();
  try {
    in_.run(c.program, s);
  } catch (const script::Raised& e) {
    script::Watcher* const me = in_.watch(nullptr);
    const std::string type = script::type_name(e.exception), text = in_.str(e.exception),
                      last = script::last_line(in_, e.exception);
    in_.watch(me);
    const bool is_over = type == "SystemExit" && (text.empty() || text == "0" || text == "None");
    if (is_over && c.block->raises != type) is_stopped_ = true;
    const auto places = script::traceback(e.exception);  // the last one is where it was raised
    if (!is_stopped_) raised(c, places.empty() ? s.where.line : places.back().second, type, text, last);
  } catch (const Cancelled&) {
    throw;
  } catch (const StopRequested&) {
    interruptible_run->stop_requested = false;
    is_stopped_ = true;
    error_ = "KeyboardInterrupt";
    if (c.block->whose != FencedCode::Hidden) builder_.raised(error_);
  } catch (const Error& e) {
    raised(c, s.where.line, e.kind(), e.what(), fmt::format("{}: {}", e.kind(), e.what()));
  }
  builder_.statement_ended();
  printed(c, s, output_);
  take_weights(s);
}

// Turns a print into a value of the step if its last argument is a tensor and the others are texts. Other
// prints become lines of text.
void LessonRunner::printed(Compiled& c, const Statement& s, const std::string& text) {
  if (text.empty()) return;
  if (c.block->whose == FencedCode::Hidden) refuse(s.where.line, "a hidden block prints nothing");
  if (!c.block->mistake.empty()) refuse(s.where.line, "a block with a mistake prints nothing");
  builder_.printed(text);
  std::string rest = text;
  const auto& marked = c.block->our_prints;
  const bool ours = std::any_of(marked.begin(), marked.end(), [&](size_t line) {
    const int at = c.block->line + int(line);
    return s.where.line <= at && at <= s.where.end_line;
  });
  static const std::vector<script::Argument> none;
  const auto& arguments = s.value ? s.value->arguments : none;
  const bool plain = is_print(s) && !arguments.empty() &&
                     std::all_of(arguments.begin(), arguments.end(), [](const script::Argument& a) {
                       return a.kind == script::Argument::Positional;
                     });
  if (plain) {
    // "Sum:", x
    std::string label;
    for (size_t k = 0; k + 1 < arguments.size(); ++k) {
      const Expr& before = *arguments[k].value;
      const auto* const words = before.kind == Expr::Constant ? before.value.as<script::Str>() : nullptr;
      label += (k ? " " : "") + (words ? words->text : std::string(1, '\0'));
    }
    const Expr& last = *arguments.back().value;
    const bool is_name = last.kind == Expr::Name;
    const auto at = c.shown.find(&last);
    const bool is_shown = at != c.shown.end() && at->second.at;
    if (label.find('\0') == std::string::npos &&
        (is_name ? bool(tensor_of(in_.global(last.text))) : is_shown)) {
      prints_.push_back({is_name ? last.text : at->second.name, label, clock_, is_name, ours});
      return;
    }
  }
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    prints_.push_back({"", rest.substr(0, end), clock_, false, ours});
    rest.erase(0, std::min(end + 1, rest.size()));
  }
}

// Overwrites parameters that the statement made with the reader's own weights.
void LessonRunner::take_weights(const Statement& s) {
  for (const Expr* name : script::assigned_names(s))
    if (const script::Value* const v = in_.global(name->text); v && name->text[0] != '_')
      take_weights(name->text, *v, !is_empty(s));
}

void LessonRunner::take_weights(const std::string& name, const script::Value& v, bool offers_constants) {
  if (const script::ModuleObject* m = script::as_module(v); m && m->native) {
    try {
      builder_.apply_weights(name, m->module());
    } catch (const script::Raised&) {  // nested too deep to walk: it gets no weights
    }
  } else if (const Tensor* x = tensor_of(v); x && (*x)->is_parameter)
    builder_.apply_weights(name, *x);
  else if (x) {
    const bool is_leaf = x->requires_grad() && x->is_leaf();
    if (is_leaf) builder_.leaf(name, *x);
    if (is_leaf || offers_constants) builder_.constant(name, *x);
    return;
  }
  constexpr size_t kMostItems = 100;  // long lists are data, not layers
  const auto take = [&](const std::string& key, const script::Value& item) {
    if (!item.as<script::List>() && !item.as<script::Dict>())
      take_weights(fmt::format("{}[{}]", name, key), item, false);
  };
  if (const auto* list = v.as<script::List>()) {
    for (size_t k = 0; k < std::min(list->items.size(), kMostItems); ++k)
      take(fmt::format("{}", k), list->items[k]);
  } else if (auto* dict = v.as<script::Dict>(); dict && dict->size() <= kMostItems)
    dict->each([&](const script::Value& key, const script::Value& item) {
      if (key.as<script::Str>()) take(in_.repr(key), item);
    });
}

Tensor LessonRunner::inputs() {
  for (Compiled& c : compiled_) {
    if (c.inside) continue;
    for (const auto& s : c.program.body) {
      run(c, *s);
      if (const Tensor* x = marked_value_ ? tensor_of(marked_value_) : nullptr) return *x;
    }
  }
  refuse(1, "the statement that is marked #: inputs gives no tensor");
}

}  // namespace glassgrad::learn
