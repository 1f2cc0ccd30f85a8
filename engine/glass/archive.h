// Turns a recording into bytes, to send it between two processes that were forked from a common ancestor:
// there, ops and code have the same addresses.
#pragma once
#include <concepts>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../core/error.h"
#include "recorder.h"

namespace glassgrad {

// Writes the values that it is called with, or reads them back in the same order of calls. Throws Error if
// the bytes end too soon.
class Archive {
 public:
  Archive() = default;
  explicit Archive(std::string_view from) : from_(from), writes_(false) {}
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  bool writes() const { return writes_; }
  const std::string& written() const { return written_; }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void operator()(T& x) { bytes(&x, sizeof(T)); }
  void operator()(std::string& x);
  template <class T>
  void operator()(std::vector<T>& list) {
    each(list);
  }
  template <class T>
  void operator()(std::deque<T>& list) {
    each(list);
  }
  template <class T>
  void operator()(std::optional<T>& x) requires(!std::is_trivially_copyable_v<std::optional<T>>) {
    bool has = x.has_value();
    (*this)(has);
    if (!writes_) x = has ? std::optional<T>(std::in_place) : std::nullopt;
    if (has) (*this)(*x);
  }
  void operator()(Snapshot& x);
  void operator()(RecordedScope& x) { (*this)(x.name), (*this)(x.part_of), (*this)(x.is_module); }
  void operator()(RecordedNode& x);
  void operator()(RecordedEdge& x) { (*this)(x.node), (*this)(x.nr), (*this)(x.leaf); }
  void operator()(RecordedBackwardStep& x);
  void operator()(RecordedGradient& x) { (*this)(x.leaf), (*this)(x.grad); }
  // find_op(name) returns the op of a Python class, which has no fixed address in the program.
  void recorder(Recorder& r, const Op& (*find_op)(const std::string& name));

 private:
  void bytes(void* x, size_t n);
  template <class List>
  void each(List& list) {
    size_t n = list.size();
    (*this)(n);
    if (!writes_) {
      if (n > from_.size()) too_short();
      list.resize(n);
    }
    for (auto& x : list) (*this)(x);
  }
  void buffer(std::shared_ptr<Buffer>& x);
  bool content(Buffer& x);
  void writers();
  void geometry(Ref<Geometry>& x);
  void storage(Ref<Storage>& x);
  [[noreturn]] static void too_short();

  std::string written_;
  std::string_view from_;
  bool writes_ = true;
  std::map<const Buffer*, size_t> places_;  // index in buffers_ plus 1
  std::vector<std::shared_ptr<Buffer>> buffers_;
};

}  // namespace glassgrad
