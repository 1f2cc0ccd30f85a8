#include "apps/ask/graph/run_picture.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "apps/ask/cell_names.h"
#include "engine/core/joined.h"

namespace glassgrad::graph {
namespace {

using learn::Entry, learn::is_whole, learn::Recording, learn::Step, learn::Value;

constexpr size_t kMostNames = 3;  // of ops or weights in a box

template <class T>
void add_once(std::vector<T>& all, const T& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

// Leads from the shown tensors to a buffer.
struct Way {
  std::vector<size_t> from;           // boxes
  std::vector<std::string_view> ops;  // from there to the buffer, in the order of their first calls

  void add(const Way& other) {
    for (const size_t box : other.from) add_once(from, box);
    for (const std::string_view op : other.ops) add_once(ops, op);
  }
};

std::string shape_line(const Dims& shape) {
  if (shape.n == 0) return "a number";
  return joined(shape, " × ");
}

// "model.trf_blocks.0.att.W_query.weight" → "W_query.weight".
std::string short_name(const std::string& name) {
  const size_t last = name.rfind('.');
  const size_t before = last == 0 || last == name.npos ? name.npos : name.rfind('.', last - 1);
  return before == name.npos ? name : name.substr(before + 1);
}

template <class Text>
std::string listed(const char* word, const std::vector<Text>& names, const char* several) {
  if (names.size() > kMostNames) return fmt::format("{} {} {}", word, names.size(), several);
  return fmt::format("{} {}", word, joined(names, ", "));
}

class Painter {
 public:
  explicit Painter(const Recording& recording) : trace_(*recording.trace) {
    for (const Step& step : recording.steps) {
      if (bands_.empty() || step.section != bands_.back()) bands_.push_back(step.section);
      for (const Entry& entry : step.entries)
        if (entry.whose != learn::Whose::View && entry.whose != learn::Whose::Wrong) place(step.id, entry);
    }
    const size_t shown = boxes_.size();
    for (const Entry& entry : recording.given.entries)
      if (entry.value && *entry.value && !box_of_.contains(entry.value->buffer.get()))
        place(recording.given.id, entry);
    follow_calls();
    fold_weights(shown);
    describe();
  }

  // Sorts the boxes by the time at which they were written.
  Picture sorted() {
    std::vector<size_t> order;
    for (size_t i = 0; i < boxes_.size(); ++i)
      if (!boxes_[i].is_folded) order.push_back(i);
    // kNobody, the writer of an input, is the largest: counted from there, inputs come first.
    const auto time = [&](size_t i) { return boxes_[i].buffer->writer.call + 1; };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return time(a) < time(b); });
    std::vector<size_t> place(boxes_.size());
    for (size_t k = 0; k < order.size(); ++k) place[order[k]] = k;
    Picture pictured;
    for (const size_t i : order) {
      PictureBox& box = pictured.boxes.emplace_back(std::move(boxes_[i].box));
      pictured.band.push_back(boxes_[i].band);
      for (size_t& from : box.from) from = place[from];
      std::sort(box.from.begin(), box.from.end());
    }
    // A tensor stands no later than what was computed from it.
    for (size_t k = order.size(); k-- > 0;)
      for (const size_t from : pictured.boxes[k].from)
        pictured.band[from] = std::min(pictured.band[from], pictured.band[k]);
    pictured.bands = bands_;
    return pictured;
  }

 private:
  struct Unsorted {
    PictureBox box;
    const Buffer* buffer;
    const Value* named;  // the entry that gives the box its name: a whole tensor rather than a part
    std::string name;
    std::vector<std::string_view> ops;
    std::vector<std::string> weights = {};
    size_t band = 0;
    bool is_folded = false;  // a weight that stands in the box of its first reader, or that nothing reads
  };

  void place(const std::string& step, const Entry& entry) {
    if (!entry.value || !*entry.value || entry.value->numel() == 0) return;
    const Value& value = *entry.value;
    const auto [found, is_new] = box_of_.emplace(value.buffer.get(), boxes_.size());
    if (is_new)
      boxes_.push_back({.box = {},
                        .buffer = found->first,
                        .named = &value,
                        .name = entry.name,
                        .ops = {},
                        .band = bands_.size() - 1});
    Unsorted& one = boxes_[found->second];
    if (!is_whole(*one.named) && is_whole(value)) one.named = &value, one.name = entry.name;
    one.box.addresses.push_back(fmt::format("{}:{}", step, entry.name));
  }

  std::string_view name_of(const RecordedCall& call) const {
    const auto scope = call.part_of;
    if (scope && !trace_.scopes()[*scope].is_module) return trace_.scopes()[*scope].name;
    return call.op->name;
  }

  void follow(Way& into, const Buffer* buffer) const {
    if (const auto box = box_of_.find(buffer); box != box_of_.end())
      add_once(into.from, box->second);
    else if (const auto way = ways_.find(buffer); way != ways_.end())
      into.add(way->second);
  }

  void follow_calls() {
    for (size_t c = 0; c < trace_.calls().size(); ++c) {
      const RecordedCall& call = trace_.calls()[c];
      Way way;
      for (const Snapshot& x : call.in)
        if (x) follow(way, x.buffer.get());
      add_once(way.ops, name_of(call));
      for (const Snapshot& x : call.out) {
        if (!x || x.buffer->writer.call != c) continue;  // a view: nothing was written
        Way whole = way;
        if (x.buffer->writer.before) follow(whole, x.buffer->writer.before);
        if (const auto box = box_of_.find(x.buffer.get()); box != box_of_.end()) {
          boxes_[box->second].box.from = std::move(whole.from);
          boxes_[box->second].ops = std::move(whole.ops);
        } else {
          ways_[x.buffer.get()] = std::move(whole);
        }
      }
    }
  }

  // A weight that no step shows stands in the box of the first tensor that was computed from it.
  void fold_weights(size_t shown) {
    for (size_t given = shown; given < boxes_.size(); ++given) {
      std::vector<Unsorted*> readers;
      for (Unsorted& box : boxes_)
        if (std::count(box.box.from.begin(), box.box.from.end(), given)) readers.push_back(&box);
      Unsorted& one = boxes_[given];
      one.is_folded = readers.size() <= 1 || one.named->is_parameter;
      if (!one.is_folded || readers.empty()) continue;
      for (Unsorted* reader : readers) std::erase(reader->box.from, given);
      const auto is_earlier = [](const Unsorted* a, const Unsorted* b) {
        return a->buffer->writer.call < b->buffer->writer.call;
      };
      (*std::min_element(readers.begin(), readers.end(), is_earlier))
          ->weights.push_back(short_name(one.name));
    }
  }

  void describe() {
    for (Unsorted& one : boxes_) {
      one.box.is_given = !Recorder::is_written(*one.named);
      one.box.lines = {one.name, shape_line(one.named->shape())};
      if (!one.ops.empty()) one.box.lines.push_back(listed("=", one.ops, "operations"));
      if (!one.weights.empty()) one.box.lines.push_back(listed("with", one.weights, "weights"));
    }
  }

  const Recorder& trace_;
  std::vector<Unsorted> boxes_;
  std::vector<std::string> bands_;
  std::unordered_map<const Buffer*, size_t> box_of_;
  std::unordered_map<const Buffer*, Way> ways_;  // of buffers that no box has
};

}  // namespace

Picture picture_of(const Recording& recording) { return Painter(recording).sorted(); }

}  // namespace glassgrad::graph
