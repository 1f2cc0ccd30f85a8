#include "apps/exercise/answer_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "apps/cli/text_width.h"
#include "apps/exercise/block_names.h"
#include "apps/exercise/bound_value.h"
#include "apps/lesson/frames.h"
#include "apps/lesson/run.h"
#include "apps/script/host.h"
#include "apps/script/modules.h"
#include "apps/script/torch.h"
#include "apps/script/walk.h"
#include "engine/autograd.h"
#include "engine/ops.h"
#include "engine/print.h"
#include "engine/trace.h"

namespace glassgrad::exercise {
namespace {

using script::Expr;
using script::Frame;
using script::Statement;
using script::Value;

// Line numbers of the exercise's own block start at 1; those of all other lines start here.
constexpr int kElsewhere = 10'000'000;
constexpr size_t kMostPrinted = 2000;

class Runner : private script::Watcher {
 public:
  Runner(const Course& course, const AnswerRunOptions& options, const Limits& limits)
      : course_(course),
        options_(options),
        run_(
            limits, [this](std::string_view text) { print(text); }, nullptr) {}

  AnswerRun run_answer(const Exercise& exercise, std::span<const std::string> answer) {
    guarded([&] {
      run_before(exercise, {});
      run_own(exercise, answer);
    });
    return std::move(made_);
  }

  // Replaces the values for which the exercise gives an expression, after it has run.
  void expect(const Exercise& exercise, AnswerRun& trial) {
    guarded([&] {
      for (const auto& [name, v] : hidden_) in_.set_global(name, v);
      for (const auto& [name, expression] : exercise.expected) {
        const Value v = in_.evaluate(parsed(expression, kElsewhere));
        const Tensor* const x = script::tensor_of(v);
        if (!x) fail("{}: {} is no tensor", course_.file, expression);
        for (BoundValue& b : trial.bound)
          if (b.name == name) b.value = clone(x->detach());
      }
    });
    if (made_.end != AnswerRun::Whole) fail("{}:{}: {}", course_.file, exercise.line, made_.error);
  }

  AnswerRun run_to_the_end(std::span<const std::string> answers,
                           const std::function<void(std::string_view)>& print) {
    guarded([&] {
      run_before({}, answers);
      print_ = &print;
      seed(course_.exercises.size());
      run(course_.ending);
    });
    return std::move(made_);
  }

 private:
  template <class F>
  void guarded(F f) {
    made_ = {};
    const Watch watch(&run_.meter());
    try {
      try {
        f();
      } catch (const script::Raised& e) {
        raised(e.exception);  // inside the outer try, because formatting its text may exceed a limit
      }
    } catch (const script::SyntaxError& e) {
      made_.end = AnswerRun::Raised;
      made_.error = fmt::format("{}: {}", e.kind(), e.text);
      made_.hint = e.hint;
      if (e.line < kElsewhere) place(e.line, e.column - 1);
    } catch (const learn::EndOfTime&) {
      made_.end = AnswerRun::OutOfTime;
    } catch (const std::bad_alloc&) {
      made_.end = AnswerRun::OutOfMemory;
    } catch (const Error& e) {
      made_.end = AnswerRun::Raised;
      made_.error = fmt::format("{}: {}", e.kind(), e.what());
    }
  }

  void seed(size_t k) {
    default_generator().manual_seed(options_.seed + k);
    in_.random().set_state(script::random_state(options_.seed + k));
  }

  const script::Program& parsed(const std::string& text, int line) {
    programs_.push_back(std::make_unique<script::Program>());
    *programs_.back() = script::parse(text, course_.file, in_.names(), line);
    return *programs_.back();
  }
  void run(std::span<const std::string> lines) { in_.run(parsed(text_of(lines), kElsewhere)); }

  // Runs the exercises before this one (all, if none is given) with these answers; where there is no answer,
  // with the solution.
  void run_before(std::optional<std::reference_wrapper<const Exercise>> exercise,
                  std::span<const std::string> answers) {
    for (const auto& size : course_.sizes)
      in_.set_global(size.name, Value::of(int64_t{options_.second ? size.second : size.first}));
    run(course_.opening);
    const size_t end = exercise ? course_.index(*exercise) : course_.exercises.size();
    for (size_t k = 0; k < end; ++k) {
      const Exercise& e = course_.exercises[k];
      seed(k);
      run(e.setup);
      const auto own = k < answers.size() ? lines_of(answers[k]) : std::vector<std::string>();
      run(e.with(own.empty() ? e.solution : own));
    }
  }

