// A program as a tree: parse() makes it from the text, and the interpreter walks it.
//
// Names are resolved before anything runs, as in CPython: a name that a function assigns is local to it, and
// a local that an inner function reads is kept in a cell. Every node knows its place in the text.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/script/classes.h"
#include "engine/core/error.h"

namespace glassgrad::script {

// A range of the text, up to the character after its last one. Lines count from 1, columns from 0 in bytes.
struct Span {
  int line = 0, column = 0, end_line = 0, end_column = 0;
};

struct Expr;
struct Statement;
using ExprPtr = std::unique_ptr<Expr>;
using Body = std::vector<std::unique_ptr<Statement>>;

// How a name is found.
enum class Scope : uint8_t {
  Global,  // a global at place `id`; a builtin if that global is not set
  Local,   // `id` is a slot of the frame
  Cell,    // `id` is one of the frame's cells: its own first, then those of the function around it
  Class,   // in the body of a class: looked up in the class, then by `outside` and `id`
};

enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  MatMul,
  BitAnd,
  BitOr,
  BitXor,
  Shl,
  Shr
};
enum class UnaryOp : uint8_t { Neg, Pos, Invert, Not };
enum class Compare : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };

// An argument of a call: positional, *value, name=value or **value.
struct Argument {
  enum Kind : uint8_t { Positional, Star, Named, DoubleStar } kind = Positional;
  std::string name;
  ExprPtr value;
};

// One `for` of a comprehension; clauses are ordered outermost first. Its targets have their own slots (or
// cells) in the enclosing frame. Each run clears the slots and makes new cells.
struct Clause {
  ExprPtr target, iterable;
  std::vector<ExprPtr> conditions;
  std::vector<int> slots, cells;  // for the names that the target binds
};

struct Parameter {
  enum Kind : uint8_t { Plain, Star, KeywordOnly, DoubleStar } kind = Plain;
  std::string name;
  ExprPtr fallback;  // null: no default
};

// A function or lambda without the values of its defaults, shared by all function objects made from it.
struct Code {
  std::string name, qualified_name;   // "Head.forward"; a lambda has "<lambda>"
  std::vector<Parameter> parameters;  // in slots 0, 1, …
  Body body;                          // for a lambda a single Return
  std::string document;               // its docstring
  int slots = 0;                      // how many; slot_names has their names
  std::vector<std::string> slot_names;
  // Each call makes the first `own_cells` cells; the others belong to the function around this one.
  int own_cells = 0;
  std::vector<std::string> cell_names;
  std::vector<int> captured;      // for each cell that is not its own: its index in the enclosing frame
  std::vector<int> cell_of_slot;  // for each parameter: its cell, -1 if it lives in its slot
  bool is_generator = false;  // it has a yield: a call returns a generator, and watchers do not see its body
  bool library = false;  // it belongs to a module of Python's: watchers and tracebacks do not see its calls
  Span where;
};

// An inline cache for x.NAME: where the attribute was found. Valid while the owner and the heap's epoch are
// the same.
struct AttributeCache {
  const Object* owner = nullptr;  // the class of an instance or builtin value; or x itself, a class or module
  uint64_t epoch = 0;
  Value* value = nullptr;      // the owner's value under the name
  int place = -1;              // the attribute's place in an instance
  bool plain_setattr = false;  // the class has no __setattr__ of its own
  bool writable = false;       // the owner itself has `value`, and the program may set it
};

struct Expr {
  enum Kind : uint8_t {
    Constant,     // value; also a docstring or `...`
    Name,         // text, scope, id
    FString,      // items: Constant and Formatted, in the order of the text
    Formatted,    // left; text: the conversion "r", "s" or ""; right: the format (an FString) or null
    Tuple,        // items
    List,         // items
    Set,          // items
    Dict,         // items: key, value, key, value …; **x has a null key
    Attribute,    // left.text
    Subscript,    // left[right]
    SliceOf,      // items: start, stop, step, each may be null
    Starred,      // *left
    Unary,        // unary, left
    Binary,       // left binary right
    BoolAnd,      // items
    BoolOr,       // items
    Comparison,   // items[0] compares[0] items[1] compares[1] items[2] …
    Conditional,  // items[0] if left else items[1]
    Call,         // left(arguments)
    Lambda,       // code
    ListOf,       // left for clauses
    SetOf,        // left for clauses
    DictOf,       // left: right for clauses
    Generator,    // left for clauses; evaluated all at once
    Yield,        // left, may be null
    YieldFrom,    // left
  };
  // The fields of frequent nodes come first, so that they share few cache lines.
  Kind kind;
  Scope scope = Scope::Global, outside = Scope::Global;
  BinaryOp binary = BinaryOp::Add;
  UnaryOp unary = UnaryOp::Neg;
  int id = -1;
  ExprPtr left, right;
  Value value;                   // a Constant's; also a Tuple's, if its items are Constants
  mutable AttributeCache cache;  // an Attribute's
  std::vector<ExprPtr> items;
  std::vector<Argument> arguments;
  std::vector<Compare> compares;
  std::vector<Clause> clauses;
  std::string text;
  std::unique_ptr<Code> code;
  Span where;
  int depth = 1;  // levels of the tree from here down: at most kMaxDepth
};

