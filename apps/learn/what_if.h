// What if this number were another one? A lesson with cells of its tensors set to other values: an input, a
// weight, a mask, a score. The lesson is run again; right after the call that wrote such a cell the new value
// is put there, so that everything after it, sentences included, is computed from it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "apps/learn/address.h"
#include "apps/learn/lesson.h"

namespace glassgrad::learn {

// Where a number of a run comes from: a call has written it, or it was in the lesson's inputs.
struct Origin {
  std::optional<CellOfCall> call;
  Dims input = {};  // without a call: the index in the inputs

  friend bool operator==(const Origin&, const Origin&) = default;
};
// The recording is that of a run with these settings and has kept the calls. none: the number was computed
// out of its sight.
std::optional<Origin> origin(const Recording& recording, const Settings& settings, const Address& address);
// Makes the number another one in the runs with these settings. `value` has the dtype of the tensor.
void poke(Settings& settings, const Origin& origin, const Scalar& value);

// "0.5", "-inf", "nan"; of bools true, false, 0, 1 in any case. UsageError: not a value of that dtype.
Scalar parse_value(std::string_view text, DType dtype);

class WhatIf {
 public:
  // flags: the settings as a shell reads them, " --seed 7". keep: Calls where something is about to be set; a
  // later change runs the lesson for them again.
  WhatIf(const Lesson& lesson, Settings settings, std::string flags, Keep keep = Keep::Steps);
  // What nobody can run again: nothing in it can be set.
  explicit WhatIf(Recording recording) : base_(std::move(recording)) {}

  // With what is set; its entries say how they differ from what they are otherwise.
  const Recording& recording() const { return changes_.empty() ? base_ : now_; }
  bool is_changed() const { return !changes_.empty(); }

  // "STEP:TENSOR[i,j]=V"; "TENSOR[i,j]=V" is that of the step `here`, or else of the first step that shows
  // one. UsageError: not of this form, no such cell, not a value for it. Whatever the lesson throws when it
  // cannot go on with that number. After an error everything is as before.
  void set(std::string_view change, const Step* here = nullptr);
  // All at once.
  void set(const std::vector<std::string>& changes);
  // Takes the last change back; false: there is none.
  bool take_back();

 private:
  // A number that is set, by what it is called: in another run another call may write it.
  struct Change {
    std::string step, tensor;
    Dims cell;
    Scalar value;
    std::string text;  // of the value, as it was given
    std::string cell_name() const { return step + ":" + tensor + cell_text(cell); }
  };
  Change parse(std::string_view change, const Step* here) const;
  static std::vector<std::optional<Origin>> origins(const std::vector<Change>& changes,
                                                    const Recording& recording, const Settings& settings);
  void keep_calls_of_base();
  void apply(std::vector<Change> changes);

  const Lesson* lesson_ = nullptr;
  std::optional<Settings> settings_;
  Recording base_, now_;
  Keep keep_ = Keep::Calls;  // of all runs that change something: their calls have the same numbers
  std::vector<Change> changes_;
};

}  // namespace glassgrad::learn
