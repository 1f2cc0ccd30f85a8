#include <fmt/format.h>

#include <map>

#include "apps/ask/why/explanation.h"
#include "apps/cli/arguments.h"
#include "apps/cli/json_number.h"
#include "apps/show/render_json.h"

namespace glassgrad::why {
namespace {

using learn::CellNames, learn::Element, learn::Recording, learn::Step, learn::type_name;

Json json_of(const Scalar& x) {
  if (is_floating(x.dtype)) return json_number(x.real);
  return x.dtype == boolean ? Json(x.whole != 0) : Json(x.whole);
}

class Tree {
 public:
  Tree(const Recording& recording, const CellNames& names, const Step* here, int64_t depth)
      : recording_(recording), names_(names), here_(here), depth_(depth) {}

  Json of(const OpenedCell& cell, int64_t level) {
    kept_.push_back(cell.opened->expression);
    count(cell.opened->expression);
    return of(cell.opened->expression, cell, level);
  }

 private:
  // How often each sub-expression is used: a mean stands in every term of a variance.
  void count(const Expr& e) {
    if (!e->inputs.empty() && ++uses_[e.operator->()] == 1)
      for (const Expr& input : e->inputs) count(input);
  }

  Json of(const Expr& e, const OpenedCell& cell, int64_t level) {
    check<UsageError>(++nodes_ <= kMostNodes,
                      "--depth {} takes more than {} numbers: give a smaller depth, or another cell", depth_,
                      kMostNodes);
    const Term& t = *e.operator->();
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

  // Gives what is written for the first time an id; what was written before is only named by it.
  template <class Key>
  bool is_known(std::map<Key, size_t>& ids, const Key& key, Json& json) {
    const auto [at, is_new] = ids.try_emplace(key, last_id_ + 1);
    if (is_new) ++last_id_;
    if (!is_new) json["op"] = "same";
    json["id"] = at->second;
    if (!is_new) json["inputs"] = Json::array();
    return !is_new;
  }

  bool add_cell(Json& json, Json& inputs, const Element& read, int64_t level) {
    const Element place = names_.source(read);
    const learn::CellName name = names_.name(place, here_);
    json["name"] = name.full();
    if (level >= depth_ || name.is_value) return false;
    const OpenedCell next = open_cell(recording_, names_, place, here_);
    if (!next.opened) return false;
    if (is_known(cells_, {place.x.buffer.get(), place.x.place(place.index)}, json)) return true;
    json["rounding"] = json_number(next.opened->rounding);
    inputs.push_back(of(next, level + 1));
    return false;
  }

  const Recording& recording_;
  const CellNames& names_;
  const Step* here_;
  int64_t depth_;
  size_t nodes_ = 0, last_id_ = 0;
  std::vector<Expr> kept_;  // so that no two expressions are at one address
  std::map<const Term*, size_t> uses_, expressions_;
  std::map<std::pair<const Buffer*, int64_t>, size_t> cells_;
};

}  // namespace

Json cell_json(const Recording& recording, const learn::Address& address, int64_t depth) {
  const CellNames names(recording);
  const OpenedCell cell = open_cell(recording, names, address);
  Json json = {{"address", learn::to_text(address)},
               {"op", cell.call ? Json(cell.call->op->name) : Json()},
               {"value", json_of(cell.value)},
               {"dtype", type_name(cell.value.dtype)},
               {"rounding", cell.opened ? json_number(cell.opened->rounding) : Json(0.0)},
               {"tree", Json()}};
  if (cell.opened) json["tree"] = Tree(recording, names, address.step, depth).of(cell, 1);
  return json;
}

}  // namespace glassgrad::why