// Calls f for each direct child expression of x, in order; a child may be null. Leaves out a lambda's body.
template <class F>
void each_part(const Expr& x, F f) {
  f(x.left), f(x.right);
  for (const ExprPtr& item : x.items) f(item);
  for (const Argument& argument : x.arguments) f(argument.value);
  for (const Clause& clause : x.clauses) {
    f(clause.target), f(clause.iterable);
    for (const ExprPtr& condition : clause.conditions) f(condition);
  }
  if (x.code)
    for (const Parameter& parameter : x.code->parameters) f(parameter.fallback);
}

struct Handler {
  ExprPtr type;  // null: a bare except
  ExprPtr name;  // a Name, or null
  Body body;
  Span where;
};

struct Statement {
  enum Kind : uint8_t {
    Expression,  // value
    Assign,      // targets = value; a = b = 1 has two targets
    AugAssign,   // targets[0] binary= value
    AnnAssign,   // targets[0]: text = value; value may be null; text is the annotation
    If,          // value, body, other
    While,       // value, body, other
    For,         // targets[0] in value, body, other
    Break,
    Continue,
    Pass,
    Return,      // value may be null
    Def,         // targets[0] (a Name) = code under decorators
    Class,       // targets[0] (a Name), value is the base or null, body; decorators
    Raise,       // value may be null; targets[0] is the cause, if there is one
    Assert,      // value, message
    Try,         // body, handlers, other, finally
    With,        // items: an expression and its target (or null), in turn; body
    Delete,      // targets
    Global,      // only names; resolved already
    Nonlocal,    // like Global
    Import,      // names of modules and what they are bound to
    ImportFrom,  // from text import names
    Yield,       // targets = value, a Yield or YieldFrom; there may be no targets
  };
  Kind kind;
  BinaryOp binary = BinaryOp::Add;
  ExprPtr value, message;
  std::vector<ExprPtr> targets;
  Body body, other, finally;
  Span where;         // the whole statement; for a compound one only its head, up to the colon
  int last_line = 0;  // the last line of its body
  std::vector<ExprPtr> items;
  std::string text;
  std::vector<Handler> handlers;
  std::vector<ExprPtr> decorators;
  std::unique_ptr<Code> code;  // a Def's function; a Class's cells, and slots for comprehensions in its body
  struct Imported {
    std::string name;    // "torch.nn"
    ExprPtr target;      // a Name
    bool named = false;  // true: `import torch.nn as x` binds torch.nn; without `as`, torch is bound
  };
  std::vector<Imported> imports;
};

// A parsed program.
struct Program {
  std::string file;  // for messages: "journey.md", "<string>"
  Body body;
  Code top;  // the slots and cells of comprehensions at the top level
};

// Numbers a run's global names. Blocks of one lesson share them.
struct Names {
  std::vector<std::string> names;
  std::map<std::string, int, std::less<>> ids;
  int id(std::string_view name);  // the number of a name, which is added if new
};

// Thrown for a program that cannot run: Python's own error, in CPython 3.13's words, or a feature that is not
// supported here. what() is "FILE:LINE:COLUMN: text".
class SyntaxError : public Error {
 public:
  enum Type : uint8_t { Syntax, Indentation, Unsupported };
  SyntaxError(Type type, std::string file, int line, int column, std::string text, std::string hint = "");
  const char* kind() const noexcept override;  // "SyntaxError", "IndentationError"
  bool unsupported() const { return type == Unsupported; }

  Type type;
  std::string file;
  int line, column;  // from 1, columns in characters
  std::string text;
  std::string hint;  // for an unsupported feature: the nearest supported way to write it
};

// Limits of the parser, so that neither parsing nor running a program needs a deep stack.
constexpr size_t kMaxSource = 1 << 20;  // bytes
constexpr int kMaxDepth = 300;          // levels of one expression; branches of one if … elif
constexpr int kMaxIndentation = 100;    // as in CPython
constexpr int kMaxParentheses = 200;    // as in CPython

// The file of the modules of Python's library (library.h).
inline constexpr std::string_view kLibraryFile = "<library>";
// Parses a program; throws SyntaxError. Blocks of one lesson share `names`. first_line: the line of the file
// where the text starts. Constants are values of the current heap.
Program parse(std::string_view text, std::string file, Names& names, int first_line = 1);

// Returns whether two trees are equal, wherever they are in the text. `show:` finds its expression with it.
bool same(const Expr& a, const Expr& b);

}  // namespace glassgrad::script
