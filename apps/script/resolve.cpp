#include "apps/script/resolve.h"

#include <fmt/core.h>

#include <deque>
#include <unordered_map>

namespace glassgrad::script {
namespace {

// A name in one frame. Whether it gets a slot or a cell is known only after all inner functions have been
// visited.
struct Variable {
  std::string name;
  int parameter = -1;
  bool free = false;                            // it belongs to an enclosing frame
  bool captured = false;                        // an inner frame reads it, so it gets a cell
  Clause* clause = nullptr;                     // set for a target of a comprehension
  std::vector<Expr*> uses;                      // Names
  std::vector<std::pair<Code*, size_t>> inner;  // captured[i] of inner codes that use it
};

// A block's use of a name: global, or bound to a variable. In a class only a nonlocal name has a variable.
struct Binding {
  bool global = false;
  Variable* variable = nullptr;
};

using VariableMap = std::unordered_map<std::string, Variable*>;

// A scope with its own names: the program, a function, or the body of a class.
struct Block {
  enum Kind : uint8_t { Top, Function, Class } kind;
  Code& code;
  Block* outer = nullptr;
  std::string prefix = "";              // of the qualified names inside: "Head.", "f.<locals>."
  bool in_class = false;                // directly or deeper
  std::deque<Variable> variables = {};  // in the order of their numbers
  std::unordered_map<std::string, Binding> names = {};
  VariableMap enclosing = {};                    // names found in enclosing frames
  std::vector<VariableMap> comprehensions = {};  // targets of enclosing comprehensions
  Variable* class_cell = nullptr;                // __class__
  size_t captures = 0;
  int loops = 0;

  Variable* add(std::string name) {
    variables.push_back({});
    variables.back().name = std::move(name);
    return &variables.back();
  }
};

class Resolver {
 public:
  Resolver(Names& names, const Source& source) : names_(names), source_(source) {}

  void program(Program& program) {
    Block top{Block::Top, program.top};
    collect(program.body, top);
    walk(program.body, top);
    number(top);
  }

 private:
  [[noreturn]] void fail(const Span& where, std::string text) const {
    source_.fail(where.line, where.column, std::move(text));
  }

  // Throws for a private name: Python renames __x in class C to _C__x.
  void no_private_name(const Expr& x, const Block& b) const {
    if (b.in_class && x.text.starts_with("__") && !x.text.ends_with("__"))
      source_.fail(x.where.line, x.where.column, "private names (__x) are not supported",
                   SyntaxError::Unsupported, "write one underscore: _x");
  }

  // ---- step 1: the names that a block binds, without inner functions and classes
  void bind(const Expr& x, Block& b) {
    if (x.kind == Expr::Tuple || x.kind == Expr::List) {
      for (const ExprPtr& item : x.items) bind(*item, b);
    } else if (x.kind == Expr::Starred) {
      bind(*x.left, b);
    } else if (x.kind == Expr::Name) {
      const auto [binding, fresh] = b.names.try_emplace(x.text);
      if (fresh && b.kind == Block::Function) binding->second.variable = b.add(x.text);
    }
  }
  void collect(const Body& body, Block& b) {
    for (const auto& s : body) collect(*s, b);
  }
  void collect(const Statement& s, Block& b) {
    if (s.kind == Statement::Global || s.kind == Statement::Nonlocal) return declare(s, b);
    for (size_t i = 1; i < s.items.size(); i += 2)
      if (s.items[i]) bind(*s.items[i], b);
    if (s.kind != Statement::Raise)
      for (const ExprPtr& target : s.targets) bind(*target, b);
    for (const auto& imported : s.imports) bind(*imported.target, b);
    if (s.kind != Statement::Class) collect(s.body, b);
    for (const Handler& handler : s.handlers) {
      if (handler.name) bind(*handler.name, b);
      collect(handler.body, b);
    }
    collect(s.other, b);
    collect(s.finally, b);
  }
  void declare(const Statement& s, Block& b) {
    const bool global = s.kind == Statement::Global;
    const char* const kind = global ? "global" : "nonlocal";
    if (!global && b.kind == Block::Top) fail(s.where, "nonlocal declaration not allowed at module level");
    for (const ExprPtr& x : s.targets) {
      const std::string& name = x->text;
      const auto known = b.names.find(name);
      const bool declared = known != b.names.end();
      if (declared && known->second.variable && known->second.variable->parameter >= 0)
        fail(s.where, fmt::format("name '{}' is parameter and {}", name, kind));
      if (declared && known->second.global != global)
        fail(s.where, fmt::format("name '{}' is assigned to before {} declaration", name, kind));
      Variable* const variable = global ? nullptr : resolve_enclosing(b, name);
      if (!global && !variable) fail(s.where, fmt::format("no binding for nonlocal '{}' found", name));
      b.names[name] = {global, variable};
    }
  }

