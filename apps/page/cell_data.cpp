#include "apps/page/cell_data.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "apps/ask/backward.h"
#include "apps/ask/predict/provenance.h"
#include "apps/ask/why/opened_cell.h"
#include "engine/print.h"

namespace glassgrad::explorer {
namespace {

using learn::Address, learn::SnapshotElement, learn::Recording, learn::Step;

constexpr size_t kColumns = 64;      // width of the lines of arithmetic
constexpr size_t kMostHidden = 100;  // limit of unshown numbers that are followed to reach shown numbers

// Returns whether the tensor that names the numbers of x has x's columns as its rows.
bool is_transposed(const learn::CellNames& names, const Snapshot& x, const Dims& index, const Step* here) {
  const auto named = [&](const Dims& at) { return names.name(names.source({x, at}), here); };
  const learn::CellName corner = named(index);
  const int n = x.shape().n, m = corner.cell.n;
  for (const int d : {n - 1, n - 2}) {
    if (d < 0 || x.shape()[d] < 2) continue;
    Dims next = index;
    next[d] += next[d] + 1 < x.shape()[d] ? 1 : -1;
    const learn::CellName other = named(next);
    if (m < 2 || other.entry != corner.entry || other.tensor != corner.tensor || other.cell.n != m)
      return false;
    return (d == n - 1) != (other.cell[m - 1] != corner.cell[m - 1]);
  }
  return false;
}

bool is_step_of(const Recording& recording, const Step* step) {
  return std::any_of(recording.steps.begin(), recording.steps.end(),
                     [&](const Step& s) { return &s == step; });
}

}  // namespace

// Collects the shown cells around a start cell. A cell that no step shows is followed further.
class CellJson::Links {
 public:
  Links(const CellJson& cells, const Address& start)
      : cells_(cells), here_(start.step), start_(learn::to_text(start)), open_{learn::element_of(start)} {}

  // neighbours(place) returns the places next to a place.
  template <class F>
  Json collect(F neighbours) {
    for (size_t at = 0; at < open_.size() && at < kMostHidden; ++at)
      for (const SnapshotElement& place : neighbours(SnapshotElement(open_[at]))) {
        const std::string address = cells_.address_of(place, here_);
        if (address.empty() || address == start_)
          open_.push_back(place);
        else if (known_.insert(address).second)
          links_.push_back(address);
        if (links_.size() == kMostLinks) return std::move(links_);
      }
    return std::move(links_);
  }

