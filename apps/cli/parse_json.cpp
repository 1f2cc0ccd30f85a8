#include "apps/cli/parse_json.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/io/file.h"

namespace glassgrad {
namespace {

using nlohmann::json;

// Stores only the keys of the open objects. nlohmann's own parser with a callback searches a whole list again
// at the end of each object in the list.
class Walk : public nlohmann::json_sax<json> {
 public:
  Walk(std::string_view text, JsonVisitor& visitor, size_t most, size_t most_keys)
      : text_(text), visitor_(visitor), most_(most), most_keys_(most_keys) {}

  const std::string& problem() const { return problem_; }

  bool null() override { return value(nullptr); }
  bool boolean(bool x) override { return value(x); }
  bool number_integer(json::number_integer_t x) override { return value(x); }
  bool number_unsigned(json::number_unsigned_t x) override { return value(x); }
  bool number_float(json::number_float_t x, const std::string&) override { return value(x); }
  bool string(std::string& x) override { return value(std::move(x)); }
  bool binary(json::binary_t&) override { return false; }  // JSON has none

  bool start_object(size_t) override {
    if (!count()) return false;
    visitor_.begin_object(place_);
    return enter();
  }
  bool start_array(size_t) override {
    if (!count()) return false;
    visitor_.begin_list(place_);
    return enter();
  }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool key(std::string& name) override {
    if (++named_ > most_keys_) return wrong(fmt::format("has more than {} keys", most_keys_));
    if (!keys_.back().insert(name).second)
      return wrong(fmt::format("has '{}' twice in one object", excerpt(name)));
    place_.back() = std::move(name);
    return true;
  }
  bool parse_error(size_t byte, const std::string&, const nlohmann::detail::exception& e) override {
    if (dynamic_cast<const json::out_of_range*>(&e)) return wrong("holds a number that is too large");
    const size_t at = std::min(byte, text_.size());
    const auto line = std::count(text_.begin(), text_.begin() + std::ptrdiff_t(at), '\n') + 1;
    return wrong(fmt::format("line {}: is no valid JSON at byte {}", line, byte));
  }

 private:
  bool wrong(std::string what) {
    problem_ = std::move(what);
    return false;
  }
  bool count() { return ++values_ <= most_ || wrong(fmt::format("has more than {} values", most_)); }
  bool value(json&& x) {
    if (!count()) return false;
    visitor_.scalar(place_, x);
    return true;
  }
  bool enter() {
    place_.emplace_back();
    keys_.emplace_back();
    return place_.size() <= kDeepestJson || wrong(fmt::format("nests deeper than {} levels", kDeepestJson));
  }
  bool leave() {
    place_.pop_back();
    keys_.pop_back();
    return true;
  }

  std::string_view text_;
  JsonVisitor& visitor_;
  size_t most_, most_keys_, values_ = 0, named_ = 0;
  std::vector<std::string> place_;
  std::vector<std::set<std::string>> keys_;
  std::string problem_;
};

}  // namespace

std::string read_json(std::string_view text, JsonVisitor& visitor, size_t most, size_t most_keys) {
  Walk walk(text, visitor, most, most_keys);
  json::sax_parse(text, &walk);
  return walk.problem();
}

json parse_json(std::string_view text, std::string_view where, size_t most) {
  JsonVisitor nobody;
  const std::string problem = read_json(text, nobody, most);
  check<ValueError>(problem.empty(), "{}: {}", where, problem);
  return json::parse(text);
}

}  // namespace glassgrad
