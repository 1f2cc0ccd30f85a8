// Errors of a lesson's program: says where and why it failed, and which settings to change.
#include <fmt/core.h>

#include <new>

#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/lesson_runner.h"
#include "engine/core/joined.h"
#include "engine/print.h"

namespace glassgrad::learn {

using script::Expr;
using script::Statement;

void LessonRunner::refuse(int line, const std::string& text) const {
  fail("{}:{}: {}", document_.file, line, text);
}

void LessonRunner::refuse(int line, const script::Raised& e) {
  if (script::type_name(e.exception) == "MemoryError") throw std::bad_alloc();
  refuse(line, script::last_line(in_, e.exception));
}

void LessonRunner::raised(const Compiled& c, int line, const std::string& type, const std::string& text,
                          const std::string& last_line) {
  if (type == c.block->raises) {
    error_ = text.empty() ? type : text;
    if (c.block->whose != FencedCode::Hidden) builder_.raised(printable(last_line));
    return;
  }
  if (type == "MemoryError") throw std::bad_alloc();
  const std::string why = type == "AssertionError" ? last_line + divisors() : last_line, with = given();
  if (with.empty()) refuse(line, why);
  fail<UsageError>("{}:{}: {} (with {})", document_.file, line, why, with);
}

// Returns the settings that differ from the lesson's defaults: "--heads 5, --inputs of shape [3, 2]".
std::string LessonRunner::given() const {
  std::vector<std::string> all;
  for (const DocumentSetting& setting : document_.settings)
    if (const auto at = values_.find(setting.name); at != values_.end() && at->second != setting.default_text)
      all.push_back(fmt::format("{} {}", setting.flag, at->second));
  if (own_inputs_) all.push_back(fmt::format("--inputs of shape {}", to_string(inputs_.shape())));
  return joined(all, ", ");
}

// Returns whole % parts of `assert whole % parts == 0`; null if s has a different form.
const Expr* LessonRunner::remainder_in(const Statement& s) {
  if (s.kind != Statement::Assert || s.value->kind != Expr::Comparison || s.value->items.size() != 2)
    return nullptr;
  const Expr &left = *s.value->items[0], &right = *s.value->items[1];
  const bool is_zero = right.kind == Expr::Constant && right.value.is_int() && right.value.whole() == 0;
  return is_zero && left.kind == Expr::Binary && left.binary == script::BinaryOp::Mod ? &left : nullptr;
}

// If an assertion whole % parts == 0 has failed, says which numbers of parts are possible.
std::string LessonRunner::divisors() const {
  if (!asserted_ || whole_ < 1 || parts_ < 1) return "";
  std::vector<int64_t> all;
  for (int64_t n = 1; n <= whole_ / n; ++n)
    if (whole_ % n == 0) all.push_back(n);
  for (size_t i = all.size(); i-- > 0;)
    if (whole_ / all[i] != all[i]) all.push_back(whole_ / all[i]);
  const std::string& name = asserted_->right->text;
  return fmt::format(": {} cannot be cut into {} equal parts; {} may be {}", whole_, parts_,
                     name.empty() ? "they" : name, joined(all, ", "));
}

}  // namespace glassgrad::learn
