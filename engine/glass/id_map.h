// A hash map from storage ids, in one block of memory: a recording looks up several ids for each op.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace glassgrad {

// Ids must not be 0. A reference stays valid until the next insertion or removal.
template <class T>
class IdMap {
 public:
  bool empty() const { return used_ == 0; }
  T* find(uint64_t id) {
    const size_t at = place_of(id);
    return at == kNowhere ? nullptr : &places_[at].value;
  }
  // Returns the value of this id, and inserts a new one if there is none.
  T& operator[](uint64_t id) {
    if ((used_ + 1) * 2 > places_.size()) grow();
    for (size_t at = home(id);; at = next(at)) {
      if (places_[at].id == id) return places_[at].value;
      if (places_[at].id != 0) continue;
      places_[at].id = id;
      ++used_;
      return places_[at].value;
    }
  }
  void erase(uint64_t id) {
    size_t hole = place_of(id);
    if (hole == kNowhere) return;
    // Moves later entries into the hole, unless the hole lies before their home.
    for (size_t at = next(hole); places_[at].id != 0; at = next(at)) {
      const size_t from_home = (at - home(places_[at].id)) & (places_.size() - 1);
      if (from_home < ((at - hole) & (places_.size() - 1))) continue;
      places_[hole] = std::move(places_[at]);
      hole = at;
    }
    places_[hole] = {};
    --used_;
  }
  // Erases the values for which unwanted(value) is true.
  template <class F>
  void erase_if(const F& unwanted) {
    std::vector<uint64_t> ids;  // collected first, because erase() moves entries
    for (const Place& p : places_)
      if (p.id != 0 && unwanted(p.value)) ids.push_back(p.id);
    for (const uint64_t id : ids) erase(id);
  }

 private:
  struct Place {
    uint64_t id = 0;
    T value = {};
  };

  static constexpr size_t kNowhere = SIZE_MAX;
  size_t place_of(uint64_t id) const {
    if (used_ == 0) return kNowhere;
    for (size_t at = home(id);; at = next(at)) {
      if (places_[at].id == id) return at;
      if (places_[at].id == 0) return kNowhere;
    }
  }
  size_t home(uint64_t id) const { return size_t(id * 0x9e3779b97f4a7c15u >> 32) & (places_.size() - 1); }
  size_t next(size_t at) const { return (at + 1) & (places_.size() - 1); }
  void grow() {
    std::vector<Place> before(places_.empty() ? 16 : places_.size() * 2);
    std::swap(before, places_);
    for (Place& p : before) {
      if (p.id == 0) continue;
      size_t at = home(p.id);
      while (places_[at].id != 0) at = next(at);
      places_[at] = std::move(p);
    }
  }

  std::vector<Place> places_;  // its size is a power of two, or 0
  size_t used_ = 0;
};

}  // namespace glassgrad
