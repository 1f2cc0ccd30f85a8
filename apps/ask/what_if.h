// Answers "what if this number, or this line of the program, were different?" Runs a lesson with lines that
// the reader has changed, and with cells of its tensors (inputs, weights, masks, scores) set to new values. A
// new value is set right after the call that wrote the cell, so that everything after it, sentences included,
// is computed from it.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/ask/origin.h"
#include "apps/lesson/address.h"
#include "apps/lesson/patch.h"

namespace glassgrad::learn {

// Reads "0.5", "-inf", "nan"; for bools true, false, 0, 1 in any case. Throws UsageError if it is not a value
// of that dtype.
Scalar parse_value(std::string_view text, DType dtype);

class WhatIf {
 public:
  // flags: the settings as a shell reads them, " --seed 7". keep: use Calls if a change is going to follow;
  // otherwise the first change must repeat this run to record its calls.
  WhatIf(Runner runner, std::string flags, Keep keep = Keep::Steps);

  // Returns the modified run if there are changes, else the base run. Entries carry their differences from
  // the base.
  const Recording& recording() const { return changes_.empty() ? base_ : now_; }
  bool is_changed() const { return !changes_.empty(); }
  const Recording& unchanged() const { return base_; }

  // Sets "STEP:TENSOR[i,j]=V". Without a step, looks for the tensor in the step `here`, then in all steps,
  // then among the tensors that the run was given. Throws UsageError if the text is not of this form, the
  // cell does not exist, or the value does not fit it. Also throws what the run throws with the new number.
  // After an error nothing has changed.
  void set(std::string_view change, const Step* here = nullptr);
  // Sets all of these at once.
  void set(const std::vector<std::string>& changes);
  // Returns the run with these changes, for a caller that needs no other run: this object is used up.
  Recording set_once(const std::vector<std::string>& changes) &&;
  // Replaces a line of the lesson's file. Throws what set() and edit() of patch.h throw.
  void edit(int line, const std::string& text);
  // Undoes the last change. Returns false if there is none.
  bool take_back();

  // The same in three parts, for a caller that does something else during the run: prepare the changes, run()
  // them without altering this object, and adopt() the result.
  struct Change {  // a cell by its names: in a different run a different call may write it
    std::vector<ChangedLine> lines =
        {};  // lines of the program instead of a number; the first is the one that runs
    std::string step, tensor;
    Dims cell;
    Scalar value;
    std::string text;  // the value or the line, as it was given
    std::string cell_name() const { return step + ":" + tensor + cell_text(cell); }
  };
  using Changes = std::vector<Change>;
  Changes with(std::string_view change, const Step* here) const;
  Changes with_line(int line, const std::string& text) const;
  Changes without_last() const;
  const Changes& changes() const { return changes_; }
  // Returns a recording that has kept its calls; an empty one if there are no changes.
  Recording run(const Changes& changes) const;
  void adopt(Changes changes, Recording now);

 private:
  // The patch for a run, and where that run is expected to write the cells to change.
  struct Start {
    std::vector<std::optional<Origin>> set;
    Patch patch;
  };
  Start start(const Changes& changes) const;
  static void set_numbers(const Changes& changes, Start& start, const Recording& recording);
  Recording run(const Changes& changes, const Patch& patch) const;
  std::string describe_change(const Change& c) const;
  Recording run(const Changes& changes, Start start) const;
  Changes parse(const std::vector<std::string>& changes) const;
  Change parse(std::string_view change, const Step* here) const;
  static std::vector<std::optional<Origin>> origins(const Changes& changes, const Recording& recording);
  void keep_calls_of_base();
  void apply(Changes changes);

  Runner runner_;
  Recording base_, now_;
  Keep keep_ = Keep::Calls;  // for all runs with changes
  Changes changes_;
};

}  // namespace glassgrad::learn
