// Collects the tensors that a block or a call has made as the values that a step shows.
#include <fmt/core.h>

#include <algorithm>

#include "apps/lesson/lesson_runner.h"
#include "apps/script/modules.h"
#include "engine/autograd.h"

namespace glassgrad::learn {

using script::Expr;
using script::tensor_of;

namespace {

// Sorts values by the time when the program made them, and keeps printed values in the order of their prints.
void sort(std::span<ShownTensor> block) {
  std::map<size_t, ShownTensor*> printed;
  for (ShownTensor& m : block)
    if (m.printed > 0) printed[m.printed] = &m;
  uint64_t next = UINT64_MAX;
  for (auto p = printed.rbegin(); p != printed.rend(); ++p)
    next = p->second->at = std::min(next, p->second->at);
  const auto place = [](const ShownTensor& m) {
    return std::pair(m.at, m.printed > 0 ? m.printed : SIZE_MAX);
  };
  std::stable_sort(block.begin(), block.end(),
                   [&](const ShownTensor& a, const ShownTensor& b) { return place(a) < place(b); });
}

}  // namespace

void LessonRunner::gather(Compiled& c, const std::vector<Before>& before) {
  std::vector<ShownTensor> all;
  const auto has = [&](const std::string& name) {
    return std::any_of(all.begin(), all.end(), [&](const ShownTensor& m) { return m.name == name; });
  };
  for (const auto& [name, at] : bound_at_)
    if (const Tensor* x = tensor_of(in_.global(name)); x && name[0] != '_')
      all.push_back(shown_tensor(name, *x, at));
  for (const auto& [name, id] : in_.names().ids) {
    const auto k = static_cast<size_t>(id);
    const Tensor* const x = k < before.size() ? tensor_of(in_.global(k)) : nullptr;
    if (!x || name[0] == '_' || x->ref() != before[k].x.ref() || x->version() == before[k].version) continue;
    const bool mentioned = std::find(c.mentioned.begin(), c.mentioned.end(), name) != c.mentioned.end();
    if (mentioned && !has(name)) all.push_back(shown_tensor(name, *x, clock_));
  }
  const std::vector<std::string>& names = in_.names().names;
  for (size_t k = 0; k < names.size(); ++k) {
    const std::string& name = names[k];
    const Tensor* const x = tensor_of(in_.global(k));
    if (!x || !x->grad() || name[0] == '_') continue;
    const Before was = k < before.size() ? before[k] : Before();
    const bool same = was.x.ref() == x->ref() && was.grad && was.grad.ref() == x->grad().ref() &&
                      was.grad_version == x->grad().version();
    if (!same) all.push_back(shown_tensor(name + ".grad", x->grad(), clock_));
  }
  for (size_t k = 0; k < prints_.size(); ++k) {
    const Print& p = prints_[k];
    if (p.name.empty()) {
      all.push_back(
          {.name = "", .value = {}, .x = {}, .axes = {}, .at = p.at, .printed = k + 1, .label = p.label});
      if (p.ours) all.back().whose = Whose::OurPrint;
      continue;
    }
    const Tensor* const x = p.is_global ? tensor_of(in_.global(p.name)) : nullptr;
    if (!has(p.name) && x) all.push_back(shown_tensor(p.name, *x, p.at));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const ShownTensor& a, const ShownTensor& b) { return a.at < b.at; });
  for (const Directive& d : c.block->directives)
    if (d.kind == Directive::Hide &&
        std::erase_if(all, [&](const ShownTensor& m) { return m.name == d.name; }) == 0 &&
        !document_.is_edited)
      refuse(d.line, fmt::format("{} is not shown, so it cannot be hidden", d.name));
  block_begin_ = step_.size();
  step_.insert(step_.end(), all.begin(), all.end());
  bool fits = true;  // views need the values before them: false if one is missing
  for (const auto& one : c.expressions)
    if (one.first->kind == Directive::Show)
      fits = ignore_errors_if_edited([&] { show(c, *one.first, *one.second); }) && fits;
  const std::span<ShownTensor> block = std::span(step_).subspan(block_begin_);
  for (size_t k = 0; k < prints_.size(); ++k)
    for (ShownTensor& m : block)
      if (!prints_[k].name.empty() && m.name == prints_[k].name) {
        m.printed = k + 1, m.label = prints_[k].label;
        if (prints_[k].ours) m.whose = Whose::OurPrint;
      }
  sort(block);
  mark_ours(c);
  for (const auto& one : c.expressions)
    if (one.first->kind == Directive::View)
      fits = fits && ignore_errors_if_edited([&] { view(*one.first, *one.second, ""); });
  ignore_errors_if_edited([&] { offer_losses(c); });
}

namespace {

bool hidden(const FencedCode& block, std::string_view name) {
  return std::any_of(block.directives.begin(), block.directives.end(),
                     [&](const Directive& d) { return d.kind == Directive::Hide && d.name == name; });
}

}  // namespace

// If the block is one of ours, marks the values that it made (from block_begin_ on).
void LessonRunner::mark_ours(const Compiled& c) {
  if (c.block->whose != FencedCode::Ours) return;
  for (auto m = step_.begin() + static_cast<ptrdiff_t>(block_begin_); m != step_.end(); ++m)
    m->whose = Whose::Ours;
}

