// Python's ints (here of 64 bits) and floats: arithmetic, texts, rounding.
#pragma once
#include <optional>

#include "apps/script/ast.h"

namespace glassgrad::script {

inline bool is_whole(const Value& x) { return x.is_int() || x.is_bool(); }
inline bool is_number(const Value& x) { return is_whole(x) || x.is_float(); }
inline double as_double(const Value& x) { return x.is_float() ? x.real() : static_cast<double>(x.whole()); }

// a op b for numbers; absent: Python has no such operation for them. Throws ZeroDivisionError, OverflowError,
// ValueError.
Value arithmetic(BinaryOp op, const Value& a, const Value& b);
// Throws OverflowError: integers have 64 bits here.
[[noreturn]] void too_large();
int64_t add(int64_t a, int64_t b);
int64_t multiply(int64_t a, int64_t b);
bool less(const Value& a, const Value& b);  // for numbers, exactly
bool same_number(const Value& a, const Value& b);

std::string repr(double x);  // the shortest text that gives x again, as Python writes it
// int(text) and float(text); nothing if the text is no number.
std::optional<int64_t> parse_int(std::string_view text);
std::optional<double> parse_float(std::string_view text);
double round_to(double x, int64_t digits);  // round(x, digits)
int64_t to_int(double x);                   // truncates x; OverflowError, ValueError for NaN

}  // namespace glassgrad::script
