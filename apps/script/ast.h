// A program as a tree: what parse() makes of its text, and the interpreter walks.
//
// Names are resolved before anything runs, as CPython does it: a name that a function assigns is local to it,
// and a local that an inner function reads lives in a cell. Every node says where it stands in the text.
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

// From the first character to the one after the last: lines from 1, columns from 0 in bytes.
struct Span {
  int line = 0, column = 0, end_line = 0, end_column = 0;
};

struct Expr;
struct Statement;
using ExprPtr = std::unique_ptr<Expr>;
using Body = std::vector<std::unique_ptr<Statement>>;

// How a name is found.
enum class Scope : uint8_t {
  Global,  // of the program: `id` is its place there; if it is not set, a builtin
  Local,   // `id` is a slot of the frame
  Cell,    // `id` is one of the frame's cells: its own first, then those of the function around it
  Class,   // in the body of a class: `text` in the class, or else as `outside` and `id` say
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

// The clauses of a comprehension, outermost first. Its targets live in slots (or cells) of the frame around
// it that no other name has: they are unbound (and the cells new) each time before it runs.
struct Clause {
  ExprPtr target, iterable;
  std::vector<ExprPtr> conditions;
  std::vector<int> slots, cells;  // of the names that the target binds
};

struct Parameter {
  enum Kind : uint8_t { Plain, Star, KeywordOnly, DoubleStar } kind = Plain;
  std::string name;
  ExprPtr fallback;  // null: none
};

// A function or lambda without its defaults' values; shared by the objects made of it.
struct Code {
  std::string name, qualified_name;   // "Head.forward"; of a lambda "<lambda>"
  std::vector<Parameter> parameters;  // their slots are 0, 1, …
  Body body;                          // of a lambda one Return
  std::string document;               // its docstring
  int slots = 0;                      // names of all slots: slot_names
  std::vector<std::string> slot_names;
  // Cells: the first `own_cells` are made at each call, the rest are those of the function around it.
  int own_cells = 0;
  std::vector<std::string> cell_names;
  std::vector<int> captured;      // of the cells that are not its own: which of the frame around it they are
  std::vector<int> cell_of_slot;  // of each parameter: the cell that it lives in, -1 if in its slot
  Span where;
};

// Where the attribute of an expression was found. It is there as long as the owner is the same and the heap
// is in the same epoch.
struct Site {
  const Object* owner = nullptr;  // the class of an instance or of a builtin value; a module
  uint64_t epoch = 0;
  Value* named = nullptr;  // what the owner has under the name
  int place = -1;          // of the attribute in an instance
  bool settable = false;   // its class leaves the setting of attributes to object
  bool own = false;        // `named` is the owner's own, and the program may set it
};

struct Expr {
  enum Kind : uint8_t {
    Constant,   // value; also a docstring or `...`
    Name,       // text, scope, id
    FString,    // items are Constant and Formatted, one after the other
    Formatted,  // left, text is its conversion ("r", "s", "a" or ""), right the specification (an FString) or
                // null; debug: the text "x=" stands before it as a Constant
    Tuple,      // items
    List,       // items
    Set,        // items
    Dict,       // items: key, value, key, value; of **x the key is null
    Attribute,  // left.text
    Subscript,  // left[right]
    SliceOf,    // items: start, stop, step, each may be null
    Starred,    // *left
    Unary,      // unary, left
    Binary,     // left binary right
    BoolAnd,    // items
    BoolOr,     // items
    Comparison,   // items[0] compares[0] items[1] compares[1] items[2] …
    Conditional,  // items[0] if left else items[1]
    Call,         // left(arguments)
    Lambda,       // code
    ListOf,       // left for clauses
    SetOf,        // left for clauses
    DictOf,       // left: right for clauses
    Generator,    // left for clauses, all at once
  };
  // The fields of frequent nodes stand first, in few lines of the processor's cache.
  Kind kind;
  Scope scope = Scope::Global, outside = Scope::Global;
  BinaryOp binary = BinaryOp::Add;
  UnaryOp unary = UnaryOp::Neg;
  int id = -1;
  ExprPtr left, right;
  Value value;        // of a Tuple: itself, if its items are Constants
  mutable Site site;  // of an Attribute
  std::vector<ExprPtr> items;
  std::vector<Argument> arguments;
  std::vector<Compare> compares;
  std::vector<Clause> clauses;
  std::string text;
  std::unique_ptr<Code> code;
  Span where;
  int depth = 1;  // levels of the tree from here down: at most kMaxDepth
};

// f(part) for the expressions right below x, in their order; a part may be null. Not of a lambda's body.
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
    Assign,      // targets = value, each of them a whole target: a = b = 1 has two
    AugAssign,   // targets[0] binary= value
    AnnAssign,   // targets[0]: annotation = value; value may be null; the annotation is not kept
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
    Nonlocal,    // the same
    Import,      // names of modules and what they are bound to
    ImportFrom,  // from text import names
  };
  Kind kind;
  BinaryOp binary = BinaryOp::Add;
  ExprPtr value, message;
  std::vector<ExprPtr> targets;
  Body body, other, finally;
  Span where;         // all of it; of a compound statement only its head, up to the colon
  int last_line = 0;  // of its body
  std::vector<ExprPtr> items;
  std::string text;
  std::vector<Handler> handlers;
  std::vector<ExprPtr> decorators;
  std::unique_ptr<Code> code;  // of Class: its slots and cells are those of comprehensions in its body
  struct Imported {
    std::string name;    // "torch.nn"
    ExprPtr target;      // a Name
    bool named = false;  // "as …": bound to torch.nn itself; `import torch.nn` binds torch
  };
  std::vector<Imported> imports;
};

// What a program is: a body, and the names at its top.
struct Program {
  std::string file;  // for messages: "journey.md", "<string>"
  Body body;
  Code top;  // slots of comprehensions at the top
};

// The places of a run's global names, which blocks of one lesson share.
struct Names {
  std::vector<std::string> names;
  std::map<std::string, int, std::less<>> ids;
  int id(std::string_view name);  // makes one if there is none
};

// What a text that cannot run is refused with: Python's own error, in CPython 3.13's words, or what is not
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
  std::string hint;  // of what is not supported: the nearest way to write it
};

// Limits on what is parsed, so that neither parsing nor running it needs a deep stack.
constexpr size_t kMaxSource = 1 << 20;  // bytes
constexpr int kMaxDepth = 300;          // levels of one expression; branches of one if … elif
constexpr int kMaxIndentation = 100;    // as CPython
constexpr int kMaxParentheses = 200;    // as CPython

// The tree of a program; throws SyntaxError. Blocks of one lesson are parsed with the same `names`.
// first_line: where the text stands in its file. Constants are values of the current heap.
Program parse(std::string_view text, std::string file, Names& names, int first_line = 1);

// The same tree, wherever it stands in the text: what `show:` asks for.
bool same(const Expr& a, const Expr& b);

}  // namespace glassgrad::script
