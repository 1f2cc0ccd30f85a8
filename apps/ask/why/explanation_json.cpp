#include <fmt/core.h>

#include <map>

#include "apps/ask/why/explanation.h"
#include "apps/cli/arguments.h"
#include "apps/cli/json_number.h"
#include "apps/show/render_json.h"

namespace glassgrad::why {
namespace {

using learn::CellName, learn::CellNames, learn::Recording, learn::type_name;

Json json_of(const Scalar& x) {
  if (is_floating(x.dtype)) return json_number(x.real);
  return x.dtype == boolean ? Json(x.whole != 0) : Json(x.whole);
}

class Tree {
 public:
  Tree(const TreeCells& cells, int64_t depth) : cells_of_(cells), depth_(depth) {}

  Json of(const TreeCell& cell, int64_t level) {
    kept_.push_back(cell.opened->expression);
    count(cell.opened->expression);
    return of(cell.opened->expression, cell, level);
  }

 private:
  // Counts how often each sub-expression is used. For example, a mean is used in every term of a variance.
  void count(const Expr& e) {
    if (!e->inputs.empty() && ++uses_[e.operator->()] == 1)
      for (const Expr& input : e->inputs) count(input);
  }

  Json of(const Expr& e, const TreeCell& cell, int64_t level) {
    check<UsageError>(++nodes_ <= kMostNodes,
                      "--depth {} takes more than {} numbers: give a smaller depth, or another cell", depth_,
                      kMostNodes);
    const ExprNode& t = *e.operator->();
    Json json = {{"op", t.op}, {"value", json_of(t.value)}, {"dtype", type_name(t.value.dtype)}};
    if (uses_[&t] > 1 && is_known(expressions_, &t, json)) return json;
    if (!t.label.empty()) json["label"] = t.label;
    Json inputs = Json::array();
    if (t.op == "cell") {
      if (add_cell(json, inputs, {cell.call->in[size_t(t.input)], t.index}, level)) return json;
    } else {
      for (const Expr& input : t.inputs) inputs.push_back(of(input, cell, level));
    }
    json["inputs"] = std::move(inputs);
    return json;
  }

  // Writes the id of the key. Returns true if the key was written before, so that the id is enough.
  template <class Key>
  bool is_known(std::map<Key, size_t>& ids, const Key& key, Json& json) {
    const auto [at, is_new] = ids.try_emplace(key, last_id_ + 1);
    if (is_new) ++last_id_;
    if (!is_new) json["op"] = "same";
    json["id"] = at->second;
    if (!is_new) json["inputs"] = Json::array();
    return !is_new;
  }

  bool add_cell(Json& json, Json& inputs, const SnapshotElement& read, int64_t level) {
    const TreeCell next = cells_of_(read, level < depth_);
    json["name"] = next.name;
    if (!next.opened || next.is_value) return false;
    if (is_known(cells_, {next.place.x.buffer.get(), next.place.x.place(next.place.index)}, json))
      return true;
    json["rounding"] = json_number(next.opened->rounding);
    inputs.push_back(of(next, level + 1));
    return false;
  }

  const TreeCells& cells_of_;
  int64_t depth_;
  size_t nodes_ = 0, last_id_ = 0;
  std::vector<Expr> kept_;  // keeps expressions alive, so that no two have the same address
  std::map<const ExprNode*, size_t> uses_, expressions_;
  std::map<std::pair<const Buffer*, int64_t>, size_t> cells_;
};

}  // namespace

Json cell_json(const TreeCell& root, const Scalar& value, const TreeCells& cells, int64_t depth) {
  Json json = {{"address", root.name},
               {"op", root.call ? Json(root.call->op->name) : Json()},
               {"value", json_of(value)},
               {"dtype", type_name(value.dtype)},
               {"rounding", root.opened ? json_number(root.opened->rounding) : Json(0.0)},
               {"tree", Json()}};
  if (root.opened) json["tree"] = Tree(cells, depth).of(root, 1);
  return json;
}

Json cell_json(const Recording& recording, const learn::Address& address, int64_t depth) {
  const CellNames names(recording);
  const OpenedCell cell = open_cell(recording, names, address);
  const TreeCells cells = [&](const SnapshotElement& number, bool open) {
    const SnapshotElement place = names.source(number);
    const CellName name = names.name(place, address.step);
    TreeCell next{.place = place, .name = name.full(), .is_value = name.is_value};
    if (open && !name.is_value) {
      OpenedCell opened = open_cell(recording, names, place, address.step);
      next.call = opened.call, next.opened = std::move(opened.opened);
    }
    return next;
  };
  return cell_json(
      {.place = cell.place, .name = learn::to_text(address), .call = cell.call, .opened = cell.opened},
      cell.value, cells, depth);
}

}  // namespace glassgrad::why
