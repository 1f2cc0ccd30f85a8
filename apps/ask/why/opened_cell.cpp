#include "apps/ask/why/opened_cell.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "engine/print.h"

namespace glassgrad::why {
namespace {

using learn::CellName, learn::CellNames, learn::SnapshotElement, learn::Recording, learn::Step;

bool has_tensor(const Step& step, const std::string& name) {
  return std::any_of(step.entries.begin(), step.entries.end(), [&](const auto& e) { return e.name == name; });
}

// Names the cells that an op read, for one page. Leaves out the step if no two of the tensors share a name.
class Operands {
 public:
  Operands(CellPage& page, const CellNames& names, const OpenedCell& cell, const Step* here, bool exact)
      : page_(page), names_(names), cell_(cell), here_(here), exact_(exact) {
    brief(cell.name);
  }

  Piece name(const ExprNode& node) {
    const SnapshotElement place = names_.source({cell_.call->in[size_t(node.input)], node.index});
    const CellName name = names_.name(place, here_);
    if (name.is_value) return {digits_of(node.value, exact_)};
    if (name.step && name.step != here_) note(fmt::format("{}:{}", name.step->id, name.tensor));
    return page_.operand(brief(name), place, name.full());
  }

  // Returns "reads projections:queries, projections:keys": tensors of other steps that the page names
  // briefly.
  std::string elsewhere() const {
    return elsewhere_.empty() ? "" : fmt::format("reads {}", joined(elsewhere_, ", "));
  }

 private:
  void note(const std::string& tensor) {
    if (std::find(elsewhere_.begin(), elsewhere_.end(), tensor) == elsewhere_.end())
      elsewhere_.push_back(tensor);
  }
  std::string brief(const CellName& name) {
    const bool taken = name.step != here_ && here_ && has_tensor(*here_, name.tensor);
    if (taken) return name.full();
    const CellName& owner = owners_.try_emplace(name.tensor, name).first->second;
    if (owner.step == name.step && owner.call == name.call) return name.brief();
    if (name.step) return name.full();
    CellName other = name;  // a different call of the same op
    other.tensor += "'";
    return brief(other);
  }

  CellPage& page_;
  const CellNames& names_;
  const OpenedCell& cell_;
  const Step* here_;
  bool exact_;
  std::map<std::string, CellName> owners_;
  std::vector<std::string> elsewhere_;
};

std::string heading(const Recording& recording, const OpenedCell& cell) {
  const std::string what = cell.name.entry ? learn::meaning(recording, *cell.name.entry, cell.name.cell) : "";
  return fmt::format("{}{}{}", cell.name.full(), what.empty() ? "" : ": ", what);
}

// For a cell that no kept call has written: true if it was not given either, so a call that was left out must
// have written it.
bool is_left_out(const Recording& recording, const OpenedCell& cell) {
  const auto& given = recording.given.entries;
  return recording.has_skipped_calls && std::none_of(given.begin(), given.end(), [&](const learn::Entry& e) {
           return learn::index_in(*e.value, cell.place).has_value();
         });
}

}  // namespace

OpenedCell open_cell(const Recording& recording, const CellNames& names, const SnapshotElement& place,
                     const Step* here) {
  OpenedCell cell{.place = place, .name = names.name(place, here)};
  cell.value = element(place.x.tensor(), place.index);
  if (const auto writer = recording.trace->writer(place.x, place.index)) {
    cell.call = &recording.trace->calls()[writer->call];
    cell.opened = recording.trace->open(*writer);
  }
  return cell;
}

OpenedCell open_cell(const Recording& recording, const CellNames& names, const learn::Address& address) {
  OpenedCell cell = open_cell(recording, names, learn::element_of(address), address.step);
  cell.name = {
      .step = address.step, .entry = address.entry, .tensor = address.entry->name, .cell = address.cell};
  return cell;
}

std::string value_text(const OpenedCell& cell, bool exact) {
  if (exact || !cell.name.entry) return digits_of(cell.value, exact);
  const learn::Value& x = *cell.name.entry->value;
  const Tensor tensor = x.tensor();
  return element_writer(tensor.raw())(x.place(cell.name.cell) - x.offset);
}

CellPage page_of(const Recording& recording, const CellNames& names, const OpenedCell& cell, const Step* here,
                 const FormatOptions& how) {
  CellPage page;
  add_filled(page.lines, heading(recording, cell), how.columns);
  page.arithmetic = page.lines.size();
  if (!cell.call) {
    add_filled(page.lines,
               is_left_out(recording, cell)
                   ? "not kept: it was computed in a long training, and only the first steps of one can "
                     "be opened"
                   : "given: nothing in this run has computed it",
               how.columns);
  } else {
    Operands operands(page, names, cell, here, how.exact);
    add_opened(page, *cell.call->op, *cell.opened, cell.value,
               {.result = cell.name.brief(),
                .operand = [&](const ExprNode& node) { return operands.name(node); },
                .elsewhere = [&] { return operands.elsewhere(); }},
               how);
  }
  page.lines.push_back({{"= " + value_text(cell, how.exact)}});
  return page;
}

}  // namespace glassgrad::why
