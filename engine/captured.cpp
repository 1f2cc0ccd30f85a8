#include "captured.h"

#include "cuda/device.h"

namespace glassgrad {
namespace {

// While it lives, the generator counts from 0, and what it draws is replayed from `place`.
class Replayable {
 public:
  Replayable(Generator* g, const int64_t* place) : generator_(g), before_(g ? g->offset() : 0) {
    if (g) set(place, 0);
  }
  ~Replayable() {
    if (generator_) set(nullptr, before_);
  }
  Replayable(const Replayable&) = delete;
  Replayable& operator=(const Replayable&) = delete;

 private:
  void set(const int64_t* place, uint64_t offset) const {
    generator_->replay_from(place);
    generator_->set_offset(offset);
  }

  Generator* generator_;
  uint64_t before_;
};

}  // namespace

Captured::Captured(Device gpu, Generator* draws) : gpu_(gpu), draws_(draws) {
  if (draws) drawn_from_ = empty_contiguous({2}, int64, gpu);
}

Captured::~Captured() {
  if (graph_) cuda::drop_graph(graph_, gpu_.index);
}

void Captured::capture(const std::function<void()>& work) {
  const Replayable drawing(draws_, draws_ ? drawn_from_.raw().as<int64_t>() : nullptr);
  cuda::begin_capture(gpu_.index);
  try {
    work();
  } catch (...) {
    cuda::abandon_capture(gpu_.index);
    throw;
  }
  graph_ = cuda::end_capture(gpu_.index);
  words_ = draws_ ? draws_->offset() : 0;
}

void Captured::replay() const {
  if (draws_) {
    const int64_t from[] = {int64_t(draws_->initial_seed()), int64_t(draws_->offset())};
    cuda::copy(drawn_from_.raw().as<int64_t>(), gpu_, from, kCpu, sizeof from);
    draws_->set_offset(draws_->offset() + words_);
  }
  cuda::launch_graph(graph_, gpu_.index);
}

}  // namespace glassgrad
