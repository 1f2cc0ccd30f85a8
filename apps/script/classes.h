// Classes and their instances.
#pragma once
#include "apps/script/value.h"

namespace glassgrad::script {

// The methods that Python's operations look for in the class of an instance.
enum class Special : uint8_t {
  Add,  // the operators, in the order of BinaryOp
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
  Reflected,  // the 13 reflected operators, in the same order
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
  const Value* find(Special method) const;              // the same, cached
  bool is_a(const Class& other) const;
  std::string name, module;  // "Head", "__main__"
  Value base;                // absent for object
  Value attributes;          // a Dict
  // Makes an object for a call of a builtin class; null: use the base's. int, list … have a Class for
  // isinstance() and type(), but their values are not Instances.
  Value (*construct)(Interpreter&, const Value& type, const Arguments&) = nullptr;

  // The names of its instances' attributes, in the order in which they were first set. An attribute's slot
  // has the index of its name.
  int place_of(std::string_view attribute) const;  // -1: no instance has had it
  int add_place(std::string_view attribute);       // -1: there are too many
  std::vector<Value> places;                       // Strs

 private:
  mutable std::unique_ptr<std::array<const Value*, kSpecials>> specials_;  // the methods found in this epoch
  mutable uint64_t epoch_ = 0;
};
// An object of the program. Attributes are in slots, at the places that the class assigns. Once they are set
// in a different order, or __dict__ is read, they move to a dict.
struct Instance : Object {
  static constexpr Kind kKind = Kind::Instance;
  explicit Instance(const Value& type) : Instance(type, nullptr, 0) {}
  ~Instance() override;
  void clear() override;
  Class& type() const { return *class_; }
  Value* find(std::string_view attribute);  // its own attribute; null: none
  void set(std::string_view attribute, Value value);
  bool erase(std::string_view attribute);
  // Moves all attributes into the Dict that __dict__ returns.
  Dict& attributes();
  bool has_dict() const { return dict_; }
  Value* at(int place) {
    return static_cast<size_t>(place) < size_ && slots_[place] ? slots_ + place : nullptr;
  }
  // Returns false if the attribute cannot go there; `value` is then unchanged.
  bool set_at(int place, Value& value);

 protected:
  // Uses the `room` slots at `slots` without owning them.
  Instance(const Value& type, Value* slots, size_t room);
  const uint16_t room_within_;  // the slots in its own block

 private:
  void make_room(size_t n);
  void drop_slots() noexcept;
  void drop_references() noexcept;
  bool owns_slots_ = false;
  uint16_t size_ = 0, room_;
  Class* class_;          // holds a reference; null after clear()
  Dict* dict_ = nullptr;  // holds a reference; null: the attributes are in slots_
  Value* slots_;
};
// The result of @property, @staticmethod or @classmethod: x.NAME calls the function, gives it as it is, or
// binds it to the class.
struct Descriptor : Object {
  static constexpr Kind kKind = Kind::Descriptor;
  enum class Of : uint8_t { Property, Static, Class };
  Descriptor(Of its_kind, Value f) : Object(Kind::Descriptor), of(its_kind), function(std::move(f)) {}
  void clear() override { function = setter = Value(); }
  Of of;
  Value function, setter;  // only a property may have a setter; absent: none
};
// An instance with nothing but attributes: its slots follow it in the same memory block.
struct PlainInstance final : Instance {
  static PlainInstance* of(const Value& type);
  static void operator delete(PlainInstance* x, std::destroying_delete_t);

 private:
  PlainInstance(const Value& type, size_t room) : Instance(type, reinterpret_cast<Value*>(this + 1), room) {}
};
// An instance of a class derived from BaseException. `args` and `__cause__` are ordinary attributes.
struct Exception : Instance {
  // One entry of the traceback.
  struct TraceEntry {
    const Code* code;
    int line;
  };
  using Instance::Instance;
  std::vector<TraceEntry> trace;  // set when raised; the program's top is first
  std::string hint;               // ". Did you mean: 'food'?"
};

}  // namespace glassgrad::script
