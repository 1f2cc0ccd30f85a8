// The settings that a lesson has, and their values.
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
struct SettingSpec {
  enum class Kind : uint8_t {
    Seed,     // any integer of 64 bits
    Integer,  // within bounds; one bound may be missing
    Real,     // within bounds, if it has any
  };
  const char* flag;
  Kind kind;
  const char* default_text;
  const char* what;
  std::optional<double> low = {}, high = {};
};
// Returns the number as Python writes it, if the setting allows it: "007" becomes 7, and "1" for a real
// setting becomes 1.0.
std::optional<std::string> number_of(const SettingSpec& p, std::string_view text);
// Returns the values that the setting takes: "an integer from 1 to 4096", "a number of at least 0".
std::string range_of(const SettingSpec& p);

using glassgrad::as_typed;

struct GivenModel;
struct Lesson;
class Settings;

// The values a lesson runs with. Every getter takes the flag: settings.count("--heads").
class Settings {
 public:
  struct GivenFlag {
    std::string flag, text;
  };

  // Starts from the lesson's defaults and applies the flags of the command line. Throws UsageError for a flag
  // that the lesson does not have, or a value that is not a number or out of range.
  Settings(const Lesson& lesson, std::span<const GivenFlag> given);

  uint64_t seed(std::string_view flag) const;
  int64_t count(std::string_view flag) const;
  double fraction(std::string_view flag) const;
  const std::string& text(std::string_view flag) const { return find(flag).text; }  // as Python writes it
  bool has(std::string_view flag) const { return find_or_null(flag) != nullptr; }   // the lesson has it
  bool was_given(std::string_view flag) const { return find(flag).given; }          // on the command line

  // One vector for each token, (tokens, features) or (batch, tokens, features) like the lesson's own, in
  // float32, and the names of the tokens. Undefined in a lesson without tokens.
  Tensor inputs;
  bool own_inputs = false;  // from a file
  std::vector<std::string> tokens;
  struct OwnTensor {
    std::string path;
    Tensor values;
    bool used = false;
  };
  std::map<std::string, OwnTensor> weights;  // by the name of the parameter they replace
  std::shared_ptr<const GivenModel> model;   // the model that the program runs on; null: it trains its own

  // Replaces the lesson's inputs by those of a .npy or .csv file; a lesson with batches takes (tokens,
  // features) twice. Throws UsageError without a path, or if the lesson takes no inputs; Error if the file
  // cannot be read or does not hold vectors.
  void load_inputs(const std::string& path);
  // The same with numbers in memory; `from` is their name in errors.
  void take_inputs(Tensor values, std::string_view from);
  // Reads "W_query=FILE", .npy or .csv. Throws UsageError if the text is not of this form; Error if the file
  // cannot be read.
  void load_weights(std::string_view assignment);
  // Names the tokens: "a,b,c". Throws UsageError unless there is one name for each row of the inputs.
  void name_tokens(std::string_view list);

 private:
  struct Value {
    const SettingSpec* spec;
    std::string text;
    bool given = false;
  };
  const Value& find(std::string_view flag) const;
  const Value* find_or_null(std::string_view flag) const;

  const char* lesson_;  // its id
  std::vector<Value> values_;
};

}  // namespace glassgrad::learn
