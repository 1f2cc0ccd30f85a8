// Records the calls that a lesson's `inside` blocks show: which of them ran, and the values that the quoted
// lines made.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "apps/lesson/axes_flow.h"
#include "apps/lesson/recording.h"
#include "apps/script/interpreter.h"

namespace glassgrad::learn {

// A tensor that a step shows.
struct ShownTensor {
  std::string name;
  Value value;
  Tensor x;  // the tensor itself, with its graph
  AxisWords axes;
  uint64_t version = 0;  // of x, when it was taken
  uint64_t at = 0;       // when the program made it, by the runner's clock
  size_t printed = 0;    // the block's first print is 1; 0: it was not printed
  Whose whose = Whose::Source;
  std::string label = {};                          // what was printed before it
  std::shared_ptr<const Difference> changed = {};  // for a wrong value: from the right one

  // For sentences: returns the tensor or, if it has been written since, its numbers from before.
  script::Value in_prose() const {
    return script::tensor(x && x.version() == version ? x : value.tensor_there());
  }
};

// A call that an `inside` block shows.
struct FrameRecord {
  std::string prefix;  // "heads.0."
  std::vector<ShownTensor> made;
  std::vector<std::pair<std::string, script::Value>> locals;  // after its lines had run
  std::map<size_t, ShownTensor> shown;                        // by the directive's index
};

struct InsideCode {
  int line = 0;
  const script::Expr* call = nullptr;  // mha(batch)
  std::string text, pattern;           // the same as text; "heads.*" or ""
  const script::Body* lines = nullptr;
  std::vector<const script::Expr*> shown;  // expressions of its directives; null for other directives
  std::vector<FrameRecord> records;        // of the last time the call ran
  std::string problem;                     // why nothing was recorded
  std::map<int, int> function_lines;       // by line of the block in the file: the function's line
};

class Frames {
 public:
  // make(name, x) captures x, as it is now, for a step.
  std::function<ShownTensor(std::string, const Tensor&)> make;

  void add(InsideCode block) { blocks_.push_back(std::make_unique<InsideCode>(std::move(block))); }
  InsideCode* last() { return blocks_.back().get(); }
  bool any() const { return !blocks_.empty(); }

  void entered(script::Frame& frame);
  void left(script::Frame& frame);
  void before(const script::Statement& s, script::Frame& frame);
  void after(const script::Statement& s, script::Frame& frame);
  void assigned(const script::Expr& target, script::Frame& frame, uint64_t at);
  void evaluated(const script::Expr& x, const Tensor& v, script::Frame& frame, uint64_t at);

 private:
  // The statements of a function that a block's lines quote.
  struct StatementRange {
    const script::Statement *first = nullptr, *last = nullptr;
    std::set<const script::Expr*> targets;
    std::vector<std::string> names;      // names that the lines assign
    std::vector<std::string> mentioned;  // names that the lines read
    std::map<const script::Expr*, size_t> shown;
    std::map<int, int> function_lines;
    size_t times = 0;  // how often the lines occur there
  };
  struct Match {
    InsideCode* block;
    size_t record;
    const StatementRange* range;
    bool running = false;
    std::map<std::string, uint64_t> bound_at;
    std::map<std::string, std::pair<Tensor, uint64_t>> versions;
  };
  struct Active {
    script::Frame* frame;
    std::vector<InsideCode*> roots;
    std::vector<Match> matches;
  };
  const StatementRange& range_in(const InsideCode& block, const script::Code& code);
  void match(Active& active, InsideCode& block, const std::string& prefix);
  void finish(Match& m, script::Frame& frame);

  std::vector<std::unique_ptr<InsideCode>> blocks_;
  std::map<std::pair<const InsideCode*, const script::Code*>, StatementRange> ranges_;
  std::unordered_map<const script::Expr*, std::vector<InsideCode*>> blocks_of_call_;
  std::vector<Active> active_;
};

// Returns the value of a name in a function's frame; absent if it has none.
script::Value local(const script::Frame& frame, std::string_view name);
// Returns all names of the frame that do not begin with _, with their values.
std::vector<std::pair<std::string, script::Value>> locals(const script::Frame& frame);

}  // namespace glassgrad::learn
