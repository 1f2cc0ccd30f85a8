// A hash map from storage ids, in one block of memory: a recording looks up several ids for each op.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace glassgrad {

// Ids must not be 0. T is a pointer; null means that there is no value, and its place is free after the next
// growth. A reference stays valid until the next insertion.
template <class T>
class IdMap {
 public:
  T* find(uint64_t id) {
    if (places_.empty()) return nullptr;
    Place& p = places_[place_of(id)];
    return p.value ? &p.value : nullptr;
  }
  // Returns the value of this id, null if there is none.
  T& operator[](uint64_t id) {
    if ((used_ + 1) * 2 > places_.size()) grow();
    Place& p = places_[place_of(id)];
    used_ += p.id == 0;
    p.id = id;
    return p.value;
  }
  // Erases the values for which unwanted(value) is true.
  template <class F>
  void erase_if(const F& unwanted) {
    for (Place& p : places_)
      if (p.value && unwanted(p.value)) p.value = {};
  }

 private:
  struct Place {
    uint64_t id = 0;
    T value = {};
  };

  // Where this id is, or where it would be inserted.
  size_t place_of(uint64_t id) const {
    size_t at = size_t(id * 0x9e3779b97f4a7c15u >> 32) & (places_.size() - 1);
    while (places_[at].id != id && places_[at].id != 0) at = (at + 1) & (places_.size() - 1);
    return at;
  }
  void grow() {
    std::vector<Place> before = std::exchange(places_, {});
    size_t values = 0, size = 16;
    for (const Place& p : before) values += bool(p.value);
    while (size < values * 4) size *= 2;
    places_.resize(size);
    used_ = values;
    for (Place& p : before)
      if (p.value) places_[place_of(p.id)] = std::move(p);
  }

  std::vector<Place> places_;  // its size is a power of two, or 0
  size_t used_ = 0;            // places with an id
};

}  // namespace glassgrad
