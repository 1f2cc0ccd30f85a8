#include "apps/ask/run_map.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <set>

#include "engine/core/text_width.h"

namespace glassgrad::learn {
namespace {

// A module or an op of a run, before equal parts are merged into one node.
struct Part {
  std::string name;
  std::string shown = {};  // the name of its result, if the lesson shows it and `name` is only a number
  bool is_module = false;
  size_t times = 1;
  std::vector<size_t> calls = {};  // its own, without those of its parts
  std::vector<Part> parts = {};

  bool is_open() const {
    const auto has_parts = [](const Part& p) { return p.is_module && !p.parts.empty(); };
    return std::any_of(parts.begin(), parts.end(), has_parts);
  }
  // Returns the structure of the part as text: its modules and their parts. Parts with the same form are
  // equal.
  std::string form() const {
    std::string text = name;
    for (const Part& p : parts)
      if (p.is_module) text += fmt::format("({}×{})", p.form(), p.times);
    return text;
  }
  size_t size() const {
    size_t n = 1;
    for (const Part& p : parts) n += p.size();
    return n;
  }
};

// "trf_blocks.0" → "trf_blocks".
std::string without_number(const std::string& name) {
  const size_t end = name.find_last_not_of("0123456789");
  return end != name.npos && end + 1 < name.size() && name[end] == '.' ? name.substr(0, end) : name;
}

void take_all(Part& into, const Part& other) {
  into.calls.insert(into.calls.end(), other.calls.begin(), other.calls.end());
  for (const Part& p : other.parts) take_all(into, p);
}

// Joins two parts of the same form. The lesson may show the ops of only one of them.
void join(Part& into, Part other) {
  if (other.size() > into.size()) std::swap(into, other);
  if (into.shown.empty()) into.shown = std::move(other.shown);
  into.calls.insert(into.calls.end(), other.calls.begin(), other.calls.end());
  size_t next = 0;
  for (Part& p : other.parts) {
    size_t k = next;
    while (k < into.parts.size() && !(into.parts[k].is_module == p.is_module && into.parts[k].name == p.name))
      ++k;
    if (k == into.parts.size()) {
      take_all(into, p);
    } else {
      join(into.parts[k], std::move(p));
      next = k + 1;
    }
  }
}

// Joins consecutive modules of a list that have the same form: "blocks.0" and "blocks.1".
void join_alike(std::vector<Part>& parts) {
  std::vector<Part> joined;
  for (Part& part : parts) {
    part.name = without_number(part.name);
    if (!joined.empty() && part.is_module && joined.back().form() == part.form()) {
      const size_t times = joined.back().times + 1;
      join(joined.back(), std::move(part));
      joined.back().times = times;
    } else {
      joined.push_back(std::move(part));
    }
  }
  parts = std::move(joined);
}

// True if the entry is a value of the program, not one computed only for display.
bool has_place(const Entry& entry) {
  return entry.value && *entry.value && entry.value->numel() > 0 && entry.whose != Whose::View;
}

class Maker {
 public:
  explicit Maker(const Recording& recording) : recording_(recording), trace_(*recording.trace) {
    of_call.resize(trace_.calls().size());
    name_calls();
    place_calls();
    for (const size_t outermost : roots_) add_root(made(outermost));
    for (const Part& root : maps_) add(root, {});
    add_ends();
  }
  std::vector<MapNode> nodes;
  std::vector<std::optional<size_t>> of_call;

 private:
  struct Item {
    bool is_scope;
    size_t at;
  };

  // Names each call after the first tensor in a step that the call made.
  void name_calls() {
    for (const Step& step : recording_.steps)
      for (const Entry& entry : step.entries) {
        if (!has_place(entry)) continue;
        const auto cell = trace_.writer(*entry.value);
        const std::string last = entry.name.substr(entry.name.rfind('.') + 1);  // "keys" of "heads.0.keys"
        if (cell) names_.emplace(cell->call, last.substr(0, last.find('#')));
      }
  }

