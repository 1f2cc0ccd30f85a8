// A lesson: a function that computes on the engine and builds steps from the values. It runs under an
// observer, which also sees values that a module names. The same settings give the same recording.
#pragma once
#include <fmt/core.h>

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "apps/lesson/axes.h"
#include "apps/lesson/group.h"
#include "apps/lesson/markdown.h"
#include "apps/lesson/patch.h"
#include "apps/lesson/recording.h"
#include "apps/lesson/settings.h"
#include "engine/trace.h"
#include "nn/module.h"

namespace glassgrad::learn {

class CallFilter;
class StepBuilder;
struct Document;

struct Lesson {
  const char* id = "";
  Group group = Group::Own;
  int sources = 0;              // how many it follows or compares
  const char* source = "";      // the title of the walkthrough it follows, or the question it answers
  const char* understand = "";  // what you will understand
  int minutes = 0;
  std::span<const SettingSpec> setting_specs = {};
  std::span<const AxisRule> axes = {};
  std::span<const char* const> tokens = {};  // names of the rows of inputs(); further ones are x5, x6, …
  // Returns (tokens, features), or (batch, tokens, features); random inputs are drawn from a separate
  // generator. Null for a lesson without tokens.
  std::function<Tensor(const Settings&)> inputs = {};
  std::function<void(StepBuilder&, const Settings&)> tell = {};
  bool has_chapter = true;             // docs/ID.md
  const Document* document = nullptr;  // for a lesson that is a file
  const char* own_file = nullptr;      // for a reader's own: its path, which is typed in place of the id
  // For a program that ran under glass: the command before flags and file, "python3 -m glassgrad --glass".
  const char* run_by = nullptr;
};

std::span<const Lesson* const> lessons();
// Returns null if no lesson has that name.
const Lesson* lesson_called(std::string_view id);
// Throws UsageError, which names the nearest lesson, if no lesson has that name.
const Lesson& find_lesson(std::string_view id);

// Selects what a recording keeps. Steps: the values that the steps show. Calls: also every call, so that each
// number can be opened; this keeps all memory that the lesson has used. Backward: also a backward pass from
// each loss.
enum class Keep : uint8_t { Steps, Calls, Backward };

// Throws Error if this many numbers need more memory than there is. The message says how much and gives the
// advice, such as "fewer rows".
void check_memory(double numbers, std::string_view advice, std::string_view lesson);

// Runs the lesson. The same settings give the same calls, so a call has the same number in every run. Throws
// UsageError for settings that contradict each other; Error if there is too little memory.
Recording record(const Lesson& lesson, const Settings& settings, Keep keep = Keep::Steps,
                 const Patch& patch = {});
// The same for steps that the function `tell` builds, about tokens with these names.
Recording record(const Lesson& lesson, std::vector<std::string> tokens,
                 const std::function<void(StepBuilder&)>& tell, Keep keep = Keep::Steps,
                 const Patch& patch = {});

// Runs a lesson with fixed settings, or a model on a fixed text. Only the patch differs from run to run. Runs
// in float64 inside a DefaultFloat64.
using Runner = std::function<Recording(Keep keep, const Patch& patch)>;
Runner runner(const Lesson& lesson, const Settings& settings);
// Makes one run without a patch. flags: as Recording has them.
Recording record(const Runner& runner, std::string flags, Keep keep);

// Builds the steps of a lesson. Each call adds to the step that was begun last.
class StepBuilder : private Observer {
 public:
  // id: a lower-case slug, unique in the lesson; section: of the source, "" if there is none. inside: an
  // inner step, which takes the last main step apart.
  void step(const char* id, const char* section, std::string title, bool inside = false);
  // Sets the title of the step, which is Markdown.
  void heading(std::string_view title) {
    current().title = plain_words(title);
    current().heading = normal_markdown(title);
  }
  void step(const char* id, std::string title) { step(id, "", std::move(title)); }
  // Adds a sentence without marks; numbers in it come from the run.
  template <class... A>
  void say(fmt::format_string<A...> text, A&&... args) {
    say_marked(prose(fmt::format(text, std::forward<A>(args)...)));
  }
  // Adds a sentence in Markdown. stated: the run neither computes nor checks anything in it.
  void say_marked(std::string sentence, bool stated = false) {
    Step& step = current();
    if (stated) step.stated.push_back(step.sentences.size());
    step.sentences.push_back(std::move(sentence));
  }
  // Adds a formula, for a terminal and in LaTeX: formula("S = Q K^T", R"(S = Q K^\top)").
  void formula(std::string text, std::string latex);
  // Adds a block of PyTorch lines, of a lesson's file.
  void code(const std::vector<std::string>& lines, CodeBlock block);
  // Notes that the last block ended with an exception.
  void raised(std::string last_line) { current().code_blocks.back().raised = std::move(last_line); }

