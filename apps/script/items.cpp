// x[key], len(x) and `in`.
#include <algorithm>

#include "apps/script/number.h"
#include "apps/script/types.h"
#include "engine/core/utf8.h"

namespace glassgrad::script {
namespace {

// An index, counted from the end if negative; throws IndexError.
size_t place(Interpreter&, const Value& key, size_t size, const char* error) {
  int64_t k = index_of(key);
  if (k < 0) k += static_cast<int64_t>(size);
  if (k < 0 || k >= static_cast<int64_t>(size)) raise("IndexError", std::string(error));
  return static_cast<size_t>(k);
}

std::vector<Value> taken(std::span<const Value> items, const SliceIndices& indices) {
  Heap::current().check(static_cast<size_t>(indices.length) * sizeof(Value));
  std::vector<Value> out;
  out.reserve(static_cast<size_t>(indices.length));
  for (int64_t k = 0, at = indices.start; k < indices.length; ++k, at += indices.step)
    out.push_back(items[static_cast<size_t>(at)]);
  return out;
}

Value of_sequence(Interpreter& in, const Value& x, const Value& key) {
  const bool tuple_ = x.as<Tuple>();
  const std::span<const Value> items =
      tuple_ ? x.as<Tuple>()->items : std::span<const Value>(x.as<List>()->items);
  if (const Slice* s = key.as<Slice>()) {
    auto part = taken(items, slice_indices(*s, static_cast<int64_t>(items.size())));
    if (!tuple_) return list(std::move(part));
    const auto* const type = x.as<Tuple>()->type;
    return tuple(std::move(part), type == &kSize ? type : nullptr);
  }
  const char* const name = tuple_ ? "tuple" : "list";
  if (!is_index(key))
    raise("TypeError", "{} indices must be integers or slices, not {}", name, type_name(key));
  return items[place(in, key, items.size(), tuple_ ? "tuple index out of range" : "list index out of range")];
}

Value of_text(Interpreter& in, const Str& s, const Value& key) {
  if (const Slice* slice = key.as<Slice>()) return str(part_of(s, slice_indices(*slice, s.length)));
  if (!is_index(key)) raise("TypeError", "string indices must be integers, not '{}'", type_name(key));
  const auto at =
      static_cast<int64_t>(place(in, key, static_cast<size_t>(s.length), "string index out of range"));
  return str(part_of(s, {at, at + 1, 1, 1}));
}

Value of_range(Interpreter& in, const Range& r, const Value& key) {
  if (const Slice* s = key.as<Slice>()) {
    const SliceIndices c = slice_indices(*s, r.size());
    return make<Range>(r.start + c.start * r.step, r.start + c.stop * r.step, r.step * c.step);
  }
  if (!is_index(key)) raise("TypeError", "range indices must be integers or slices, not {}", type_name(key));
  const size_t k = place(in, key, static_cast<size_t>(r.size()), "range object index out of range");
  return Value::of(r.start + static_cast<int64_t>(k) * r.step);
}

void set_slice(Interpreter& in, List& x, const Slice& slice, const Value* value) {
  if (value && !in.iterable(*value)) raise("TypeError", "must assign iterable to extended slice");
  const std::vector<Value> fresh = value ? in.items(*value) : std::vector<Value>();
  const SliceIndices c =
      slice_indices(slice, static_cast<int64_t>(x.items.size()));  // the iterable may have changed the list
  const auto at = [&](int64_t k) { return x.items.begin() + k; };
  std::vector<Value> old;  // destroyed after the list is whole again
  if (c.step == 1) {
    const int64_t stop = std::max(c.start, c.stop);
    old.assign(at(c.start), at(stop));
    x.items.erase(at(c.start), at(stop));
    x.items.insert(at(c.start), fresh.begin(), fresh.end());
  } else if (value) {
    if (static_cast<int64_t>(fresh.size()) != c.length)
      raise("ValueError", "attempt to assign sequence of size {} to extended slice of size {}", fresh.size(),
            c.length);
    for (int64_t k = 0; k < c.length; ++k)
      old.push_back(std::exchange(*at(c.start + k * c.step), fresh[static_cast<size_t>(k)]));
  } else {
    for (int64_t k = 0; k < c.length; ++k) old.push_back(std::exchange(*at(c.start + k * c.step), {}));
    std::erase_if(x.items, [](const Value& v) { return !v; });
  }
  x.charge();
}

}  // namespace

bool is_index(const Value& x) { return is_whole(x) || of_torch(x); }

SliceIndices slice_indices(const Slice& s, int64_t length) {
  const auto part = [&](const Value& x, int64_t otherwise) {
    if (x.is_none()) return otherwise;
    if (!is_index(x))
      raise("TypeError", "slice indices must be integers or None or have an __index__ method");
    return index_of(x);
  };
  const int64_t step = std::max(part(s.step, 1), -INT64_MAX);
  if (step == 0) raise("ValueError", "slice step cannot be zero");
  const bool down = step < 0;
  const auto limited = [&](int64_t k) {
    if (k < 0) k += length;
    return std::clamp<int64_t>(k, down ? -1 : 0, down ? length - 1 : length);
  };
  const int64_t start = s.start.is_none() ? (down ? length - 1 : 0) : limited(part(s.start, 0));
  const int64_t stop = s.stop.is_none() ? (down ? -1 : length) : limited(part(s.stop, 0));
  const int64_t n = down ? (start > stop ? (start - stop - 1) / -step + 1 : 0)
                         : (stop > start ? (stop - start - 1) / step + 1 : 0);
  return {start, stop, step, n};
}

std::string part_of(const Str& s, const SliceIndices& indices) {
  std::string out;
  if (s.ascii()) {
    if (indices.step == 1)
      return s.text.substr(static_cast<size_t>(indices.start), static_cast<size_t>(indices.length));
    for (int64_t k = 0, at = indices.start; k < indices.length; ++k, at += indices.step)
      out += s.text[static_cast<size_t>(at)];
    return out;
  }
  Heap& heap = Heap::current();
  heap.count_work(s.text.size());
  if (indices.step == 1) {
    const auto skip = [&](size_t at, int64_t n) {
      for (; n > 0; --n)
        for (++at; at < s.text.size() && is_continuation(s.text[at]);) ++at;
      return at;
    };
    const size_t first = skip(0, indices.start);
    return s.text.substr(first, skip(first, indices.length) - first);
  }
  heap.check(static_cast<size_t>(s.length + 1) * sizeof(size_t));
  std::vector<size_t> starts;
  for (size_t k = 0; k < s.text.size(); ++k)
    if (!is_continuation(s.text[k])) starts.push_back(k);
  starts.push_back(s.text.size());
  for (int64_t k = 0, at = indices.start; k < indices.length; ++k, at += indices.step) {
    const auto i = static_cast<size_t>(at);
    out += s.text.substr(starts[i], starts[i + 1] - starts[i]);
  }
  return out;
}

int64_t index_of(const Value& x) {
  if (is_whole(x)) return x.whole();
  if (x.as<TensorObject>())
    if (const Value v = tensors::number(x); is_whole(v)) return v.whole();
  raise("TypeError", "'{}' object cannot be interpreted as an integer", type_name(x));
}

double real_of(const Value& x, double fallback) {
  return !x ? fallback : x.is_float() ? x.real() : static_cast<double>(index_of(x));
}

Value Interpreter::item(const Value& x, const Value& key) {
  if (x.tag() == Tag::Object) {
    switch (x.object()->kind) {
      case Kind::List:
        if (key.is_int()) {
          const auto& items = static_cast<List&>(*x.object()).items;
          if (const auto k = static_cast<size_t>(key.whole()); k < items.size()) return items[k];
        }
        return of_sequence(*this, x, key);
      case Kind::Tuple:
        return of_sequence(*this, x, key);
      case Kind::Dict:
        if (const Value* v = x.as<Dict>()->find(key)) return *v;
        throw_new("KeyError", {key});
      case Kind::Str:
        return of_text(*this, *x.as<Str>(), key);
      case Kind::Range:
        return of_range(*this, *x.as<Range>(), key);
      case Kind::Instance:
        if (Value v = call_own(*this, x, Special::GetItem, {&key, 1}); v && v.tag() != Tag::NotImplemented)
          return v;
        break;
      case Kind::Tensor:
        return tensors::item(x, key);
      case Kind::Class: {
        const std::string& name = x.as<Class>()->name;  // list[int] in an annotation
        if (name == "list" || name == "dict" || name == "tuple" || name == "set") return x;
        raise("TypeError", "type '{}' is not subscriptable", name);
      }
      default:
        break;
    }
  }
  raise("TypeError", "'{}' object is not subscriptable", type_name(x));
}

void Interpreter::set_item(const Value& x, const Value& key, Value value) {
  if (List* l = x.as<List>()) {
    if (key.is_int() && static_cast<size_t>(key.whole()) < l->items.size()) {
      std::swap(l->items[static_cast<size_t>(key.whole())], value);
      return;
    }
    if (const Slice* s = key.as<Slice>()) return set_slice(*this, *l, *s, &value);
    if (!is_index(key)) raise("TypeError", "list indices must be integers or slices, not {}", type_name(key));
    std::swap(l->items[place(*this, key, l->items.size(), "list assignment index out of range")], value);
    return;
  }
  if (Dict* d = x.as<Dict>()) return d->set(key, std::move(value));
  if (x.as<TensorObject>()) return tensors::set_item(x, key, value);
  if (own_method(x, Special::SetItem)) {
    const Value both[] = {key, value};
    call_own(*this, x, Special::SetItem, both);
    return;
  }
  raise("TypeError", "'{}' object does not support item assignment", type_name(x));
}

void Interpreter::delete_item(const Value& x, const Value& key) {
  if (List* l = x.as<List>()) {
    if (const Slice* s = key.as<Slice>()) return set_slice(*this, *l, *s, nullptr);
    if (!is_index(key)) raise("TypeError", "list indices must be integers or slices, not {}", type_name(key));
    const size_t k = place(*this, key, l->items.size(), "list assignment index out of range");
    const Value old = l->items[k];
    l->items.erase(l->items.begin() + static_cast<ptrdiff_t>(k));
    return;
  }
  if (Dict* d = x.as<Dict>()) {
    if (!d->erase(key)) throw_new("KeyError", {key});
    return;
  }
  const bool has_items = x.as<Tuple>() || x.as<Str>() || x.as<Range>();
  raise("TypeError", "'{}' object {} support item deletion", type_name(x),
        has_items ? "doesn't" : "does not");
}

int64_t Interpreter::length(const Value& x) {
  if (x.object()) {
    switch (x.object()->kind) {
      case Kind::Str:
        return x.as<Str>()->length;
      case Kind::List:
        return static_cast<int64_t>(x.as<List>()->items.size());
      case Kind::Tuple:
        return static_cast<int64_t>(x.as<Tuple>()->items.size());
      case Kind::Dict:
        return static_cast<int64_t>(x.as<Dict>()->size());
      case Kind::Set:
        return static_cast<int64_t>(x.as<Set>()->size());
      case Kind::DictView:
        return static_cast<int64_t>(x.as<DictView>()->dict.as<Dict>()->size());
      case Kind::Range:
        return x.as<Range>()->size();
      case Kind::Tensor:
        return tensors::length(x);
      case Kind::Instance:
        if (const Value n = call_own(*this, x, Special::Len)) {
          const int64_t length = index_of(n);
          if (length < 0) raise("ValueError", "__len__() should return >= 0");
          return length;
        }
        break;
      default:
        break;
    }
  }
  raise("TypeError", "object of type '{}' has no len()", type_name(x));
}

bool contains(Interpreter& in, const Value& x, const Value& item) {
  if (const Str* s = x.as<Str>()) {
    if (!item.as<Str>())
      raise("TypeError", "'in <string>' requires string as left operand, not {}", type_name(item));
    return find_text(s->text, item.as<Str>()->text) != std::string::npos;
  }
  if (Dict* d = x.as<Dict>()) return d->find(item);
  if (Set* s = x.as<Set>()) return s->find(item);
  if (const DictView* v = x.as<DictView>(); v && v->of == DictView::Keys)
    return v->dict.as<Dict>()->find(item);
  if (const Range* r = x.as<Range>(); r && is_whole(item)) {
    const int64_t k = item.whole();
    if (r->step > 0 ? k < r->start || k >= r->stop : k > r->start || k <= r->stop) return false;
    return (static_cast<uint64_t>(k) - static_cast<uint64_t>(r->start)) %
               static_cast<uint64_t>(std::abs(r->step)) ==
           0;
  }
  if (x.as<TensorObject>()) return tensors::contains(x, item);
  if (const Value v = call_own(in, x, Special::Contains, {&item, 1})) return in.truth(v);
  if (!in.iterable(x)) raise("TypeError", "argument of type '{}' is not iterable", type_name(x));
  const Value all = in.iterate(x);
  for (Value v; all.as<Iterator>()->next(in, v);) {
    in.tick();
    if (identical(v, item) || in.equal(v, item)) return true;
  }
  return false;
}

}  // namespace glassgrad::script