  // Returns the module around a scope: a composed function belongs to the module that called it.
  std::optional<size_t> module_of(std::optional<uint32_t> scope) const {
    while (scope && !trace_.scopes()[*scope].is_module) scope = trace_.scopes()[*scope].part_of;
    return scope;
  }

  void place_calls() {
    std::vector<bool> known(trace_.scopes().size(), false);
    items_.resize(trace_.scopes().size());
    for (size_t c = 0; c < trace_.calls().size(); ++c) {
      const RecordedCall& call = trace_.calls()[c];
      if (call.in_backward) continue;
      std::optional<size_t> module = module_of(call.part_of);
      if (module) items_[*module].push_back({false, c});
      while (module && !known[*module]) {
        known[*module] = true;
        const std::optional<size_t> outer = module_of(trace_.scopes()[*module].part_of);
        if (!outer)
          roots_.push_back(*module);
        else
          items_[*outer].push_back({true, *module});
        module = outer;
      }
    }
  }

  std::optional<std::string> shown_of(const Part& part) const {
    for (size_t i = part.calls.size(); i-- > 0;)
      if (const auto named = names_.find(part.calls[i]); named != names_.end()) return named->second;
    return {};
  }

  Part made(size_t scope) {
    Part part{.name = trace_.scopes()[scope].name, .is_module = true};
    for (const Item& item : items_[scope]) {
      if (item.is_scope) {
        part.parts.push_back(made(item.at));
        continue;
      }
      const RecordedCall& call = trace_.calls()[item.at];
      const auto named = names_.find(item.at);
      const bool is_sum = std::string_view(call.op->name) == "add";
      if (!call.is_view && !call.in.empty() && (named != names_.end() || is_sum))
        part.parts.push_back({.name = named != names_.end() ? named->second : "+", .calls = {item.at}});
      else
        part.calls.push_back(item.at);
    }
    // Name a module of nn.Sequential, "0", by what it computes.
    for (Part& p : part.parts)
      if (p.name.find_first_not_of("0123456789") == p.name.npos)
        if (const auto shown = shown_of(p)) p.shown = *shown;
    join_alike(part.parts);
    const bool is_open = part.is_open();
    std::vector<Part> kept;
    for (Part& p : part.parts) {
      const bool is_sum = !p.is_module && std::string_view(trace_.calls()[p.calls[0]].op->name) == "add";
      if (is_open && is_sum) p.name = "+";
      if (p.is_module || (is_open ? is_sum : p.name != "+"))
        kept.push_back(std::move(p));
      else
        part.calls.insert(part.calls.end(), p.calls.begin(), p.calls.end());
    }
    part.parts = std::move(kept);
    if (part.parts.size() == 1 &&
        !part.parts[0].is_module) {  // a single layer, of which only the result is shown
      part.calls.insert(part.calls.end(), part.parts[0].calls.begin(), part.parts[0].calls.end());
      part.parts.clear();
    }
    return part;
  }

  // Adds a map, unless the module has no parts: then the map would be one box.
  void add_root(Part root) {
    if (root.size() < 3) return;
    for (Part& map : maps_)
      if (map.form() == root.form()) return join(map, std::move(root));
    maps_.push_back(std::move(root));
  }

  void add(const Part& part, std::optional<size_t> part_of) {
    const size_t node = nodes.size();
    nodes.push_back({part.shown.empty() ? part.name : part.shown, part_of, part.times, part.is_open()});
    for (const size_t call : part.calls) of_call[call] = node;
    for (const Part& p : part.parts) add(p, node);
  }

  // Adds what the program itself computes from a model's result: a softmax and a loss.
  void add_ends() {
    enum End : size_t { Softmax, TheLoss };
    std::map<const Buffer*, size_t> answers;  // the map of the module that computed the buffer
    std::map<std::pair<size_t, End>, std::vector<size_t>> ends;
    for (size_t c = 0; c < of_call.size(); ++c) {
      const RecordedCall& call = trace_.calls()[c];
      if (call.in_backward) continue;
      std::optional<size_t> whole = of_call[c];
      while (whole && nodes[*whole].part_of) whole = nodes[*whole].part_of;
      if (!whole) {
        for (const Snapshot& x : call.in)
          if (const auto answer = answers.find(x.buffer.get()); answer != answers.end())
            whole = answer->second;
        if (!whole || !nodes[*whole].is_open) continue;
        if (trace_.scope_of(call) == "cross_entropy")
          ends[{*whole, TheLoss}].push_back(c);
        else if (std::string_view(call.op->name) == "softmax")
          ends[{*whole, Softmax}].push_back(c);
      }
      for (const Snapshot& x : call.out) answers[x.buffer.get()] = *whole;
    }
    for (const auto& [end, calls] : ends) {
      for (const size_t call : calls) of_call[call] = nodes.size();
      nodes.push_back({end.second == Softmax ? "softmax" : "loss", end.first});
    }
  }

