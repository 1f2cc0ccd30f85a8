#include "apps/lesson/frames.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/script/modules.h"
#include "apps/script/walk.h"

namespace glassgrad::learn {

using script::Expr;
using script::Frame;
using script::Statement;
using script::tensor_of;

namespace {

script::Value in_cell(const Frame& frame, size_t cell) {
  return static_cast<script::Cell*>(frame.cells[cell].object())->value;
}

// True if a path, "heads.0", matches a pattern, "heads.*".
bool fits(std::string_view path, std::string_view pattern) {
  while (true) {
    const std::string_view a = path.substr(0, path.find('.')), b = pattern.substr(0, pattern.find('.'));
    if (b != "*" && a != b) return false;
    const bool more = a.size() < path.size();
    if (more != (b.size() < pattern.size())) return false;
    if (!more) return true;
    path.remove_prefix(a.size() + 1);
    pattern.remove_prefix(b.size() + 1);
  }
}

// Returns the path of `wanted` below `root`; empty if it is not there.
std::string path_of(const script::Value& root, const script::Value& wanted, const std::string& before = "") {
  const script::ModuleObject* const m = script::as_module(root);
  if (!m) return "";
  for (const auto& [name, child] : m->children) {
    if (script::identical(child, wanted)) return before + name;
    if (std::string deeper = path_of(child, wanted, before + name + "."); !deeper.empty()) return deeper;
  }
  return "";
}

}  // namespace

script::Value local(const Frame& frame, std::string_view name) {
  const script::Code& code = *frame.code;
  for (size_t k = 0; k < code.cell_names.size() && k < frame.cells.size(); ++k)
    if (code.cell_names[k] == name) return in_cell(frame, k);
  for (size_t k = 0; k < code.slot_names.size() && k < frame.slots.size(); ++k)
    if (code.slot_names[k] == name && frame.slots[k]) return frame.slots[k];
  return {};
}

std::vector<std::pair<std::string, script::Value>> locals(const Frame& frame) {
  std::vector<std::pair<std::string, script::Value>> all;
  const auto add = [&](const std::string& name, script::Value v) {
    if (v && !name.empty() && name[0] != '_') all.emplace_back(name, std::move(v));
  };
  for (size_t k = 0; k < frame.code->slot_names.size() && k < frame.slots.size(); ++k)
    add(frame.code->slot_names[k], frame.slots[k]);
  for (size_t k = 0; k < frame.code->cell_names.size() && k < frame.cells.size(); ++k)
    add(frame.code->cell_names[k], in_cell(frame, k));
  return all;
}

// ---- finds the quoted lines in a function
namespace {

void each_body(const script::Body& body, const std::function<void(const script::Body&)>& f) {
  f(body);
  for (const auto& s : body) {
    if (s->kind == Statement::Def || s->kind == Statement::Class) continue;
    for (const script::Body* inner : {&s->body, &s->other, &s->finally})
      if (!inner->empty()) each_body(*inner, f);
    for (const auto& h : s->handlers) each_body(h.body, f);
  }
}

// Maps the lines of a quoted statement to those of the function; only the first line if their counts differ.
void add_lines(const Statement& quoted, const Statement& there, std::map<int, int>& function_lines) {
  const auto lines = [](const Statement& s) {
    return std::max(s.last_line, s.where.end_line) - s.where.line;
  };
  const int more = lines(quoted) == lines(there) ? lines(there) : 0;
  for (int n = 0; n <= more; ++n) function_lines[quoted.where.line + n] = there.where.line + n;
}

}  // namespace

const Frames::StatementRange& Frames::range_in(const InsideCode& block, const script::Code& code) {
  const auto [at, fresh] = ranges_.try_emplace({&block, &code});
  StatementRange& range = at->second;
  if (!fresh) return range;
  const script::Body& lines = *block.lines;
  each_body(code.body, [&](const script::Body& body) {
    for (size_t k = 0; k + lines.size() <= body.size(); ++k) {
      size_t n = 0;
      while (n < lines.size() && script::same(*lines[n], *body[k + n])) ++n;
      if (n < lines.size()) continue;
      ++range.times;
      range.first = body[k].get();
      range.last = body[k + n - 1].get();
      range.targets.clear(), range.names.clear(), range.mentioned.clear(), range.shown.clear(),
          range.function_lines.clear();
      for (size_t i = k; i < k + n; ++i) {
        add_lines(*lines[i - k], *body[i], range.function_lines);
        for (const Expr* name : script::assigned_names(*body[i])) {
          range.targets.insert(name);
          if (std::find(range.names.begin(), range.names.end(), name->text) == range.names.end())
            range.names.push_back(name->text);
        }
        script::walk(*body[i], {.expression = [&](const Expr& x) {
          if (x.kind == Expr::Name) range.mentioned.push_back(x.text);
          for (size_t d = 0; d < block.shown.size(); ++d)
            if (block.shown[d] && script::same(*block.shown[d], x)) range.shown[&x] = d;
        }});
      }
    }
  });
  return range;
}

// ---- while the program runs
void Frames::entered(Frame& frame) {
  Active active{&frame, {}, {}};
  if (frame.call) {
    const auto [at, fresh] = blocks_of_call_.try_emplace(frame.call);
    if (fresh)
      for (const auto& b : blocks_)
        if (script::same(*b->call, *frame.call)) at->second.push_back(b.get());
    for (InsideCode* b : at->second) {
      const bool nested = std::any_of(active_.begin(), active_.end(), [&](const Active& a) {
        return std::find(a.roots.begin(), a.roots.end(), b) != a.roots.end();
      });
      if (nested) continue;
      b->records.clear();
      b->problem.clear();
      active.roots.push_back(b);
      if (b->pattern.empty()) match(active, *b, "");
    }
  }
  if (frame.code->name == "forward")
    for (const Active& outer : active_)
      for (InsideCode* b : outer.roots) {
        if (b->pattern.empty()) continue;
        const std::string path = path_of(local(*outer.frame, "self"), local(frame, "self"));
        if (!path.empty() && fits(path, b->pattern)) match(active, *b, path + ".");
      }
  active_.push_back(std::move(active));
}

void Frames::match(Active& active, InsideCode& block, const std::string& prefix) {
  const StatementRange& range = range_in(block, *active.frame->code);
  if (range.times != 1) {
    block.problem =
        fmt::format("these lines stand {} times in {}; they must stand there once, one after the other",
                    range.times, active.frame->code->qualified_name);
    return;
  }
  block.function_lines = range.function_lines;
  block.records.push_back({.prefix = prefix, .made = {}, .locals = {}, .shown = {}});
  active.matches.push_back({&block, block.records.size() - 1, &range, false, {}, {}});
}

void Frames::left(Frame& frame) {
  if (active_.empty() || active_.back().frame != &frame) return;
  for (Match& m : active_.back().matches)
    if (m.running) finish(m, frame);
  active_.pop_back();
}

void Frames::before(const Statement& s, Frame& frame) {
  if (active_.empty() || active_.back().frame != &frame) return;
  for (Match& m : active_.back().matches) {
    if (m.range->first != &s) continue;
    m.running = true;
    m.bound_at.clear();
    m.versions.clear();
    m.block->records[m.record].shown.clear();
    for (const std::string& name : m.range->mentioned)
      if (const script::Value v = local(frame, name); v && tensor_of(v))
        m.versions.try_emplace(name, *tensor_of(v), tensor_of(v)->version());
  }
}

void Frames::after(const Statement& s, Frame& frame) {
  if (active_.empty() || active_.back().frame != &frame) return;
  for (Match& m : active_.back().matches)
    if (m.running && m.range->last == &s) finish(m, frame);
}

void Frames::finish(Match& m, Frame& frame) {
  m.running = false;
  FrameRecord& record = m.block->records[m.record];
  record.made.clear();
  const auto add = [&](const std::string& name, const script::Value& v, uint64_t at) {
    if (!v || !tensor_of(v)) return;
    ShownTensor made = make(record.prefix + name, *tensor_of(v));
    made.at = at;
    record.made.push_back(std::move(made));
  };
  for (const std::string& name : m.range->names)
    if (const auto at = m.bound_at.find(name); at != m.bound_at.end() && name[0] != '_')
      add(name, local(frame, name), at->second);
  for (const auto& [name, was] : m.versions) {
    const script::Value v = local(frame, name);
    const Tensor* const x = v ? tensor_of(v) : nullptr;
    if (x && !m.bound_at.contains(name) && x->ref() == was.first.ref() && x->version() != was.second)
      add(name, v, 1);
  }
  record.locals = locals(frame);
  for (auto& [name, v] : record.locals)
    if (const Tensor* x = tensor_of(v)) v = make(name, *x).in_prose();
}

void Frames::assigned(const Expr& target, Frame& frame, uint64_t at) {
  if (active_.empty() || active_.back().frame != &frame) return;
  for (Match& m : active_.back().matches)
    if (m.running && m.range->targets.contains(&target)) m.bound_at[target.text] = at;
}

void Frames::evaluated(const Expr& x, const Tensor& v, Frame& frame, uint64_t at) {
  if (active_.empty() || active_.back().frame != &frame) return;
  for (Match& m : active_.back().matches) {
    if (!m.running) continue;
    const auto found = m.range->shown.find(&x);
    if (found == m.range->shown.end()) continue;
    ShownTensor& shown = m.block->records[m.record].shown[found->second] = make("", v);
    shown.at = at;
  }
}

}  // namespace glassgrad::learn
