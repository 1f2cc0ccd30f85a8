// Runs the program of a lesson's file and tells its steps.
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

class Teller : private script::Watcher {
 public:
  // values: of the settings, by name. only_to_inputs: for inputs() alone.
  Teller(Narrator& narrator, const Document& document, const std::map<std::string, std::string>& values,
         bool only_to_inputs = false);
  ~Teller() override;

  void use_inputs(const Tensor& x, bool own) { inputs_ = x, own_inputs_ = own; }
  void use_model(const GivenModel& model);  // which outlives this
  void use_tokens(const std::vector<std::string>& tokens) { tokens_ = tokens; }
  void take_remarks(Remarks* remarks) { remarks_ = remarks; }  // null: nobody wants any

  // The value of the statement that is marked #: inputs; what stands above it runs first.
  Tensor inputs();
  void tell();

 private:
  struct Compiled {
    const Block* block = nullptr;
    script::Program program;
    std::vector<const script::Expr*> assigned;  // Names that its assignments bind
    std::vector<std::string> mentioned;         // names that it reads
    std::vector<std::pair<const Directive*, const script::Program*>> expressions;  // of show: and view:
    std::unordered_map<const script::Expr*, Made> shown;  // what show: asks for, where it stands
    InsideBlock* inside = nullptr;
  };
  // What a step has shown, for prose of later steps.
  struct Told {
    std::vector<Made> values;
    Costs costs;
  };
  // A tensor of the program before a block: who it was, and how often it had been written. Of a name that is
  // none, undefined.
  struct Before {
    Tensor x;
    uint64_t version;
    Tensor grad;
    uint64_t grad_version;
  };

  void compile(bool only_to_inputs);
  void compile(const Block& block);
  void run(Compiled& c);
  void run_wrong(Compiled& c);
  void run(Compiled& c, const script::Statement& s);
  void raised(const Compiled& c, int line, const std::string& type, const std::string& text,
              const std::string& last_line);
  void printed(Compiled& c, const script::Statement& s, const std::string& text);
  void take_weights(const script::Statement& s);
  void take_weights(const std::string& name, const script::Value& v, bool offers_constants);
  void name_axes(const script::Statement& s, script::Frame& frame);
  void name_axes(const InsideBlock& b, FrameRecord& r);
  void offer_losses(const Compiled& c);
  void offer_loss(const std::string& name, const Tensor& x);
  void mark_ours(const Compiled& c);
  std::vector<Before> before();  // by the names' places
  void gather(Compiled& c, const std::vector<Before>& before);
  void gather_inside(Compiled& c);
  void show(Compiled& c, const Directive& d, const script::Program& expression);
  void view(const Directive& d, const script::Program& expression, const std::string& prefix);
  void tell_step(const DocumentStep& step);
  // What the file says about values: a program that a reader has edited may make none of them. Has it?
  bool as_far_as_it_fits(const std::function<void()>& tell);
  void tell_code(const Compiled& c);
  void tell_wrong_code(const DocumentStep::Mistake& m);
  void tell_values();
  void tell_prose(const DocumentStep& step);
  void ask(const AskedInFile& asked);
  void say(const Branch& parts, bool claimed);
  void say(const Paragraph& p, bool claimed = false);  // claimed: a condition is about what it says
  std::string text(const Paragraph& p);
  bool holds(const Condition& c);
  void remark(const Condition& c, bool holds);
  [[noreturn]] void refuse(int line, const std::string& text) const;
  [[noreturn]] void refuse(int line, const script::Raised& e);
  std::string given() const;
  static const script::Expr* remainder_in(const script::Statement& s);
  std::string divisors() const;
  // The tensor of a name where this frame runs; null: it is none.
  const Tensor* tensor_named(const std::string& name, const script::Frame& frame);
  // What a comment on a line of the statement says of axes, and on which; null: nothing.
  const std::pair<const int, AxisWords>* axes_on(const script::Statement& s) const;
  script::Value stored(const std::string& path, const FrameRecord* frame);
  script::Value step_named(std::string_view id);
  Made made(std::string name, const Tensor& x, uint64_t at);

  // What prose sees beside the program's names, while it lives.
  class Scope;

  void before(const script::Statement& s, script::Frame& frame) override;
  void after(const script::Statement& s, script::Frame& frame) override;
  void assigned(const script::Expr& target, const script::Value& v, script::Frame& frame) override;
  void evaluated(const script::Expr& x, script::Value& v, script::Frame& frame) override;
  void entered(script::Frame& frame) override;
  void left(script::Frame& frame, const script::Value& result) override;

  Narrator& narrator_;
  const Document& document_;
  const std::map<std::string, std::string> values_;
  ProgramRun run_;
  script::Interpreter& in_ = run_.in();
  Expressions expressions_;
  std::deque<Compiled> compiled_;
  std::unordered_map<const Block*, Compiled*> by_block_;
  std::deque<Block> with_mistakes_;  // what runs for the wrong lines of a step
  AxesFlow axes_;
  std::map<int, AxisWords> comments_;  // by line of the file
  Frames frames_;
  uint64_t clock_ = 0;
  bool names_losses_ = false;  // a directive does

  Compiled* running_ = nullptr;
  std::map<std::string, uint64_t> bound_at_;  // in the block that runs
  std::string output_;                        // of the statement that runs
  struct Print {
    std::string name, label;
    uint64_t at;
    bool is_global;  // a name of the program, or one that show: gives
    bool ours;       // marked so
  };
  std::vector<Print> prints_;                // of tensors that are whole arguments
  std::vector<const script::Expr*> marked_;  // values of statements marked #: inputs, the last is the inputs
  // What torch and Python's random draw next.
  struct Draws {
    Generator::State torch, python;
  };
  Draws draws() const { return {default_generator().state(), in_.random().state()}; }
  void set_draws(const Draws& draws);
  Draws draws_before_;  // when one of them began
  // Of the statement that runs, assert whole % parts == 0: the quotient and what stood there. Null: it is
  // none.
  const script::Expr* asserted_ = nullptr;
  int64_t whole_ = 0, parts_ = 0;
  script::Value marked_value_;
  Tensor inputs_;
  bool own_inputs_ = false;
  std::vector<std::string> tokens_;
  const GivenModel* model_ = nullptr;
  Remarks* remarks_ = nullptr;

  std::set<const script::Statement*> passes_;       // .backward() that has run
  std::set<std::pair<uint64_t, uint32_t>> losses_;  // by the node that made them, and which of its results

  std::vector<Made> step_;  // what the step shows, block after block
  size_t block_begin_ = 0;
  std::map<std::string, Told, std::less<>> told_;
  Costs* costs_ = nullptr;
  const InsideBlock* last_inside_ = nullptr;
  size_t scope_record_ = 0;  // whose locals prose sees
  std::string error_;
  bool is_stopped_ = false;  // somebody had enough: what is told ends with this step
};

}  // namespace glassgrad::learn