  const Recording& recording_;
  const Recorder& trace_;
  std::map<size_t, std::string> names_;   // by call
  std::vector<std::vector<Item>> items_;  // by scope, in the order in which they ran
  std::vector<size_t> roots_;             // modules that no module has called
  std::vector<Part> maps_;
};

}  // namespace

RunMap::RunMap(const Recording& recording) {
  if (!recording.trace) return;
  Maker made(recording);
  nodes_ = std::move(made.nodes);
  if (empty()) return;
  of_call_ = std::move(made.of_call);

  const Recorder& trace = *recording.trace;
  std::map<const Buffer*, size_t> read_by;  // parameters: the node that reads them first
  for (size_t c = 0; c < of_call_.size(); ++c)
    for (const Snapshot& x : trace.calls()[c].in)
      if (of_call_[c] && x && !Recorder::is_written(x)) read_by.emplace(x.buffer.get(), *of_call_[c]);
  std::set<size_t> seen;  // calls that an earlier step shows
  for (const Step& step : recording.steps) {
    std::set<size_t> found, again;
    for (const Entry& entry : step.entries) {
      if (!has_place(entry)) continue;
      if (const auto cell = trace.writer(*entry.value)) {
        if (of_call_[cell->call])
          (seen.insert(cell->call).second ? found : again).insert(*of_call_[cell->call]);
      } else if (entry.value->is_parameter && read_by.contains(entry.value->buffer.get())) {
        found.insert(read_by.at(entry.value->buffer.get()));
      }
    }
    if (found.empty()) found = again;
    of_step_[step.id].assign(found.begin(), found.end());
  }
}

std::vector<size_t> RunMap::of(const Step& step) const {
  const auto found = of_step_.find(step.about.empty() ? step.id : step.about);
  return found == of_step_.end() ? std::vector<size_t>() : found->second;
}

std::optional<size_t> RunMap::whole_of(const Step& step) const {
  if (empty()) return {};
  const std::vector<size_t> here = of(step);
  if (here.empty())
    return std::count_if(nodes_.begin(), nodes_.end(), [](const MapNode& s) { return !s.part_of; }) == 1
               ? std::optional<size_t>(0)
               : std::nullopt;
  size_t node = here.back();
  while (nodes_[node].part_of) node = *nodes_[node].part_of;
  return node;
}

std::vector<size_t> RunMap::parts_of(std::optional<size_t> node) const {
  std::vector<size_t> parts;
  for (size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].part_of == node) parts.push_back(i);
  return parts;
}

// Draws "norm1"; for a node of the step "▸norm1◂", with the parts that the step shows: "▸att: scores
// scaled◂".
std::string RunMap::drawn(size_t node, const std::set<size_t>& here, bool with_parts,
                          const char* next) const {
  const MapNode& s = nodes_[node];
  const std::vector<size_t> parts = parts_of(node);
  if (s.is_open) {
    std::vector<std::string> inside;
    for (const size_t part : parts) inside.push_back(drawn(part, here, with_parts, next));
    return fmt::format("[{}]{}", joined(inside, next), s.times > 1 ? fmt::format("×{}", s.times) : "");
  }
  bool is_here = here.contains(node);
  std::string shown;
  for (const size_t part : parts)
    if (here.contains(part)) is_here = true, shown += (shown.empty() ? ": " : " ") + nodes_[part].name;
  return is_here ? fmt::format("▸{}{}◂", s.name, with_parts ? shown : "") : s.name;
}

