// Runs the program of a lesson's file, statement by statement, and builds the lesson's steps from what it
// computes.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "apps/lesson/axes_flow.h"
#include "apps/lesson/costs.h"
#include "apps/lesson/document.h"
#include "apps/lesson/frames.h"
#include "apps/lesson/given_model.h"
#include "apps/lesson/lesson.h"
#include "apps/lesson/prose.h"
#include "apps/lesson/run.h"
#include "apps/script/walk.h"

namespace glassgrad::learn {

class LessonRunner : private script::Watcher {
 public:
  // values: the settings' values, by name. only_to_inputs: compiles only the blocks that inputs() needs.
  LessonRunner(StepBuilder& builder, const Document& document,
               const std::map<std::string, std::string>& values, bool only_to_inputs = false);
  ~LessonRunner() override;

  void use_inputs(const Tensor& x, bool own) { inputs_ = x, own_inputs_ = own; }
  void use_model(const GivenModel& model);  // which outlives this runner
  void use_tokens(const std::vector<std::string>& tokens) { tokens_ = tokens; }
  void collect_findings_in(LessonFindings* findings) { findings_ = findings; }  // null: none are collected

  // Returns the value of the statement that is marked #: inputs, after running everything above it.
  Tensor inputs();
  void tell();

 private:
  struct Compiled {
    const FencedCode* block = nullptr;
    script::Program program;
    std::vector<const script::Expr*> assigned;  // the names that its assignments bind
    std::vector<std::string> mentioned;         // all names that it reads
    std::vector<std::pair<const Directive*, const script::Program*>> expressions;  // of show: and view:
    std::unordered_map<const script::Expr*, ShownTensor> shown;  // results of the expressions of show:
    InsideCode* inside = nullptr;
  };
  // The values of a step, for the prose of later steps.
  struct StepValues {
    std::vector<ShownTensor> values;
    Costs costs;
  };
  // The tensor that a name was bound to before a block ran, and its version then. Undefined if it was not a
  // tensor.
  struct Before {
    Tensor x;
    uint64_t version;
    Tensor grad;
    uint64_t grad_version;
  };

  void compile(bool only_to_inputs);
  void compile(const FencedCode& block);
  void run(Compiled& c);
  void run_wrong(Compiled& c);
  void run(Compiled& c, const script::Statement& s);
  void raised(const Compiled& c, int line, const std::string& type, const std::string& text,
              const std::string& last_line);
  void printed(Compiled& c, const script::Statement& s, const std::string& text);
  void take_weights(const script::Statement& s);
  void take_weights(const std::string& name, const script::Value& v, bool offers_constants);
  void name_axes(const script::Statement& s, script::Frame& frame);
  void name_axes(const InsideCode& b, FrameRecord& r);
  void offer_losses(const Compiled& c);
  void offer_loss(const std::string& name, const Tensor& x);
  void mark_ours(const Compiled& c);
  std::vector<Before> before();  // indexed like in_.names()
  void gather(Compiled& c, const std::vector<Before>& before);
  void gather_inside(Compiled& c);
  void show(Compiled& c, const Directive& d, const script::Program& expression);
  void view(const Directive& d, const script::Program& expression, const std::string& prefix);
  void tell_step(const DocumentStep& step);
  // Calls `tell`. If it throws Error and the reader has edited the program, returns false: after an edit,
  // values may be missing.
  bool ignore_errors_if_edited(const std::function<void()>& tell);
  void tell_code(const Compiled& c);
  void tell_wrong_code(const DocumentStep::Mistake& m);
  void tell_values();
  void tell_prose(const DocumentStep& step);
  void ask(const AskedInFile& asked);
  void say(const Branch& parts, bool claimed);
  void say(const Paragraph& p, bool claimed = false);  // claimed: a condition has checked it
  std::string text(const Paragraph& p);
  bool holds(const Condition& c);
  void note_problems(const Condition& c, bool holds);
  [[noreturn]] void refuse(int line, const std::string& text) const;
  [[noreturn]] void refuse(int line, const script::Raised& e);
  std::string given() const;
  static const script::Expr* remainder_in(const script::Statement& s);
  std::string divisors() const;
  // Returns the tensor that a name is bound to in this frame; null if it is not a tensor.
  const Tensor* tensor_named(const std::string& name, const script::Frame& frame);
  // Returns the axes in a comment on one of the statement's lines, with the line; null if there is no such
  // comment.
  const std::pair<const int, AxisWords>* axes_on(const script::Statement& s) const;
  script::Value stored(const std::string& path, const FrameRecord* frame);
  script::Value step_named(std::string_view id);
  ShownTensor shown_tensor(std::string name, const Tensor& x, uint64_t at);

