// Large blocks are kept for reuse, and freed when the system has no memory left. Not with sanitizers, which
// have their own allocators.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <new>

#include "nn/functional.h"
#include "nn/gpt.h"
#include "nn/optim.h"
#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

constexpr size_t kMiB = 1 << 20;

int64_t page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

size_t address_space() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * size_t(sysconf(_SC_PAGESIZE));
}

// While it exists, limits the address space to this many bytes beyond those in use.
class Limit {
 public:
  explicit Limit(size_t room) {
    getrlimit(RLIMIT_AS, &before_);
    const rlimit now{address_space() + room, before_.rlim_max};
    setrlimit(RLIMIT_AS, &now);
  }
  ~Limit() { setrlimit(RLIMIT_AS, &before_); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("a large block is kept for the next one of its size") {
  for (const size_t bytes : {size_t{2049}, size_t{5000}, kMiB, 3 * kMiB + 1}) {
    void* const block = take_block(bytes);
    CHECK(reinterpret_cast<uintptr_t>(block) % 64 == 0);
    give_block(block, bytes);
    CHECK(take_block(bytes) == block);
    give_block(block, bytes);
  }
}

TEST_CASE("a block with huge pages is a mapping of its own") {
  give_back_kept_memory();
  const size_t before = address_space();
  for (const size_t bytes : {4 * kMiB, 8 * kMiB, 40 * kMiB}) {
    void* const block = take_block(bytes);
    CHECK(reinterpret_cast<uintptr_t>(block) % (2 * kMiB) == 0);
    CHECK(address_space() == before + bytes);
    give_block(block, bytes);
    give_back_kept_memory();
    CHECK(address_space() == before);
  }
}

TEST_CASE("what is kept is given back when the system has no more") {
  void* const kept = take_block(300 * kMiB);
  give_block(kept, 300 * kMiB);
  const Limit limit(50 * kMiB);
  void* block = nullptr;
  CHECK_NOTHROW(block = take_block(200 * kMiB));
  if (block) give_block(block, 200 * kMiB);
  CHECK_THROWS_AS(take_block(2000 * kMiB), std::bad_alloc);
}

TEST_CASE("a step of training takes no new pages from the system") {
  Generator g(1);
  const Tensor x = randn({256, 128}, float32, g), weight = randn({128, 512}, float32, g).requires_grad_();
  const auto step = [&] {
    weight.set_grad({});
    sum(square(softmax(gelu(mm(x, weight), "tanh"), -1))).backward();
  };
  for (int i = 0; i < 3; ++i) step();
  const int64_t before = page_faults();
  for (int i = 0; i < 10; ++i) step();
  CHECK(page_faults() - before < 20);
}

TEST_CASE("nor does a whole training after its first steps") {
  manual_seed(1);
  nn::GPTConfig config;
  config.layers = 2, config.heads = 4, config.width = 64;
  config.context_length = 32, config.vocab_size = 200, config.dropout = 0.1;
  const nn::GPT model(config);
  nn::optim::AdamW optimizer(model.parameters(), 1e-3);
  const auto step = [&] {
    const Tensor tokens = randint(0, config.vocab_size, {8, config.context_length});
    optimizer.zero_grad();
    nn::functional::cross_entropy(model(tokens).flatten(0, 1), tokens.flatten()).backward();
    nn::optim::clip_grad_norm_(model.parameters(), 1);
    optimizer.step();
  };
  for (int i = 0; i < 10; ++i) step();
  const int64_t before = page_faults();
  for (int i = 0; i < 10; ++i) step();
  CHECK(page_faults() - before < 20);
}
#endif
