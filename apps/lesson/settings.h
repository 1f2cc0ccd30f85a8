// What a lesson can be asked to change, and what it was asked.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/as_typed.h"
#include "engine/tensor.h"

namespace glassgrad::learn {

// A number that a lesson reads, set by a flag.
struct Parameter {
  enum class Kind : uint8_t {
    Seed,     // any integer of 64 bits
    Integer,  // within bounds, of which one may be missing
    Real,     // within bounds, if it has any
  };
  const char* flag;
  Kind kind;
  const char* default_text;
  const char* what;
  std::optional<double> low = {}, high = {};
};
// A number as Python writes it, if the parameter can be that: "007" is 7 and "1" of a real one 1.0.
std::optional<std::string> number_of(const Parameter& p, std::string_view text);
// "an integer from 1 to 4096", "a number of at least 0": what the parameter takes.
std::string range_of(const Parameter& p);

using glassgrad::as_typed;

struct GivenModel;
struct Lesson;
class Settings;

// The values a lesson runs with. Every getter takes the flag: settings.count("--heads").
class Settings {
 public:
  struct Given {
    std::string flag, text;
  };

  // The lesson's defaults, changed by what was given on the command line. UsageError: a flag that the lesson
  // does not have, a value that is no number or out of range.
  Settings(const Lesson& lesson, std::span<const Given> given);

  uint64_t seed(std::string_view flag) const;
  int64_t count(std::string_view flag) const;
  double fraction(std::string_view flag) const;
  const std::string& text(std::string_view flag) const { return find(flag).text; }  // as Python writes it
  bool has(std::string_view flag) const { return find_or_null(flag) != nullptr; }  // does the lesson have it?
  bool was_given(std::string_view flag) const { return find(flag).given; }         // on the command line

  // One vector a token, (tokens, features) or (batch, tokens, features) as the lesson has it, in float32, and
  // what to call the tokens. Undefined in a lesson about no tokens.
  Tensor inputs;
  bool own_inputs = false;  // from a file
  std::vector<std::string> tokens;
  struct OwnTensor {
    std::string path;
    Tensor values;
    bool used = false;
  };
  std::map<std::string, OwnTensor> weights;  // by the name of the parameter they replace
  std::shared_ptr<const GivenModel> model;   // that the program runs on; null: on the one it trains itself

  // Replaces the lesson's inputs by those of a .npy or .csv file; a lesson with batches takes (tokens,
  // features) twice. UsageError: no path, or the lesson takes none. Error: the file cannot be read or does
  // not hold vectors.
  void load_inputs(const std::string& path);
  // The same with numbers at hand; `from` is what an error calls them.
  void take_inputs(Tensor values, std::string_view from);
  // "W_query=FILE", .npy or .csv. UsageError: not of this form. Error: the file cannot be read.
  void load_weights(std::string_view assignment);
  // Names the tokens: "a,b,c". UsageError: not one name for each row of the inputs.
  void name_tokens(std::string_view list);

 private:
  struct Value {
    const Parameter* parameter;
    std::string text;
    bool given = false;
  };
  const Value& find(std::string_view flag) const;
  const Value* find_or_null(std::string_view flag) const;

  const char* lesson_;  // its id
  std::vector<Value> values_;
};

}  // namespace glassgrad::learn