  // Call it when the lesson has drawn a parameter. If --weights NAME=FILE was given, overwrites the parameter
  // with the file's numbers. For a module, does so for all its parameters, as "sa_v1.W_query". Every name
  // that --weights accepts passes through here. Throws Error if the file has a different shape.
  void apply_weights(const std::string& name, const Tensor& parameter);
  void apply_weights(const std::string& name, const nn::Module& module);
  // Names a leaf that is not a parameter, for backward steps.
  void leaf(const std::string& name, const Tensor& x);
  // Notes a name that the program binds to a tensor. If no call has written the tensor, the run was given it.
  void constant(const std::string& name, const Tensor& x);
  // Notes a tensor that no call has computed but that the run was given under this name. For a module: all
  // parameters, as above.
  void given(const std::string& name, const Tensor& x);
  void given(const std::string& name, const nn::Module& module);

  // Shows a value that the source computes without printing it. The name is the variable's and must be unique
  // in the step.
  const Tensor& show(const std::string& name, const Tensor& x);

  // take() captures a tensor as it is now; add() shows the value. Its axes may be known already.
  Value take(const Tensor& x);
  void add(Entry entry);
  bool wants_sentences() const { return patch_.sentences; }
  void ask(StepQuestionText question) { current().asks.push_back(std::move(question)); }
  // Returns the lesson's parsed file, with changed lines if there are any; null if the lesson is not a file.
  const Document* document() const { return document_; }
  // Call these when the program is about to go backward, and when a top-level statement has ended
  // (call_filter.h).
  void backward_begins();
  void statement_ended();
  // Adds to what the program has printed in this step.
  void printed(std::string_view text) { current().outputs += text; }
  // Puts the sentences that follow after the step's values.
  void values_here() { current().lead = current().sentences.size(); }

  // Offers x, or the sum of its numbers, as the start of a backward pass. Unless backward passes were
  // requested, does nothing; otherwise records the pass and then restores every .grad.
  void loss(const std::string& name, const Tensor& x);
  // Says why there is no loss, in a sentence.
  void no_loss(std::string why) { recording_.no_loss = std::move(why); }

  // Runs a module and keeps the values that it names, for the steps that take the call apart. Names from a
  // child module begin with the child's name: "keys", "W_query.weight", "heads.0.keys".
  template <class F>
  Tensor call(F&& f) {
    keeps_pending_ = true;
    Tensor result = f();
    keeps_pending_ = false;
    return result;
  }
  // Shows the next value of that name that a call has kept; as `shown_as` if the source's variable has a
  // different name.
  Tensor show_next(const std::string& name, const std::string& shown_as = {});
  // Skips the next value of that name, which the step shows in a different way.
  void skip_next(const std::string& name) { take_pending(name); }

 private:
  friend Recording record(const Lesson&, const Settings&, Keep, const Patch&);
  friend Recording record(const Lesson&, std::vector<std::string>, const std::function<void(StepBuilder&)>&,
                          Keep, const Patch&);

  StepBuilder(Keep keep, const Patch& patch);
  void go_backward(const std::string& name, const Tensor& x);
  TracePosition recorded_so_far() const;

  void op(const Call& call) override;
  void before_write(const Tensor& x) override;
  void scope(const char* name, bool enter) override;
  void named(const Tensor& x, const char* name) override;

  Step& current();
  void find_axes(const Step& step, Entry& entry) const;
  void check_weights_used() const;
  Value take_pending(const std::string& name);
  void give_again(const Tensor& leaf);
  std::string unused_name(const std::string& name);
  void poke(const std::string& name, const Tensor& x) const;

  Recording recording_;
  std::shared_ptr<Recorder> calls_;  // null: only the steps are kept
  Snapshots own_snapshots_;
  Snapshots& snapshots_;
  Observers observers_;                // the calls' recorder, if there is one, then this
  CallFilter* call_filter_ = nullptr;  // while the lesson runs
  const Patch& patch_;
  const Document* document_ = nullptr;
  const bool backward_;
  bool keeps_pending_ = false;
  std::map<std::string, std::deque<Value>> pending_values_;  // by name, the oldest first
  std::vector<std::string> scopes_;
  std::map<std::string, Settings::OwnTensor> weights_;
  std::vector<std::string> offered_;  // names that --weights can give
  std::map<std::string, int> bound_;  // how often each name was bound to a possibly given tensor
  std::vector<std::pair<std::string, Tensor>> parameters_;  // parameters that were given
};

}  // namespace glassgrad::learn