  // While it exists, expressions in prose see the step's names besides the program's.
  class Scope;

  void before(const script::Statement& s, script::Frame& frame) override;
  void after(const script::Statement& s, script::Frame& frame) override;
  void assigned(const script::Expr& target, const script::Value& v, script::Frame& frame) override;
  void evaluated(const script::Expr& x, script::Value& v, script::Frame& frame) override;
  void entered(script::Frame& frame) override;
  void left(script::Frame& frame, const script::Value& result) override;

  StepBuilder& builder_;
  const Document& document_;
  const std::map<std::string, std::string> values_;
  ProgramRun run_;
  script::Interpreter& in_ = run_.in();
  ExpressionParser expressions_;
  std::deque<Compiled> compiled_;
  std::unordered_map<const FencedCode*, Compiled*> by_block_;
  std::deque<FencedCode> with_mistakes_;  // blocks with a step's wrong lines in place of the right ones
  AxesFlow axes_;
  std::map<int, AxisWords> comments_;  // by line of the file
  Frames frames_;
  uint64_t clock_ = 0;
  bool names_losses_ = false;  // true if a directive names a loss

  Compiled* running_ = nullptr;
  std::map<std::string, uint64_t> bound_at_;  // when the current block bound each name, by clock_
  std::string output_;                        // printed by the current statement
  struct Print {
    std::string name, label;
    uint64_t at;
    bool is_global;  // true: a name of the program; false: a name from show:
    bool ours;       // marked `#: ours`
  };
  std::vector<Print> prints_;                // printed values, and the lines of text between them
  std::vector<const script::Expr*> marked_;  // values of statements marked #: inputs; the last is the inputs
  // The states of torch's and Python's random generators.
  struct Draws {
    Generator::State torch, python;
  };
  Draws draws() const { return {default_generator().state(), in_.random().state()}; }
  void set_draws(const Draws& draws);
  Draws draws_before_;  // before the current marked statement ran
  // If the current statement is `assert whole % parts == 0`: the expression whole % parts, and the values of
  // both. Else null.
  const script::Expr* asserted_ = nullptr;
  int64_t whole_ = 0, parts_ = 0;
  script::Value marked_value_;
  Tensor inputs_;
  bool own_inputs_ = false;
  std::vector<std::string> tokens_;
  const GivenModel* model_ = nullptr;
  LessonFindings* findings_ = nullptr;

  std::set<const script::Statement*> passes_;       // .backward() statements whose loss was offered
  std::set<std::pair<uint64_t, uint32_t>> losses_;  // by the node that made them, and the result's number

  std::vector<ShownTensor> step_;  // the step's values so far, block after block
  size_t block_begin_ = 0;
  std::map<std::string, StepValues, std::less<>> step_values_;
  Costs* costs_ = nullptr;
  const InsideCode* last_inside_ = nullptr;
  size_t scope_record_ = 0;  // the record of last_inside_ whose locals prose sees
  std::string error_;
  bool is_stopped_ = false;  // by the reader or by sys.exit(): the lesson ends with this step
};

}  // namespace glassgrad::learn