std::string RunMap::line(const Step& step, size_t columns) const {
  const std::optional<size_t> whole = whole_of(step);
  if (!whole) return {};
  const std::vector<size_t> of_step = of(step);
  const std::set<size_t> here(of_step.begin(), of_step.end());
  const auto whole_text = [&](const std::set<size_t>& marked, bool with_parts, const char* next) {
    std::vector<std::string> parts;
    for (const size_t part : parts_of(whole)) parts.push_back(drawn(part, marked, with_parts, next));
    return joined(parts, next);
  };
  // Choose one separator for all steps of a map, and keep space for the marks.
  const char* const next = columns_of(whole_text({}, false, " › ")) + 12 <= columns ? " › " : "›";
  std::string text;
  for (const bool with_parts : {true, false}) {
    text = whole_text(here, with_parts, next);
    if (columns_of(text) <= columns) return text;
  }
  // Keep the words around the step.
  std::vector<std::string> words;
  constexpr std::string_view kNext = "›";
  for (size_t from = 0; from < text.size();) {
    const size_t to = std::min(text.find(kNext, from), text.size());
    words.push_back(text.substr(from, to - from));
    from = to + kNext.size();
  }
  const auto is_here = [](const std::string& word) { return word.find("▸") != word.npos; };
  const auto middle = std::find_if(words.begin(), words.end(), is_here);
  size_t first = size_t(middle - words.begin()) % words.size(), last = first;
  const auto words_from = [&](size_t a, size_t b) {
    return fmt::format("{}{}{}", a > 0 ? "…›" : "", joined(std::span(words).subspan(a, b + 1 - a), kNext),
                       b + 1 < words.size() ? "›…" : "");
  };
  for (bool grows = true; grows;) {
    grows = false;
    if (last + 1 < words.size() && columns_of(words_from(first, last + 1)) <= columns) ++last, grows = true;
    if (first > 0 && columns_of(words_from(first - 1, last)) <= columns) --first, grows = true;
  }
  return words_from(first, last);
}

// Follows numbers by their buffers: a call reads what earlier nodes wrote to the same memory. A view does not
// compute with the numbers, so it does not count as a user.
DataFlow::DataFlow(const RunMap& map, const Recorder& trace) {
  if (map.empty()) return;
  const size_t nodes = map.nodes().size();
  const auto unite = [&](Set& into, const Set& other) {
    into.resize(nodes);
    for (size_t i = 0; i < other.size(); ++i) into[i] = into[i] || other[i];
  };
  const auto reached = [](const std::map<const Buffer*, Set>& sets, const Snapshot& x) {
    const auto found = sets.find(x.buffer.get());
    return found == sets.end() ? Set() : found->second;
  };
  const auto& calls = trace.calls();
  for (size_t c = 0; c < calls.size(); ++c) {
    if (calls[c].in_backward) continue;
    Set set(nodes);
    for (const Snapshot& x : calls[c].in) unite(set, reached(from_, x));
    if (const auto node = map.of_call(c)) set[*node] = true;
    for (const Snapshot& x : calls[c].out) unite(from_[x.buffer.get()], set);
  }
  for (size_t c = calls.size(); c-- > 0;) {
    if (calls[c].in_backward) continue;
    Set set(nodes);
    for (const Snapshot& x : calls[c].out) unite(set, reached(to_, x));
    if (const auto node = map.of_call(c); node && !calls[c].is_view) set[*node] = true;
    for (const Snapshot& x : calls[c].in) unite(to_[x.buffer.get()], set);
  }
}

DataFlow::Flow DataFlow::of(const Entry& entry) const {
  Flow way;
  if (!entry.value || !*entry.value) return way;
  const auto list = [&](const std::map<const Buffer*, Set>& sets, std::vector<size_t>& into) {
    const auto found = sets.find(entry.value->buffer.get());
    for (size_t i = 0; found != sets.end() && i < found->second.size(); ++i)
      if (found->second[i]) into.push_back(i);
  };
  list(from_, way.from);
  list(to_, way.to);
  return way;
}

}  // namespace glassgrad::learn
