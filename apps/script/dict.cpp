// Dicts and sets: hashing and equality of keys are Python's.
#include <bit>
#include <cmath>

#include "apps/script/types.h"

namespace glassgrad::script {
namespace {

constexpr size_t kFew = 8;  // so many entries are searched one by one
constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;

size_t hash_of_int(int64_t x) {
  const uint64_t size = (x < 0 ? -static_cast<uint64_t>(x) : static_cast<uint64_t>(x)) % kPrime;
  const size_t h = x < 0 ? -size : size;
  return h == static_cast<size_t>(-1) ? static_cast<size_t>(-2) : h;
}

// x modulo the prime, as for the int or fraction that it is: 1.0 and 1 are one key.
size_t hash_of_float(double x) {
  if (std::isinf(x)) return x > 0 ? 314159 : static_cast<size_t>(-314159);
  if (std::isnan(x)) return __builtin_bit_cast(uint64_t, x);
  int e = 0;
  double m = std::frexp(std::fabs(x), &e);
  uint64_t h = 0;
  while (m != 0) {
    h = (h << 28 & kPrime) | h >> 33;
    m *= 268435456.0;
    e -= 28;
    const auto digit = static_cast<uint64_t>(m);
    m -= static_cast<double>(digit);
    h += digit;
    if (h >= kPrime) h -= kPrime;
  }
  e = e >= 0 ? e % 61 : 60 - (-1 - e) % 61;
  h = (h << e & kPrime) | h >> (61 - e);
  if (x < 0) h = -h;
  return h == static_cast<size_t>(-1) ? static_cast<size_t>(-2) : h;
}

size_t hash_of_tuple(const std::vector<Value>& items) {
  constexpr uint64_t p1 = 11400714785074694791u, p2 = 14029467366897019727u, p5 = 2870177450012600261u;
  uint64_t h = p5;
  for (const Value& x : items) h = std::rotl(h + hash(x) * p2, 31) * p1;
  h += items.size() ^ (p5 ^ 3527539);
  return h == static_cast<uint64_t>(-1) ? 1546275796 : h;
}

size_t hash_of_instance(const Value& x) {
  const Instance& self = *x.as<Instance>();
  const Value* const f = self.type().find("__hash__");
  if (f && f->is_none()) raise("TypeError", "unhashable type: '{}'", self.type().name);
  if (!f || f->as<Builtin>()) return std::hash<const Object*>()(x.object());
  Interpreter& in = *Heap::current().interpreter;
  const Value h = in.call(*f, {.positional = {&x, 1}});
  if (!h.is_int() && !h.is_bool()) raise("TypeError", "__hash__ method should return an integer");
  return hash_of_int(h.whole());
}

// Of two keys with one hash.
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
      return hash_of_int(x.whole());
    case Tag::Float:
      return hash_of_float(x.real());
    case Tag::Object:
      break;
    case Tag::None:
      return 0xFCA86420;
    default:
      return static_cast<size_t>(x.tag());
  }
  switch (x.object()->kind) {
    case Kind::Str:
      return x.as<Str>()->hash;
    case Kind::Tuple: {
      const Interpreter::Deeper deeper(*Heap::current().interpreter);
      return hash_of_tuple(x.as<Tuple>()->items);
    }
    case Kind::Instance:
      return hash_of_instance(x);
    case Kind::Set:
      if (const Set& set = *x.as<Set>(); set.frozen) {
        size_t h = set.size();
        for (const auto& e : set.table)
          if (e.key) h ^= (e.hash ^ 89869747 ^ e.hash << 16) * 3644798167;
        return h;
      }
      [[fallthrough]];
    case Kind::List:
    case Kind::Dict:
    case Kind::Slice:
      raise("TypeError", "unhashable type: '{}'", type_name(x));
    case Kind::Range:
      return hash_of_int(x.as<Range>()->size());
    default:
      return std::hash<const Object*>()(x.object());
  }
}

// ---- Dict

Dict::~Dict() { heap->give(charged_); }

void Dict::clear() {
  // First empty, then let go: what goes may come back to this dict.
  const auto old = std::exchange(entries, {});
  index_.clear();
  live = 0;
}

