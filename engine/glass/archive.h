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

  template <class... T>
  requires(sizeof...(T) > 1) void operator()(T&... all) { ((*this)(all), ...); }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void operator()(T& x) { bytes(&x, sizeof(T)); }
  template <class T>
  void operator()(std::optional<T>& x) requires(!std::is_trivially_copyable_v<std::optional<T>>) {
    bool has = x.has_value();
    (*this)(has);
    if (!writes_) x = has ? std::optional<T>(std::in_place) : std::nullopt;
    if (has) (*this)(*x);
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    list.resize(count(list.size()));
    for (T& x : list) (*this)(x);
  }
  void operator()(std::string& x);
  void operator()(Snapshot& x);
  // find_op(name) returns the op of a Python class, which has no fixed address in the program.
  void recorder(Recorder& r, const Op& (*find_op)(const std::string& name));

 private:
  void operator()(RecordedScope& x) { (*this)(x.name, x.part_of, x.is_module); }
  void operator()(RecordedNode& x) { (*this)(x.seq, x.name, x.shape, x.to, x.call, x.leaf); }
  void operator()(RecordedEdge& x) { (*this)(x.node, x.nr, x.leaf); }
  void operator()(RecordedBackwardStep& x) {
    (*this)(x.node, x.name, x.grads, x.out, x.to, x.first_call, x.last_call);
  }
  void operator()(RecordedGradient& x) { (*this)(x.leaf, x.grad); }
  void operator()(std::shared_ptr<Buffer>& first);
  void operator()(Ref<Geometry>& x);
  void bytes(void* x, size_t n);
  // Archives the length of a list whose elements follow, each of at least one byte.
  size_t count(size_t n);
  bool content(Buffer& x);
  void writers();

  std::string written_;
  std::string_view from_;
  bool writes_ = true;
  std::map<const Buffer*, size_t> places_;  // index in buffers_ plus 1
  std::vector<std::shared_ptr<Buffer>> buffers_;
};

}  // namespace glassgrad