  void run_own(const Exercise& exercise, std::span<const std::string> answer) {
    exercise_ = &exercise;
    seed(course_.index(exercise));
    const auto known = bound_names();
    run(exercise.setup);
    hide();
    const script::Body& body = parsed(text_of(exercise.with(exercise.solution)), 1).body;
    names_ = names_in(body, exercise);
    std::set<std::string> bound;
    find_live(statements_from(body, exercise.before.size() + 1), used_, bound);
    find_names_read_later(body);
    known_ = known;
    begin_ = static_cast<int>(exercise.before.size()) + 1;
    end_ = begin_ + static_cast<int>(answer.size());
    lines_ = exercise.with(answer);
    check_alone(answer);
    const script::Program& program = parsed(text_of(lines_), 1);
    in_.watch(this);
    in_.run(program);
    in_.watch(nullptr);
    if (open_) close(*open_);
    const size_t first = made_.bound.size();
    add_globals(made_.bound);
    for (size_t i = first; i < made_.bound.size(); ++i) {
      BoundValue& b = made_.bound[i];
      b.at_end = true;
      b.untouched = std::any_of(at_begin_.begin(), at_begin_.end(), [&](const BoundValue& was) {
        return was.name == b.name && is_same(was.value, b.value);
      });
      b.needed = exercise.indent > 0 || live_.contains(b.name.substr(0, b.name.find_first_of(".[")));
    }
  }

  // Hides the exercise's own right values, whose names begin with _, until `expect`.
  void hide() {
    for (const std::string& name : in_.names().names)
      if (name.starts_with('_') && !name.starts_with("__") && in_.global(name))
        hidden_.emplace_back(name, *in_.global(name));
    for (const auto& [name, v] : hidden_) in_.set_global(name, {});
  }

  // Returns the statements of a block that begin at this line or below.
  static std::span<const std::unique_ptr<Statement>> statements_from(const script::Body& body, size_t line) {
    const auto first = std::find_if(body.begin(), body.end(),
                                    [&](const auto& s) { return s->where.line >= static_cast<int>(line); });
    return std::span(body).subspan(static_cast<size_t>(first - body.begin()));
  }

  // Finds the names that lines after the blank read. In an indented blank, every name counts as needed
  // anyway, because a function's caller or the backward pass may read it.
  void find_names_read_later(const script::Body& body) {
    std::set<std::string> bound;
    find_live(statements_from(body, exercise_->before.size() + exercise_->solution.size() + 1), live_, bound);
    for (size_t k = course_.index(*exercise_) + 1; k < course_.exercises.size(); ++k) {
      const Exercise& e = course_.exercises[k];
      find_live(parsed(text_of(e.setup), kElsewhere).body, live_, bound);
      find_live(parsed(text_of(e.with(e.solution)), kElsewhere).body, live_, bound);
    }
    find_live(parsed(text_of(course_.ending), kElsewhere).body, live_, bound);
  }

  void bind(const std::string& call, const std::string& name, const Value& v, bool always) {
    const size_t first = made_.bound.size();
    add_bound_values(made_.bound, call, name, v, always);
    for (size_t i = first; i < made_.bound.size(); ++i) made_.bound[i].before = !begun_;
  }
  void add_globals(std::vector<BoundValue>& all) {
    for (const std::string& name : names_.all)
      if (const Value* v = in_.global(name)) add_bound_values(all, "", name, *v, false);
  }

  // Throws SyntaxError unless the answer is complete: no bracket or string may stay open at its end.
  void check_alone(std::span<const std::string> answer) {
    std::string text = "def lines():\n";
    for (const std::string& line : answer) text += " " + line + "\n";
    try {
      script::parse(text, course_.file, in_.names(), 0);
    } catch (const script::SyntaxError& e) {
      // Undo the one space that was added here, and add the block's indentation.
      throw script::SyntaxError(e.type, e.file, e.line + begin_ - 1,
                                e.column - 1 + static_cast<int>(exercise_->indent), e.text, e.hint);
    }
  }