  // ---- enclosing frames
  // The variable in b of a name that an enclosing frame binds; null: the name is global.
  Variable* resolve_enclosing(Block& b, const std::string& name) {
    if (!b.outer) return nullptr;
    const auto [known, fresh] = b.enclosing.try_emplace(name, nullptr);
    Variable* const outer = fresh ? variable_in(*b.outer, name) : nullptr;
    if (!outer) return known->second;
    outer->captured = true;
    outer->inner.emplace_back(&b.code, b.captures++);
    Variable* const here = b.add(name);
    here->free = true;
    return b.enclosing[name] = here;
  }
  Variable* variable_in(Block& b, const std::string& name) {
    if (Variable* const variable = target_of_comprehension(b, name)) return variable;
    if (b.kind == Block::Function)
      if (const auto found = b.names.find(name); found != b.names.end()) return found->second.variable;
    if (b.kind == Block::Class && name == "__class__")
      return b.class_cell ? b.class_cell : b.class_cell = b.add(name);
    return resolve_enclosing(b, name);
  }
  static Variable* target_of_comprehension(const Block& b, const std::string& name) {
    for (auto scope = b.comprehensions.rbegin(); scope != b.comprehensions.rend(); ++scope)
      if (const auto found = scope->find(name); found != scope->end()) return found->second;
    return nullptr;
  }

  // ---- step 2: the meaning of each name
  void use(Expr& x, Block& b) {
    if (Variable* const variable = target_of_comprehension(b, x.text))
      variable->uses.push_back(&x);
    else
      use_in_block(x, b);
  }
  void use_in_block(Expr& x, Block& b) {
    // A function in a class that says super() captures the cell "__class__" of the class body, which holds
    // the class once it is made.
    if (b.kind == Block::Function && x.text == "super") resolve_enclosing(b, "__class__");
    const auto found = b.names.find(x.text);
    const bool bound = found != b.names.end();
    Variable* variable = bound ? found->second.variable : nullptr;
    // A comprehension in a class does not see the names of the class.
    const bool of_class =
        b.kind == Block::Class && b.comprehensions.empty() && !variable && !(bound && found->second.global);
    if (!bound || (b.kind == Block::Class && !b.comprehensions.empty() && !found->second.global))
      variable = resolve_enclosing(b, x.text);
    x.scope = of_class ? Scope::Class : Scope::Global;
    if (variable)
      variable->uses.push_back(&x);
    else
      x.id = names_.id(x.text);
  }

  void visit(const ExprPtr& x, Block& b) {
    if (x) visit(*x, b);
  }
  void visit(Expr& x, Block& b) {
    switch (x.kind) {
      case Expr::Name:
        no_private_name(x, b);
        return use(x, b);
      case Expr::Starred:
        fail(x.where, "can't use starred expression here");
      case Expr::Tuple:
      case Expr::List:
      case Expr::Set:
        for (const ExprPtr& item : x.items) visit(item->kind == Expr::Starred ? *item->left : *item, b);
        if (x.kind == Expr::Tuple) fold(x);
        return;
      case Expr::Attribute:
        no_private_name(x, b);
        break;
      case Expr::Yield:
      case Expr::YieldFrom:
        if (b.kind != Block::Function) fail(x.where, "'yield' outside function");
        break;
      case Expr::Lambda:
        return function(*x.code, b, "<lambda>");
      case Expr::ListOf:
      case Expr::SetOf:
      case Expr::DictOf:
      case Expr::Generator:
        return comprehension(x, b);
      default:
        break;
    }
    each_part(x, [&](const ExprPtr& part) { visit(part, b); });
  }
  // Makes a tuple of constants a constant itself.
  static void fold(Expr& x) {
    std::vector<Value> items;
    for (const ExprPtr& item : x.items)
      if (item->kind == Expr::Constant) items.push_back(item->value);
    if (items.size() == x.items.size()) x.value = tuple(std::move(items));
  }
  void comprehension(Expr& x, Block& b) {
    visit(x.clauses[0].iterable, b);  // in the scope around the comprehension
    b.comprehensions.emplace_back();
    for (Clause& clause : x.clauses) declare_targets(*clause.target, clause, b);
    for (const Clause& clause : x.clauses) {
      if (&clause != x.clauses.data()) visit(clause.iterable, b);
      target(*clause.target, b);
      for (const ExprPtr& condition : clause.conditions) visit(condition, b);
    }
    visit(x.left, b), visit(x.right, b);
    b.comprehensions.pop_back();
  }
  void declare_targets(Expr& x, Clause& clause, Block& b) {
    if (x.kind == Expr::Name) {
      Variable*& variable = b.comprehensions.back()[x.text];
      if (!variable) {
        variable = b.add(x.text);
        variable->clause = &clause;
      }
    } else if (x.kind == Expr::Tuple || x.kind == Expr::List) {
      for (const ExprPtr& item : x.items) declare_targets(*item, clause, b);
    } else if (x.kind == Expr::Starred) {
      declare_targets(*x.left, clause, b);
    }
  }
  void target(Expr& x, Block& b) {
    if (x.kind == Expr::Starred) fail(x.where, "starred assignment target must be in a list or tuple");
    if (x.kind != Expr::Tuple && x.kind != Expr::List) return visit(x, b);
    bool starred = false;
    for (const ExprPtr& item : x.items) {
      if (item->kind == Expr::Starred && std::exchange(starred, true))
        fail(x.where, "multiple starred expressions in assignment");
      target(item->kind == Expr::Starred ? *item->left : *item, b);
    }
  }

