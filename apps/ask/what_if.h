// What if this number were another one, or this line of the program? A run with lines that the reader has
// written, and with cells of its tensors set to other values: an input, a weight, a mask, a score. It is run
// again; right after the call that wrote such a cell the new value is put there, so that everything after it,
// sentences included, is computed from it.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/ask/origin.h"
#include "apps/lesson/address.h"
#include "apps/lesson/patch.h"

namespace glassgrad::learn {

// "0.5", "-inf", "nan"; of bools true, false, 0, 1 in any case. UsageError: not a value of that dtype.
Scalar parse_value(std::string_view text, DType dtype);

class WhatIf {
 public:
  // flags: the settings as a shell reads them, " --seed 7". keep: Calls where something is about to be set; a
  // later change makes the run for them again.
  WhatIf(Runner runner, std::string flags, Keep keep = Keep::Steps);

  // With what is set; its entries say how they differ from what they are otherwise.
  const Recording& recording() const { return changes_.empty() ? base_ : now_; }
  bool is_changed() const { return !changes_.empty(); }
  const Recording& unchanged() const { return base_; }

  // "STEP:TENSOR[i,j]=V"; "TENSOR[i,j]=V" is that of the step `here`, or else of the first step that shows
  // one, or else of what the run was given. UsageError: not of this form, no such cell, not a value for it.
  // Whatever the run throws when it cannot go on with that number. After an error everything is as before.
  void set(std::string_view change, const Step* here = nullptr);
  // All at once.
  void set(const std::vector<std::string>& changes);
  // The run with these changes, for a question that needs nothing else: no other run is kept beside it.
  Recording set_once(const std::vector<std::string>& changes) &&;
  // A line of the lesson's file with another text. As set, and as edit() of patch.h.
  void edit(int line, const std::string& text);
  // Takes the last change back; false: there is none.
  bool take_back();

  // The same in parts, for those who want to do something else while it computes: what would be set; a run
  // with that, which changes nothing here; and what becomes of it.
  struct Change {  // a number by what it is called: in another run another call may write it
    std::vector<ChangedLine> lines =
        {};  // of the program instead of a number; the first is the one that runs
    std::string step, tensor;
    Dims cell;
    Scalar value;
    std::string text;  // of the value, as it was given
    std::string cell_name() const { return step + ":" + tensor + cell_text(cell); }
  };
  using Changes = std::vector<Change>;
  Changes with(std::string_view change, const Step* here) const;
  Changes with_line(int line, const std::string& text) const;
  Changes without_last() const;
  const Changes& changes() const { return changes_; }
  // The recording has kept its calls. Of no changes an empty one.
  Recording run(const Changes& changes) const;
  void adopt(Changes changes, Recording now);

 private:
  // What to change in a run, and where it writes the cells to change.
  struct Start {
    std::vector<std::optional<Origin>> set;
    Patch patch;
  };
  Start start(const Changes& changes) const;
  static void set_numbers(const Changes& changes, Start& start, const Recording& recording);
  Recording run(const Changes& changes, const Patch& patch) const;
  std::string told_apart_in_base(const Change& c) const;
  Recording run(const Changes& changes, Start start) const;
  Changes parse(const std::vector<std::string>& changes) const;
  Change parse(std::string_view change, const Step* here) const;
  static std::vector<std::optional<Origin>> origins(const Changes& changes, const Recording& recording);
  void keep_calls_of_base();
  void apply(Changes changes);

  Runner runner_;
  Recording base_, now_;
  Keep keep_ = Keep::Calls;  // of all runs that change something
  Changes changes_;
};

}  // namespace glassgrad::learn