int64_t Dict::place(const Value& key, size_t h) {
  const auto at = [&](size_t k) {
    const Entry& e = entries[k];
    if (!e.key || e.hash != h) return false;
    const Value held = e.key;  // __eq__ may change this dict
    return same_key(held, key);
  };
  if (index_.empty()) {
    for (size_t k = 0; k < entries.size(); ++k)
      if (at(k)) return static_cast<int64_t>(k);
    return -1;
  }
  for (size_t mask = index_.size() - 1, i = h & mask; !index_.empty() && index_[i & mask] >= 0;
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

Value* Dict::find(std::string_view key) {
  const size_t h = std::hash<std::string_view>()(key);
  const auto is = [&](const Entry& e) {
    const Str* s = e.hash == h ? e.key.as<Str>() : nullptr;
    return s && s->text == key;
  };
  if (index_.empty()) {
    for (Entry& e : entries)
      if (is(e)) return &e.value;
    return nullptr;
  }
  for (size_t mask = index_.size() - 1, i = h & mask; index_[i] >= 0; i = (i + 1) & mask)
    if (Entry& e = entries[static_cast<size_t>(index_[i])]; is(e)) return &e.value;
  return nullptr;
}

// Erased entries keep their place in the index until here.
void Dict::rebuild() {
  if (live < entries.size()) std::erase_if(entries, [](const Entry& e) { return !e.key; });
  size_t size = 0;
  if (entries.size() >= kFew) size = std::bit_ceil(entries.size() * 3);
  const size_t bytes = entries.size() * 2 * sizeof(Entry) + size * sizeof(int32_t);
  heap->give(std::exchange(charged_, 0));
  heap->take(bytes);
  charged_ = bytes;
  entries.reserve(entries.size() * 2);
  index_.assign(size, -1);
  if (!size) return;
  for (size_t k = 0; k < entries.size(); ++k) {
    size_t i = entries[k].hash & (size - 1);
    while (index_[i] >= 0) i = (i + 1) & (size - 1);
    index_[i] = static_cast<int32_t>(k);
  }
}

void Dict::add(Value key, Value value, size_t h) {
  const size_t limit = index_.empty() ? kFew : index_.size() * 2 / 3;
  if (entries.size() >= limit) rebuild();
  const size_t mask = index_.size() - 1;
  if (!index_.empty()) {
    size_t i = h & mask;
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

bool Dict::erase(const Value& key) {
  const int64_t k = place(key, script::hash(key));
  if (k < 0) return false;
  Entry& e = entries[static_cast<size_t>(k)];
  const Value old_key = std::exchange(e.key, {}), old = std::exchange(e.value, {});
  if (--live == 0) clear();  // the places of what was erased are free again
  return true;
}

void Dict::each(const std::function<void(const Value&, Value&)>& f) {
  for (size_t k = 0, n = entries.size(); k < n && k < entries.size(); ++k) {
    if (!entries[k].key) continue;
    const Value key = entries[k].key;
    f(key, entries[k].value);
  }
}

// ---- Set: probes and grows as CPython's does, whose order programs print.

Set::~Set() { heap->give(charged_); }

size_t Set::hash_of(const Value& key) { return script::hash(key); }

void Set::clear() {
  const auto old = std::exchange(table, std::vector<Entry>(8));
  fill = used = 0;
}

// The place of the key, or -1; then `free` is where it belongs.
int64_t Set::place(const Value& key, size_t h, size_t* free) {
  size_t mask = table.size() - 1, i = h & mask;
  for (size_t perturb = h;; i = (i * 5 + 1 + perturb) & mask) {
    const size_t last = i + 9 <= mask ? i + 9 : i;
    for (size_t k = i; k <= last; ++k) {
      Entry& e = table[k];
      if (!e.key && e.hash == 0) {
        if (free) *free = k;
        return -1;
      }
      if (!e.key || e.hash != h) continue;
      const Value held = e.key;
      const size_t size = table.size();
      if (same_key(held, key)) return static_cast<int64_t>(k);
      if (table.size() != size) return place(key, h, free);  // its __eq__ has changed this set
    }
    perturb >>= 5;
  }
}

void Set::resize(size_t at_least) {
  size_t size = 8;
  while (size <= at_least) size <<= 1;
  heap->give(std::exchange(charged_, 0));
  heap->take(size * sizeof(Entry));
  charged_ = size * sizeof(Entry);
  const auto old = std::exchange(table, std::vector<Entry>(size));
  fill = used;
  for (const Entry& e : old) {
    if (!e.key) continue;
    const size_t mask = size - 1;
    size_t i = e.hash & mask, k = i;
    for (size_t perturb = e.hash;;) {
      const size_t last = i + 9 <= mask ? i + 9 : i;
      for (k = i; k < last && table[k].key;) ++k;
      if (!table[k].key) break;
      perturb >>= 5;
      i = (i * 5 + 1 + perturb) & mask;
    }
    table[k] = e;
  }
}

void Set::add(const Value& key, size_t h) {
  size_t free = 0;
  if (place(key, h, &free) >= 0) return;
  table[free] = {key, h};
  ++fill;
  ++used;
  if (fill * 5 >= (table.size() - 1) * 3) resize(used > 50000 ? used * 2 : used * 4);
}

bool Set::erase(const Value& key) {
  const int64_t k = place(key, script::hash(key));
  if (k < 0) return false;
  Entry& e = table[static_cast<size_t>(k)];
  const Value old = std::exchange(e.key, {});
  e.hash = 1;
  --used;
  return true;
}

void Set::add_all(const Set& other) {
  if (&other == this || !other.used) return;
  if ((fill + other.used) * 5 >= (table.size() - 1) * 3) resize((used + other.used) * 2);
  if (fill == 0 && table.size() == other.table.size() && other.fill == other.used) {
    table = other.table;
    fill = used = other.used;
    return;
  }
  const auto items = other.table;
  for (const Entry& e : items)
    if (e.key) add(e.key, e.hash);
}

}  // namespace glassgrad::script
