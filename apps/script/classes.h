// Classes and their instances.
#pragma once
#include "apps/script/value.h"

namespace glassgrad::script {

// The methods that Python's operations look for in the class of an instance.
enum class Special : uint8_t {
  Add,  // the operators, as BinaryOp has them
  Sub,
  Mul,
  TrueDiv,
  FloorDiv,
  Mod,
  Pow,
  MatMul,
  And,
  Or,
  Xor,
  LShift,
  RShift,
  Reflected,  // the same of the right operand, one behind the other
  Eq = Reflected + 13,
  Lt,
  Le,
  Gt,
  Ge,
  Neg,
  Init,
  Call,
  Len,
  Bool,
  Contains,
  Iter,
  Next,
  GetItem,
  SetItem,
  GetAttr,
  SetAttr,
  Repr,
  Str,
};
constexpr size_t kSpecials = static_cast<size_t>(Special::Str) + 1;
const char* name_of(Special method);  // "__add__"

// A class of the program, or a builtin one. Single inheritance.
struct Class : Object {
  static constexpr Kind kKind = Kind::Class;
  Class(std::string name, Value base);
  void clear() override;
  const Value* find(std::string_view attribute) const;  // here or in a base
  const Value* find(Special method) const;              // the same
  bool is_a(const Class& other) const;
  std::string name, module;  // "Head", "__main__"
  Value base;                // absent for object
  Value attributes;          // a Dict
  // Of a builtin class: makes an object from a call; null: as the base does. int, list … have no instances of
  // the kind Instance, but a Class each, for isinstance() and type().
  Value (*construct)(Interpreter&, const Value& type, const Arguments&) = nullptr;

  // The places of the attributes of its instances, in the order in which they came first.
  int place_of(std::string_view attribute) const;  // -1: none has had one
  int add_place(std::string_view attribute);       // -1: there are too many
  std::vector<Value> places;                       // Strs

 private:
  mutable std::unique_ptr<std::array<const Value*, kSpecials>> specials_;  // found in this epoch
  mutable uint64_t epoch_ = 0;
};
// Its attributes stand at their class's places, as long as they came in that order and nobody has asked for
// their dict; then in the dict.
struct Instance : Object {
  static constexpr Kind kKind = Kind::Instance;
  explicit Instance(Value type) : Object(Kind::Instance), class_(std::move(type)) {}
  ~Instance() override;
  void clear() override;
  Class& type() const { return static_cast<Class&>(*class_.object()); }
  Value* find(std::string_view attribute);  // its own; null: it has none
  void set(std::string_view attribute, Value value);
  bool erase(std::string_view attribute);
  // All of them, as the Dict that __dict__ gives.
  Dict& attributes();
  const Value& dict() { return attributes(), dict_; }
  bool has_dict() const { return static_cast<bool>(dict_); }
  Value* at(int place) {
    return static_cast<size_t>(place) < size_ && slots_[place] ? slots_ + place : nullptr;
  }
  // False: it cannot stand there, and value is as it was.
  bool set_at(int place, Value& value);

  Value class_;

 protected:
  // With room for so many attributes at `slots`, which it does not own.
  Instance(Value type, Value* slots, size_t room)
      : Object(Kind::Instance),
        class_(std::move(type)),
        slots_(slots),
        room_(static_cast<uint16_t>(room)),
        owns_slots_(false) {}

 private:
  void make_room(size_t n);
  void drop_slots() noexcept;
  Value dict_;  // absent: they stand in slots
  Value* slots_ = nullptr;
  uint16_t size_ = 0, room_ = 0;
  bool owns_slots_ = true;
};
// An instance with nothing but attributes: their room is behind it, in the same block.
struct PlainInstance final : Instance {
  static PlainInstance* of(Value type);
  static void operator delete(PlainInstance* x, std::destroying_delete_t);

 private:
  PlainInstance(Value type, size_t room);
  const size_t bytes_;
};
// Of a class derived from BaseException. Its `args` and `__cause__` are attributes.
struct Exception : Instance {
  // Where a call of a function was, the program's top first.
  struct Place {
    const Code* code;
    int line;
  };
  using Instance::Instance;
  std::vector<Place> trace;  // when it was raised
  std::string hint;          // ". Did you mean: 'food'?"
};

}  // namespace glassgrad::script