 private:
  const CellJson& cells_;
  const Step* here_;
  std::string start_;
  std::vector<SnapshotElement> open_;
  std::set<std::string> known_;
  Json links_ = Json::array();
};

CellJson::CellJson(const Run& run) : run_(run), forward_(run.forward, false) {
  if (run.backward) backward_.emplace(*run.backward, true);
}

bool CellJson::is_backward(const Address& address) const {
  return backward_ && is_step_of(backward_->recording, address.step);
}

std::string CellJson::address_of(const SnapshotElement& place, const Step* here) const {
  const Step* forward_step = here;
  if (backward_ && is_step_of(backward_->recording, here)) {
    const learn::CellName name = backward_->names.name(place, here);
    if (name.entry) return name.full();
    const auto about = std::find_if(run_.forward.steps.begin(), run_.forward.steps.end(),
                                    [&](const Step& s) { return s.id == here->about; });
    forward_step = about == run_.forward.steps.end() ? nullptr : &*about;
  }
  const learn::CellName name = forward_.names.name(place, forward_step);
  if (name.is_given) return run_.forward.given.id + ":" + name.brief();
  return name.entry ? name.full() : "";
}

Json CellJson::from(const Address& address) const {
  const Recorder& trace = *run_.forward.trace;
  return Links(*this, address).collect([&](const SnapshotElement& place) {
    std::vector<SnapshotElement> read;
    const auto writer = trace.writer(place.x, place.index);
    if (!writer || reads_too_many(trace.calls()[writer->call])) return read;
    const Expr tree = trace.open(*writer).expression;
    for (const ExprNode* node : learn::cells_of(tree, kMostLinks))
      read.push_back({trace.calls()[writer->call].in[size_t(node->input)], node->index});
    return read;
  });
}

Json CellJson::to(const Address& address) const {
  const CellReaders& readers = is_backward(address) ? backward_->readers : forward_.readers;
  return Links(*this, address).collect([&](const SnapshotElement& place) { return readers.of(place); });
}

// Returns the address of the cell's gradient; for a cell of a gradient, that of the number it belongs to.
std::string CellJson::gradient_of(const Address& address) const {
  if (!backward_) return {};
  const bool back = is_backward(address);
  const std::string there =
      other_side(*address.step, *address.entry, back ? &run_.forward : &backward_->recording);
  if (!there.empty()) {
    const Address other = learn::find_tensor(back ? run_.forward : backward_->recording, there);
    if (other.entry->value->shape() == address.entry->value->shape())
      return there + learn::cell_text(address.cell);
  }
  if (back) return {};
  const auto gradient = learn::gradient_of(run_.forward, *address.entry->value);
  if (!gradient) return {};
  const learn::CellName name = backward_->names.name({gradient->value, address.cell}, nullptr);
  return name.entry ? name.full() : "";
}

Json CellJson::of(const Address& address) const {
  const Side& side = is_backward(address) ? *backward_ : forward_;
  const why::OpenedCell cell = why::open_cell(side.recording, side.names, address);
  const why::CellPage page =
      why::page_of(side.recording, side.names, cell, address.step, {.exact = false, .columns = kColumns});
  Json lines = Json::array();
  for (size_t i = page.arithmetic; i < page.lines.size(); ++i) {
    Json line = Json::array();
    for (const why::Piece& piece : page.lines[i]) {
      Json part = {{"t", piece.text}};
      const std::string a =
          piece.operand < 0 ? "" : address_of(page.operands[size_t(piece.operand)], address.step);
      if (!a.empty()) part["a"] = a;
      line.push_back(std::move(part));
    }
    lines.push_back(std::move(line));
  }
  const std::string gradient = gradient_of(address);
  return {{"address", learn::to_text(address)},
          {"name", cell.name.brief()},
          {"what", learn::meaning(side.recording, *address.entry, address.cell)},
          {"op", cell.call ? cell.call->op->name : ""},
          {"rule", cell.call ? cell.call->op->formula : ""},
          {"given", !cell.call},
          {"lines", std::move(lines)},
          {"value", why::value_text(cell, false)},
          {"exact", why::value_text(cell, true)},
          {"from", from(address)},
          {"to", to(address)},
          {"gradient", gradient.empty() ? Json() : Json(gradient)}};
}

const Recording& CellJson::side_of(std::string_view text) const {
  const size_t sign = text.starts_with('#');
  const std::string_view step = text.substr(sign, text.find(':') - sign);
  if (backward_)
    for (const Step& s : backward_->recording.steps)
      if (s.id == step) return backward_->recording;
  return run_.forward;
}

Json CellJson::of(std::string_view address) const { return of(learn::find_cell(side_of(address), address)); }

Json CellJson::here(const Side& side, const SnapshotElement& cell, const Step& here) {
  Json places = Json::array();
  for (const learn::CellName& name : side.names.names_in(here, cell)) places.push_back(name.full());
  return places;
}

Json CellJson::operand(const Side& side, const SnapshotElement& cell, const Scalar& value,
                       const Step& step) const {
  return {{"name", side.names.name(cell, &step).brief()},
          {"address", address_of(cell, &step)},
          {"value", why::digits_of(value, false)},
          {"here", here(side, cell, step)}};
}

Json CellJson::product_of(std::string_view text) const {
  const Address address = learn::find_cell(side_of(text), text);
  const Side& side = is_backward(address) ? *backward_ : forward_;
  const why::OpenedCell cell = why::open_cell(side.recording, side.names, address);
  const auto product = why::product_of(side.recording, cell);
  Json terms = Json::array();
  if (!product) return {{"terms", std::move(terms)}};
  const auto read = [&](const ExprNode& one) {
    return operand(side, why::place_of(side.names, *product, one), one.value, *address.step);
  };
  std::vector<const ExprNode*> left, right;
  for (const why::ProductTerm& term : product->terms)
    if (term.right) left.push_back(term.left), right.push_back(term.right);
  for (const why::ProductTerm& term : product->terms)
    terms.push_back({{"left", read(*term.left)},
                     {"right", term.right ? read(*term.right) : Json()},
                     {"product", why::digits_of(term.product, false)},
                     {"sum", why::digits_of(term.sum, false)}});
  return {{"terms", std::move(terms)},
          {"exact", product->is_exact},
          {"left", matrix(side, *product, left, address.step)},
          {"right", matrix(side, *product, right, address.step)}};
}

Json CellJson::softmax_of(std::string_view text) const {
  const Address address = learn::find_cell(side_of(text), text);
  const Side& side = is_backward(address) ? *backward_ : forward_;
  const why::OpenedCell cell = why::open_cell(side.recording, side.names, address);
  const auto softmax = why::softmax_of(cell);
  Json terms = Json::array();
  const size_t count = softmax ? softmax->terms.size() : 0;
  if (count == 0 || count > kMostBars) return {{"terms", std::move(terms)}, {"count", count}};
  const auto digits = [](const Scalar& x) { return why::digits_of(x, false); };
  for (const why::SoftmaxTerm& term : softmax->terms) {
    const SnapshotElement score = side.names.source({cell.call->in[0], term.score->index}),
                          share = side.names.source({cell.call->out[0], term.cell});
    terms.push_back({{"score", operand(side, score, term.score->value, *address.step)},
                     {"distance", digits(term.distance)},
                     {"exp", digits(term.exp)},
                     {"share", digits(term.share)},
                     {"here", here(side, share, *address.step)}});
  }
  return {{"terms", std::move(terms)},   {"count", count},
          {"own", softmax->own},         {"max", digits(softmax->max)},
          {"sum", digits(softmax->sum)}, {"total", digits(softmax->total)}};
}

Json CellJson::matrix(const Side& side, const why::Product& product, const std::vector<const ExprNode*>& read,
                      const Step* here) const {
  const Snapshot& x = product.call->in[size_t(read.front()->input)];
  const Dims first = read.front()->index;
  const int n = x.shape().n;
  const int64_t rows = n > 1 ? x.shape()[n - 2] : 1, columns = x.shape()[n - 1];
  Json lit = Json::array();
  for (const ExprNode* cell : read)
    lit.push_back((n > 1 ? cell->index[n - 2] : 0) * columns + cell->index[n - 1]);

  Json cells;
  if (rows * columns <= kMostCells) {
    const Tensor all = x.tensor();
    const auto write = element_writer(all.raw());
    std::string words;
    for (int64_t i = 0; i < rows * columns; ++i) {
      Dims index = first;
      if (n > 1) index[n - 2] = i / columns;
      index[n - 1] = i % columns;
      words += fmt::format("{}{}", i ? " " : "", write(offset_of_index(index, all.strides())));
    }
    cells = std::move(words);
  }
  return {{"address", address_of(side.names.source({x, first}), here)},
          {"transposed", is_transposed(side.names, x, first, here)},
          {"shape", {rows, columns}},
          {"cells", std::move(cells)},
          {"lit", std::move(lit)}};
}

std::pair<const Recording*, Address> CellJson::find_tensor(std::string_view text) const {
  const Recording& side = side_of(text);
  return {&side, learn::find_tensor(side, text)};
}

}  // namespace glassgrad::explorer