  std::set<std::string> bound_names() {
    std::set<std::string> all;
    for (const std::string& name : in_.names().names)
      if (in_.global(name)) all.insert(name);
    return all;
  }

  // ---- collects the values that the run binds
  bool in_blank(int line) const { return line >= begin_ && line < end_; }
  bool in_block(int line) const { return line < kElsewhere; }
  static int line_of(const Frame& frame) { return frame.at ? frame.at->where.line : 0; }
  // True if the answer defines this function: the values inside it are not compared.
  bool is_own(const Frame& frame) const {
    return frame.outer && frame.code && in_blank(frame.code->where.line);
  }

  void before(const Statement& s, Frame& frame) override {
    run_.step();
    if (!in_block(s.where.line)) return;
    if (in_blank(s.where.line)) {
      at_ = &s;
      evaluated_.clear();
    }
    if (is_own(frame)) return;
    if (!in_blank(s.where.line)) {
      if (open_ == &frame) close(frame);
      return;
    }
    if (open_ == &frame && first_ == &s) close(frame);
    if (open_ == &frame) return;
    if (options_.gives && made_.given.empty()) give(frame);
    if (!begun_) remember_begin();
    open_ = &frame;
    first_ = &s;
  }
  void left(Frame& frame, const Value&) override {
    if (open_ == &frame) close(frame);
  }
  void evaluated(const Expr& x, Value&, Frame&) override {
    if (in_blank(x.where.line)) evaluated_.insert(&x);
  }
  void assigned(const Expr& target, const Value& v, Frame& frame) override {
    const int line = line_of(frame);
    if (!in_block(line) || in_blank(line) || is_own(frame)) return;
    if (target.kind != Expr::Name && target.kind != Expr::Attribute) return;
    const std::string name = path_of(target);
    if (!name.empty() && !name.starts_with('_')) bind(call_of(frame), name, v, false);
  }

  // Returns "Block.forward"; for a function inside a function only the inner name.
  static std::string call_of(const Frame& frame) {
    if (!frame.outer) return "";
    constexpr std::string_view kInside = "<locals>.";
    const std::string& name = frame.code->qualified_name;
    const size_t at = name.rfind(kInside);
    return at == std::string::npos ? name : name.substr(at + kInside.size());
  }

  // Called when the blank has run (it may run several times): keeps the current values of its names.
  void close(Frame& frame) {
    open_ = nullptr;
    script::Watcher* const me = in_.watch(nullptr);
    for (const std::string& path : names_.solution) {
      const std::string name = path.substr(0, path.find('.'));
      if (frame.outer && !names_.outside.contains(name)) continue;
      Value v = frame.outer ? learn::local(frame, name) : Value();
      if (!v)
        if (const Value* global = in_.global(name)) v = *global;
      for (size_t dot = name.size(); v && dot < path.size();) {
        const size_t end = std::min(path.find('.', dot + 1), path.size());
        Value inner;
        v = in_.find_attribute(v, path.substr(dot + 1, end - dot - 1), inner) ? inner : Value();
        dot = end;
      }
      bind(call_of(frame), path, v, true);
    }
    in_.watch(me);
  }

  void remember_begin() {
    begun_ = true;
    add_globals(at_begin_);
  }

  // Lists the names that the answer can use: a function's parameters and locals so far, or at the top level
  // the names that the exercise binds or mentions. If there are many, only the names that the solution needs.
  void give(const Frame& frame) {
    std::vector<std::pair<std::string, Value>> all;
    if (frame.outer) all = learn::locals(frame);
    for (const std::string& name : in_.names().names) {
      const Value* const v = frame.outer || name.starts_with('_') ? nullptr : in_.global(name);
      if (v && (!known_.contains(name) || used_.contains(name))) all.emplace_back(name, *v);
    }
    constexpr size_t kMost = 12;
    if (!frame.outer && all.size() > kMost)
      std::erase_if(all, [&](const auto& named) { return !used_.contains(named.first); });
    for (const auto& [name, v] : all) {
      const script::ModuleObject* const m = script::as_module(v);
      if (const Tensor* x = script::tensor_of(v))
        made_.given.push_back({fmt::format("{} {}", name, shape_text(x->shape())), repr(*x)});
      else if (v.is_float())
        made_.given.push_back({fmt::format("{} = {:.4g}", name, v.real()), {}});
      else if (v.is_int())
        made_.given.push_back({fmt::format("{} = {}", name, in_.str(v)), {}});
      else if (m && name != "self")
        made_.given.push_back({fmt::format("{} ({})", name, script::type_name(v)), {}});
    }
  }