  std::string qualified(const std::string& name, const Block& b) const {
    const auto found = b.names.find(name);
    return found != b.names.end() && found->second.global ? name : b.prefix + name;
  }
  void function(Code& code, Block& outer, const std::string& name) {
    for (const Parameter& parameter : code.parameters) visit(parameter.fallback, outer);
    code.qualified_name = qualified(name, outer);
    code.library = source_.is_library();
    // Python's modules are functions here: their names are at the top.
    const bool is_module = code.library && outer.kind == Block::Top;
    Block b{Block::Function, code, &outer, is_module ? "" : code.qualified_name + ".<locals>.",
            outer.in_class};
    for (Parameter& parameter : code.parameters) {
      Variable* const variable = b.add(parameter.name);
      variable->parameter = static_cast<int>(b.variables.size()) - 1;
      b.names[parameter.name].variable = variable;
    }
    code.is_generator = hoist_yields(code, source_);
    collect(code.body, b);
    walk(code.body, b);
    number(b);
  }
  void class_body(Statement& s, Block& outer) {
    s.code->qualified_name = qualified(s.code->name, outer);
    s.code->library = source_.is_library();
    Block b{Block::Class, *s.code, &outer, s.code->qualified_name + ".", true};
    collect(s.body, b);
    walk(s.body, b);
    number(b);
  }

  void walk(const Body& body, Block& b) {
    for (const auto& s : body) walk(*s, b);
  }
  void walk(Statement& s, Block& b) {
    const bool loop = s.kind == Statement::While || s.kind == Statement::For;
    if (s.kind == Statement::Return && b.kind != Block::Function) fail(s.where, "'return' outside function");
    if (s.kind == Statement::Break && b.loops == 0) fail(s.where, "'break' outside loop");
    if (s.kind == Statement::Continue && b.loops == 0) fail(s.where, "'continue' not properly in loop");
    if (s.kind == Statement::Global || s.kind == Statement::Nonlocal) return;
    visit(s.value, b), visit(s.message, b);
    for (const ExprPtr& decorator : s.decorators) visit(decorator, b);
    for (size_t i = 0; i < s.items.size(); i += 2) {
      visit(s.items[i], b);
      if (s.items[i + 1]) target(*s.items[i + 1], b);
    }
    for (const ExprPtr& x : s.targets) target(*x, b);
    for (const auto& imported : s.imports) target(*imported.target, b);
    if (s.kind == Statement::Def) return function(*s.code, b, s.code->name);
    if (s.kind == Statement::Class) return class_body(s, b);
    b.loops += loop;
    walk(s.body, b);
    b.loops -= loop;
    for (const Handler& handler : s.handlers) {
      if (!handler.type && &handler != &s.handlers.back())
        fail(handler.where, "default 'except:' must be last");
      visit(handler.type, b);
      if (handler.name) target(*handler.name, b);
      walk(handler.body, b);
    }
    walk(s.other, b);
    walk(s.finally, b);
  }

  // ---- step 3: the numbers of slots and cells
  static void number(Block& b) {
    Code& code = b.code;
    for (const Variable& variable : b.variables) code.own_cells += variable.captured && !variable.free;
    code.cell_names.resize(static_cast<size_t>(code.own_cells) + b.captures);
    code.captured.resize(b.captures);
    code.cell_of_slot.assign(code.parameters.size(), -1);
    int own = 0, free = code.own_cells;
    for (Variable& variable : b.variables) {
      const bool cell = variable.free || variable.captured;
      int id = cell ? (variable.free ? free++ : own++) : -1;
      if (cell) code.cell_names[static_cast<size_t>(id)] = variable.name;
      if (cell && variable.parameter >= 0) code.cell_of_slot[static_cast<size_t>(variable.parameter)] = id;
      if (!cell || variable.parameter >= 0) {
        code.slot_names.push_back(variable.name);
        if (!cell) id = code.slots;
        ++code.slots;
      }
      if (variable.clause) (cell ? variable.clause->cells : variable.clause->slots).push_back(id);
      for (Expr* const x : variable.uses) {
        (x->scope == Scope::Class ? x->outside : x->scope) = cell ? Scope::Cell : Scope::Local;
        x->id = id;
      }
      for (const auto& [inner, i] : variable.inner) inner->captured[i] = id;
    }
  }

  Names& names_;
  const Source& source_;
};

}  // namespace

void resolve(Program& program, Names& names, const Source& source) {
  Resolver(names, source).program(program);
}

}  // namespace glassgrad::script
