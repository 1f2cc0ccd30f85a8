// Python's operations on tensors, dtypes, devices and generators. x, or at least one operand, must be one of
// these.
#pragma once
#include "apps/script/interpreter.h"

namespace glassgrad::script::tensors {

Value type(Interpreter& in, const Value& x);  // its Class
bool find_attribute(Interpreter& in, const Value& x, std::string_view name, Value& into);
void set_attribute(const Value& x, std::string_view name, const Value& value);

// These functions return NotImplemented for operands that tensors do not support.
Value binary(BinaryOp op, const Value& a, const Value& b);
Value in_place(BinaryOp op, const Value& a, const Value& b);
Value compare(Compare op, const Value& a, const Value& b);  // == != < <= > >=
Value unary(UnaryOp op, const Value& x);                    // all but `not`

Value absolute(const Value& x);
Value item(const Value& x, const Value& key);
void set_item(const Value& x, const Value& key, const Value& value);
Value iterate(const Value& x);
bool contains(const Value& x, const Value& element);
bool truth(const Value& x);
int64_t length(const Value& x);
Value number(const Value& x);  // the int, float or bool in it, for int(x), float(x) and indices
std::string repr(const Value& x);
std::string str(const Value& x);
std::string format(Interpreter& in, const Value& x, std::string_view specification);

}  // namespace glassgrad::script::tensors