  // ---- errors
  void place(int line, int column) {
    if (in_blank(line)) {
      made_.line = line - begin_ + 1;
      made_.column = std::max(column - static_cast<int>(exercise_->indent), 0) + 1;
    }
    if (line >= 1 && line <= static_cast<int>(lines_.size())) made_.text_of_line = lines_[size_t(line) - 1];
  }

  void raised(const Value& exception) {
    in_.watch(nullptr);
    if (script::type_name(exception) == "MemoryError") {
      made_.end = AnswerRun::OutOfMemory;
      return;
    }
    made_.end = AnswerRun::Raised;
    made_.error = script::last_line(in_, exception);
    const auto& trace = static_cast<script::Exception&>(*exception.object()).trace;
    int line = 0;
    for (const auto& at : trace)
      if (in_block(at.line) && (line == 0 || !in_blank(line) || in_blank(at.line))) line = at.line;
    if (!line) return;
    const Expr* const failed =
        in_blank(line) && at_ && at_->where.line == line ? failed_in(*at_, evaluated_) : nullptr;
    const size_t margin = lines_[size_t(line) - 1].find_first_not_of(' ');
    place(failed ? failed->where.line : line, failed ? failed->where.column : static_cast<int>(margin));
  }

  void print(std::string_view text) {
    if (print_) return (*print_)(text);
    if (open_ && made_.printed.size() < kMostPrinted) made_.printed += text.substr(0, kMostPrinted);
  }

  const Course& course_;
  const AnswerRunOptions options_;
  learn::ProgramRun run_;
  script::Interpreter& in_ = run_.in();
  std::vector<std::unique_ptr<script::Program>> programs_;
  AnswerRun made_;
  const std::function<void(std::string_view)>* print_ = nullptr;

  const Exercise* exercise_ = nullptr;
  std::vector<std::string> lines_;  // the block with the answer
  int begin_ = 0, end_ = 0;         // the answer's lines in the block
  BlockNames names_;
  std::set<std::string> known_;                        // names bound before the exercise
  std::set<std::string> used_;                         // names that the blank or the block below it reads
  std::set<std::string> live_;                         // names that something reads after the blank
  std::vector<std::pair<std::string, Value>> hidden_;  // names that begin with _
  std::vector<BoundValue> at_begin_;                   // values of the block's names when the blank began
  bool begun_ = false;
  Frame* open_ = nullptr;                             // the frame in which the blank runs
  const Statement *first_ = nullptr, *at_ = nullptr;  // the blank's first and its current statement
  std::unordered_set<const Expr*> evaluated_;         // expressions of at_ that gave a value
};

}  // namespace

std::string shape_text(const Dims& shape) {
  std::string text = "(";
  for (int d = 0; d < shape.n; ++d) text += (d ? ", " : "") + std::to_string(shape[d]);
  return text + (shape.n == 1 ? ",)" : ")");
}

AnswerRun run_answer(const Course& course, const Exercise& exercise, std::span<const std::string> answer,
                     const AnswerRunOptions& options, const Limits& limits) {
  return Runner(course, options, limits).run_answer(exercise, answer);
}

AnswerRun run_solution(const Course& course, const Exercise& exercise, const AnswerRunOptions& options) {
  const Limits limits{.steps = UINT64_MAX, .bytes = size_t{1} << 30, .seconds = 3600};
  Runner runner(course, options, limits);
  AnswerRun trial = runner.run_answer(exercise, exercise.solution);
  glassgrad::check(trial.end == AnswerRun::Whole, "{}:{}: the solution does not run: {}", course.file,
                   exercise.block_line, trial.error);
  runner.expect(exercise, trial);
  return trial;
}

AnswerRun run_to_the_end(const Course& course, std::span<const std::string> answers,
                         const AnswerRunOptions& options, const Limits& limits,
                         const std::function<void(std::string_view)>& print) {
  return Runner(course, options, limits).run_to_the_end(answers, print);
}

}  // namespace glassgrad::exercise
