// Dicts and sets: hashing and equality of keys are Python's.
#include <bit>
#include <cmath>

#include "apps/script/types.h"

namespace glassgrad::script {
namespace {

constexpr size_t kFew = 8;  // up to this many entries are searched linearly

// 1, 1.0 and True are the same key, so a whole float hashes like its int.
size_t hash_of_float(double x) {
  const bool whole = x == std::floor(x) && x >= -0x1p63 && x < 0x1p63;
  return whole ? std::hash<int64_t>()(static_cast<int64_t>(x)) : std::hash<double>()(x);
}

// The first place to probe for a hash. Mixes the bits: keys that differ by a power of two would collide.
size_t first_place(size_t hash, size_t mask) {
  return static_cast<size_t>((uint64_t{hash} * 0x9E3779B97F4A7C15u) >> 32) & mask;
}

// Compares two keys with the same hash.
bool same_key(const Value& a, const Value& b) {
  if (identical(a, b)) return true;
  const Str *s = a.as<Str>(), *t = b.as<Str>();
  if (s && t) return s->text == t->text;
  return Heap::current().interpreter->equal(a, b);
}

}  // namespace

size_t hash(const Value& x) {
  switch (x.tag()) {
    case Tag::Bool:
    case Tag::Int:
      return std::hash<int64_t>()(x.whole());
    case Tag::Float:
      return hash_of_float(x.real());
    case Tag::Object:
      break;
    default:
      return static_cast<size_t>(x.tag());
  }
  switch (x.object()->kind) {
    case Kind::Str:
      return x.as<Str>()->hash;
    case Kind::Tuple: {
      const Interpreter::Deeper deeper(*Heap::current().interpreter);
      size_t h = 0;
      x.object()->heap().count_work(1 + x.as<Tuple>()->items.size());
      for (const Value& item : x.as<Tuple>()->items) h = std::rotl(h, 5) * 31 + hash(item);
      return h;
    }
    case Kind::Set:
    case Kind::List:
    case Kind::Dict:
    case Kind::Slice:
      raise("TypeError", "unhashable type: '{}'", type_name(x));
    case Kind::Instance:  // unhashable if it defines __eq__
      if (own_method(x, Special::Eq)) raise("TypeError", "unhashable type: '{}'", type_name(x));
      [[fallthrough]];
    default:
      return std::hash<const Object*>()(x.object());
  }
}

// ---- Dict

Dict::~Dict() { heap().refund(charged_); }

void Dict::clear() {
  // Empty the dict before its entries are destroyed, because a destructor may access this dict.
  const auto old = std::exchange(entries, {});
  index_.clear();
  live = 0;
  renamed();
}

int64_t Dict::place(const Value& key, size_t h) {
  const auto at = [&](size_t k) {
    heap().count_work(1);
    const Entry& e = entries[k];
    if (!e.key || e.hash != h) return false;
    if (identical(e.key, key)) return true;
    const Value held = e.key;  // keeps the key alive, because __eq__ may change this dict
    return same_key(held, key);
  };
  if (index_.empty()) {
    for (size_t k = 0; k < entries.size(); ++k)
      if (at(k)) return static_cast<int64_t>(k);
    return -1;
  }
  for (size_t mask = index_.size() - 1, i = first_place(h, mask); !index_.empty() && index_[i & mask] >= 0;
       i = (i + 1) & mask) {
    const auto k = static_cast<size_t>(index_[i]);
    if (k < entries.size() && at(k)) return static_cast<int64_t>(k);
    mask = index_.size() - 1;
  }
  return -1;
}

Value* Dict::find(const Value& key) {
  const int64_t k = place(key, script::hash(key));
  return k < 0 ? nullptr : &entries[static_cast<size_t>(k)].value;
}

int64_t Dict::place(std::string_view key) const {
  const size_t h = std::hash<std::string_view>()(key);
  const auto is = [&](const Entry& e) {
    const Str* s = e.hash == h ? e.key.as<Str>() : nullptr;
    return s && s->text == key;
  };
  if (index_.empty()) {
    for (size_t k = 0; k < entries.size(); ++k)
      if (is(entries[k])) return static_cast<int64_t>(k);
    return -1;
  }
  for (size_t mask = index_.size() - 1, i = first_place(h, mask); index_[i] >= 0; i = (i + 1) & mask)
    if (is(entries[static_cast<size_t>(index_[i])])) return index_[i];
  return -1;
}

Value* Dict::find(std::string_view key) {
  const int64_t k = place(key);
  return k < 0 ? nullptr : &entries[static_cast<size_t>(k)].value;
}

// Drops erased entries, which until now keep their place in the index.
void Dict::rebuild() {
  if (live < entries.size()) std::erase_if(entries, [](const Entry& e) { return !e.key; });
  size_t size = 0;
  if (entries.size() >= kFew) size = std::bit_ceil(entries.size() * 3);
  const size_t bytes = entries.size() * 2 * sizeof(Entry) + size * sizeof(int32_t);
  heap().refund(std::exchange(charged_, 0));
  heap().charge(bytes);
  charged_ = bytes;
  entries.reserve(entries.size() * 2);
  index_.assign(size, -1);
  if (!size) return;
  for (size_t k = 0; k < entries.size(); ++k) {
    size_t i = first_place(entries[k].hash, size - 1);
    while (index_[i] >= 0) i = (i + 1) & (size - 1);
    index_[i] = static_cast<int32_t>(k);
  }
}

void Dict::add(Value key, Value value, size_t h) {
  renamed();
  const size_t limit = index_.empty() ? kFew : index_.size() * 2 / 3;
  if (entries.size() >= limit) rebuild();
  const size_t mask = index_.size() - 1;
  if (!index_.empty()) {
    size_t i = first_place(h, mask);
    while (index_[i] >= 0) i = (i + 1) & mask;
    index_[i] = static_cast<int32_t>(entries.size());
  }
  entries.push_back({std::move(key), std::move(value), h});
  ++live;
}

void Dict::set(const Value& key, Value value) {
  const size_t h = script::hash(key);
  const int64_t k = place(key, h);
  if (k >= 0)
    entries[static_cast<size_t>(k)].value = std::move(value);
  else
    add(key, std::move(value), h);
}

void Dict::set(std::string_view key, Value value) {
  if (Value* const at = find(key))
    *at = std::move(value);
  else {
    const Value name = str(std::string(key));
    add(name, std::move(value), name.as<Str>()->hash);
  }
}

bool Dict::erase(const Value& key) { return erase_at(place(key, script::hash(key))); }
bool Dict::erase(std::string_view key) { return erase_at(place(key)); }
bool Dict::erase_at(int64_t k) {
  if (k < 0) return false;
  renamed();
  Entry& e = entries[static_cast<size_t>(k)];
  const Value old_key = std::exchange(e.key, {}), old = std::exchange(e.value, {});
  if (--live == 0) clear();  // frees the places of erased entries
  return true;
}

void Dict::each(const std::function<void(const Value&, Value&)>& f) {
  for (size_t k = 0, n = entries.size(); k < n && k < entries.size(); ++k) {
    if (!entries[k].key) continue;
    const Value key = entries[k].key;
    f(key, entries[k].value);
  }
}

}  // namespace glassgrad::script
