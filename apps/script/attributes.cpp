// x.name for instances, classes, super(), modules and builtin values.
#include "apps/script/number.h"
#include "apps/script/types.h"

namespace glassgrad::script {
namespace {

Value names_of(const std::string& name) { return str(name); }

bool of_class(Interpreter& in, const Value& x, std::string_view name, Value& into) {
  const Class& c = *x.as<Class>();
  if (const Value* found = c.find(name)) return into = bind_to_class(*found, x), true;
  if (name == "__name__")
    into = names_of(c.name);
  else if (name == "__doc__")
    into = Value::none();
  else if (name == "__dict__")
    into = c.attributes;
  else if (name == "__class__")
    into = in.type(x);
  else
    return false;
  return true;
}

bool of_function(Interpreter& in, const Value& x, std::string_view name, Value& into) {
  const Code& code = *x.as<Function>()->code;
  if (const Value& wrapped = x.as<Function>()->wrapped; wrapped && (name == "__name__" || name == "__doc__"))
    return in.find_attribute(wrapped, name, into);
  if (name == "__name__")
    into = names_of(code.name);
  else if (name == "__doc__")
    into = code.document.empty() ? Value::none() : names_of(code.document);
  else
    return false;
  return true;
}

// property.setter: gives the same property with a setter.
Builtin::Body with_setter(const Value& property) {
  return [property](Interpreter&, const Arguments& a) -> Value {
    if (a.positional.size() != 1) raise("TypeError", "setter() takes exactly one argument");
    const Value both = make<Descriptor>(Descriptor::Of::Property, property.as<Descriptor>()->function);
    both.as<Descriptor>()->setter = a.positional[0];
    return both;
  };
}

// Attributes of builtin values that are not methods.
bool of_builtin(Interpreter& in, const Value& x, std::string_view name, Value& into) {
  if (name == "__class__") return into = in.type(x), true;
  if (const Tuple* t = x.as<Tuple>(); t && t->type) {
    for (size_t k = 0; k < t->type->fields.size(); ++k)
      if (name == t->type->fields[k]) return into = t->items[k], true;
  } else if (const Builtin* b = x.as<Builtin>()) {
    if (name == "__name__") return into = names_of(b->name.substr(b->name.rfind('.') + 1)), true;
  } else if (const BoundMethod* m = x.as<BoundMethod>()) {
    return in.find_attribute(m->function, name, into);
  } else if (const Descriptor* d = x.as<Descriptor>();
             d && d->of == Descriptor::Of::Property && name == "setter") {
    return into = make<Builtin>("setter", with_setter(x)), true;
  }
  return false;
}

}  // namespace

Value bind_to_class(const Value& found, const Value& type) {
  const Descriptor* const d = found.as<Descriptor>();
  if (!d || d->of == Descriptor::Of::Property) return found;
  return d->of == Descriptor::Of::Static ? d->function : Value(make<BoundMethod>(type, d->function));
}

Value bind_method(const Value& found, const Value& self) {
  if (found.as<Function>() || found.as<Builtin>()) return make<BoundMethod>(self, found);
  const Descriptor* const d = found.as<Descriptor>();
  if (!d) return found;
  Interpreter& in = *Heap::current().interpreter;
  if (d->of == Descriptor::Of::Property) return in.call(d->function, {.positional = {&self, 1}});
  return bind_to_class(found, in.type(self));
}

bool Interpreter::find_in_class(const Value& self, const Class& start, std::string_view name, Value& into) {
  const Value* const found = start.find(name);
  if (!found) return false;
  into = bind_method(*found, self);
  return true;
}

// An AttributeError raised by the program's own __getattr__ is not caught.
bool Interpreter::look_up(const Value& x, std::string_view name, Value& into) {
  if (!x.object())
    return of_builtin(*this, x, name, into) || find_in_class(x, *type(x).as<Class>(), name, into);
  switch (x.object()->kind) {
    case Kind::Instance: {
      Instance& self = *x.as<Instance>();
      const Value* const found = self.type().find(name);
      if (const Value* own = self.find(name)) return into = *own, true;
      if (found) return into = bind_method(*found, x), true;
      if (name == "__class__") return into = &self.type(), true;
      if (name == "__dict__") return into = &self.attributes(), true;
      if (name == "__doc__" || (is_exception(x) && name == "__cause__")) return into = Value::none(), true;
      if (name == "value" && is_exception(x) && is_a(x, "StopIteration")) {
        const Tuple* const args = self.find("args") ? self.find("args")->as<Tuple>() : nullptr;
        return into = args && !args->items.empty() ? args->items[0] : Value::none(), true;
      }
      if (const Value* f = self.type().find(Special::GetAttr)) {
        const Deeper deeper(*this);
        const Value both[] = {x, script::str(std::string(name))};
        into = call(*f, {.positional = both});
        return true;
      }
      return false;
    }
    case Kind::Class:
      return of_class(*this, x, name, into);
    case Kind::Super: {
      const Super& s = *x.as<Super>();
      const Class* const above = s.start.as<Class>()->base.as<Class>();
      if (!above) return false;
      if (const Value* found = above->find(name)) {
        into = s.self.as<Class>() ? bind_to_class(*found, s.self) : bind_method(*found, s.self);
        return true;
      }
      return false;
    }
    case Kind::Namespace: {
      Namespace& n = *x.as<Namespace>();
      if (const Value* v = n.attributes.as<Dict>()->find(name)) return into = *v, true;
      if (name == "__name__") return into = names_of(n.name), true;
      if (!n.lookup || !(into = n.lookup(name))) return false;
      n.attributes.as<Dict>()->set(name, into);
      return true;
    }
    case Kind::Function:
      return of_function(*this, x, name, into) || of_builtin(*this, x, name, into);
    case Kind::Tensor:
    case Kind::DType:
    case Kind::Device:
    case Kind::Generator:
      return tensors::find_attribute(*this, x, name, into);
    default:
      return of_builtin(*this, x, name, into) || find_in_class(x, *type(x).as<Class>(), name, into);
  }
}

void Interpreter::fill_cache(const Expr& at, const Class& c) {
  const Value* const set = c.find(Special::SetAttr);
  const bool of_object = !set || set == Heap::current().types().object.as<Class>()->find(Special::SetAttr);
  auto* const named = const_cast<Value*>(c.find(at.text));
  const bool own = named && c.module != "builtins" && named == c.attributes.as<Dict>()->find(at.text);
  at.cache = {&c, heap_.epoch, named, c.place_of(at.text), of_object, own};
}

Value Interpreter::attribute(const Value& x, const Expr& at) {
  if (Instance* const self = x.as<Instance>()) {
    const AttributeCache& known = attribute_cache(at, self->type());
    if (const Value* const own = self->at(known.place)) return *own;
    if (known.value && !self->has_dict()) return bind_method(*known.value, x);
  } else if (const Class* const c = x.as<Class>()) {
    if (const Value* const named = attribute_cache(at, *c).value) return bind_to_class(*named, x);
  } else if (Namespace* const module = x.as<Namespace>()) {
    AttributeCache& known = at.cache;
    if (known.owner == module && known.epoch == heap_.epoch) return *known.value;
    if (Value* const found = module->attributes.as<Dict>()->find(at.text)) {
      known = {module, heap_.epoch, found};
      return *found;
    }
  }
  return attribute(x, at.text);
}

void Interpreter::set_attribute(const Value& x, const Expr& at, Value value) {
  if (Instance* const self = x.as<Instance>()) {
    const AttributeCache& known = attribute_cache(at, self->type());
    if (known.plain_setattr && known.place >= 0 && self->set_at(known.place, value)) return;
  } else if (const Class* const c = x.as<Class>()) {
    if (const AttributeCache& known = attribute_cache(at, *c); known.writable) {
      *known.value = std::move(value);
      return;
    }
  }
  set_attribute(x, at.text, std::move(value));
}

bool Interpreter::find_method(const Value& self, const Expr& at, Value& into) {
  if (Instance* const x = self.as<Instance>()) {
    const AttributeCache& known = attribute_cache(at, x->type());
    if (!known.value || !known.value->as<Function>()) return false;
    if (x->has_dict() ? x->find(at.text) : x->at(known.place)) return false;
    into = *known.value;
    return true;
  }
  const Object* const o = self.object();
  if (!o || (o->kind != Kind::Str && o->kind != Kind::List && o->kind != Kind::Dict && o->kind != Kind::Set))
    return false;
  const AttributeCache& known =
      attribute_cache(at, *heap_.types().by_tag[8 + static_cast<size_t>(o->kind)].as<Class>());
  if (!known.value || !known.value->as<Builtin>()) return false;
  into = *known.value;
  return true;
}

bool Interpreter::find_attribute(const Value& x, std::string_view name, Value& into) {
  try {
    return look_up(x, name, into);
  } catch (const Raised& e) {
    if (!is_a(e.exception, "AttributeError")) throw;
    return false;
  }
}

Value Interpreter::attribute(const Value& x, std::string_view name) {
  Value v;
  if (!look_up(x, name, v)) no_attribute(*this, x, name);
  return v;
}

void Interpreter::set_attribute(const Value& x, std::string_view name, Value value) {
  if (x.as<Instance>()) {
    if (const Value* const f = own_method(x, Special::SetAttr)) {
      const Value all[] = {x, script::str(std::string(name)), value};
      call(*f, {.positional = all});
      return;
    }
    return set_plain_attribute(x, name, value);
  }
  if (const Class* c = x.as<Class>()) {
    if (c->module == "builtins")
      raise("TypeError", "cannot set '{}' attribute of immutable type '{}'", name, c->name);
    return c->attributes.as<Dict>()->set(name, std::move(value));
  }
  if (const Namespace* n = x.as<Namespace>()) return n->attributes.as<Dict>()->set(name, std::move(value));
  if (of_torch(x)) return tensors::set_attribute(x, name, value);
  raise("AttributeError", "'{}' object has no attribute '{}' and no __dict__ for setting new attributes",
        type_name(x), name);
}

void Interpreter::set_plain_attribute(const Value& x, std::string_view name, Value value) {
  const Value* const found = x.as<Instance>()->type().find(name);
  if (const Descriptor* d = found ? found->as<Descriptor>() : nullptr;
      d && d->of == Descriptor::Of::Property) {
    if (!d->setter) raise("AttributeError", "property '{}' of '{}' object has no setter", name, type_name(x));
    const Value both[] = {x, std::move(value)};
    call(d->setter, {.positional = both});
    return;
  }
  x.as<Instance>()->set(name, std::move(value));
}

void Interpreter::delete_attribute(const Value& x, std::string_view name) {
  const Value key = script::str(std::string(name));
  if (Instance* self = x.as<Instance>()) {
    if (self->erase(name)) return;
  } else if (const Class* c = x.as<Class>(); c && c->module != "builtins") {
    if (c->attributes.as<Dict>()->erase(key)) return;
  }
  no_attribute(*this, x, name);
}

Value Interpreter::type(const Value& x) {
  Types& types = Heap::current().types();
  if (const Instance* i = x.as<Instance>()) return &i->type();
  if (of_torch(x)) return tensors::type(*this, x);
  if (const Tuple* const t = x.as<Tuple>(); t && t->type == &kSize) return types.other("Size");
  const size_t at = x.object() ? 8 + static_cast<size_t>(x.object()->kind) : static_cast<size_t>(x.tag());
  return types.by_tag[at] ? types.by_tag[at] : types.other(type_name(x));
}

}  // namespace glassgrad::script