// Applies the axes comments on the lines of an `inside` block to the values of the record.
void LessonRunner::name_axes(const InsideCode& b, FrameRecord& r) {
  for (const auto& s : *b.lines) {
    const auto* const comment = axes_on(*s);
    if (!comment) continue;
    for (const Expr* name : script::assigned_names(*s))
      for (ShownTensor& m : r.made)
        if (m.name == r.prefix + name->text) try {
            axes_.set(m.x, comment->second);
            m.axes = comment->second;
          } catch (const Error& e) {
            if (!document_.is_edited) refuse(comment->first, e.what());
          }
  }
}

void LessonRunner::gather_inside(Compiled& c) {
  InsideCode& b = *c.inside;
  if (b.records.empty() && b.problem.empty())
    refuse(b.line, b.pattern.empty()
                       ? fmt::format("{} has not run above, or runs no function of the program", b.text)
                       : fmt::format("no call below {} is called {}", b.text, b.pattern));
  if (!b.problem.empty()) refuse(b.line, b.problem);
  block_begin_ = step_.size();
  for (FrameRecord& r : b.records) {
    name_axes(b, r);
    const size_t first = step_.size();
    for (const ShownTensor& m : r.made)
      if (!hidden(*c.block, m.name.substr(r.prefix.size()))) step_.push_back(m);
    for (size_t k = 0; k < c.expressions.size(); ++k) {
      const auto& [d, expression] = c.expressions[k];
      if (d->kind != Directive::Show) continue;
      ShownTensor shown;
      if (const auto at = r.shown.find(k); at != r.shown.end()) {
        shown = at->second;
        shown.name = r.prefix + d->name;
      } else {
        const script::Value v = stored(d->expression, &r);
        if (!v)
          refuse(d->line, fmt::format("{} did not run in these lines: show: names what ran; view: computes",
                                      d->expression));
        shown = shown_tensor(r.prefix + d->name, *tensor_of(v), 0);
      }
      if (!d->axes.words.empty()) shown.axes = d->axes;
      step_.push_back(std::move(shown));
    }
    std::stable_sort(step_.begin() + static_cast<ptrdiff_t>(first), step_.end(),
                     [](const ShownTensor& one, const ShownTensor& other) { return one.at < other.at; });
  }
  mark_ours(c);
  last_inside_ = &b;
  for (scope_record_ = 0; scope_record_ < b.records.size(); ++scope_record_)
    for (const auto& [d, expression] : c.expressions)
      if (d->kind == Directive::View) view(*d, *expression, b.records[scope_record_].prefix);
  scope_record_ = 0;
  offer_losses(c);
}

void LessonRunner::show(Compiled& c, const Directive& d, const script::Program& expression) {
  ShownTensor shown;
  const ShownTensor* found = nullptr;
  for (const auto& [x, o] : c.shown)
    if (o.at && o.name == d.name && script::same(*expression.body[0]->value, *x) &&
        (!found || o.at > found->at))
      found = &o;
  if (found) {
    shown = *found;
  } else {
    const script::Value v = stored(d.expression, nullptr);
    if (!v)
      refuse(d.line,
             fmt::format("{} did not run in this block: show: names what ran; view: computes", d.expression));
    shown = shown_tensor(d.name, *tensor_of(v), 0);
  }
  if (!d.axes.words.empty()) shown.axes = d.axes;
  step_.push_back(std::move(shown));
}

// Returns the tensor at a path of plain attributes, such as self.W_query.weight or x.grad; absent if there is
// none.
script::Value LessonRunner::stored(const std::string& path, const FrameRecord* frame) {
  script::Watcher* const me = in_.watch(nullptr);
  script::Value at;
  size_t dot = path.find('.');
  const std::string first = path.substr(0, dot);
  if (frame)
    for (const auto& [name, v] : frame->locals)
      if (name == first) at = v;
  if (const script::Value* global = in_.global(first); !at && global) at = *global;
  while (at && dot != std::string::npos) {
    const size_t next = path.find('.', dot + 1);
    const std::string name = path.substr(dot + 1, next == std::string::npos ? next : next - dot - 1);
    script::Value deeper;
    if ((tensor_of(at) && name != "grad") || !in_.find_attribute(at, name, deeper)) deeper = {};
    at = deeper;
    dot = next;
  }
  in_.watch(me);
  return at && tensor_of(at) ? at : script::Value();
}

void LessonRunner::offer_losses(const Compiled& c) {
  for (const Directive& d : c.block->directives) {
    if (d.kind != Directive::Loss) continue;
    const auto m = std::find_if(step_.rbegin(), step_.rend(),
                                [&](const ShownTensor& one) { return one.name == d.name; });
    if (m == step_.rend()) refuse(d.line, fmt::format("loss: {} is not shown here", d.name));
    if (!m->x.requires_grad()) refuse(d.line, fmt::format("loss: {} needs no gradient", d.name));
    offer_loss(d.name, m->x);
  }
}

// Offers a backward pass from a tensor, at most once.
void LessonRunner::offer_loss(const std::string& name, const Tensor& x) {
  if (!x->fn || losses_.insert({x->fn->seq, x->nr}).second) builder_.loss(name, x);
}

}  // namespace glassgrad::learn
