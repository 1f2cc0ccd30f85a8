// The threads, barriers and memory of the emulated GPU.
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda_runtime.h"

namespace {

// ---------------------------------------------------------------- memory
// One reserved range of addresses, accessible only while a kernel or a copy runs.
class Memory {
 public:
  Memory() {
    void* const mapped =
        mmap(nullptr, kTotal + kHugePage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) std::abort();
    start_ = static_cast<char*>(mapped) + (kHugePage - reinterpret_cast<uintptr_t>(mapped) % kHugePage);
    madvise(start_, kTotal, MADV_HUGEPAGE);  // fewer pages to protect and unprotect
    free_[0] = kTotal;
  }
  void* take(size_t bytes) {
    bytes = (bytes + kStep - 1) / kStep * kStep;
    for (auto& [at, size] : free_) {
      if (size < bytes) continue;
      const size_t place = at, rest = size - bytes;
      free_.erase(place);
      if (rest) free_[place + bytes] = rest;
      used_[place] = bytes;
      while (reach_ < place + bytes) reach_ += kHugePage;
      return start_ + place;
    }
    return nullptr;
  }
  bool give(void* block) {
    const auto found = used_.find(size_t(static_cast<char*>(block) - start_));
    if (found == used_.end()) return false;
    auto [place, bytes] = *found;
    used_.erase(found);
    if (const auto next = free_.find(place + bytes); next != free_.end()) {
      bytes += next->second;
      free_.erase(next);
    }
    free_[place] = bytes;
    return true;
  }
  void open() { protect(PROT_READ | PROT_WRITE); }
  void close() { protect(PROT_NONE); }
  size_t left() const {
    size_t bytes = 0;
    for (const auto& [at, size] : free_) bytes += size;
    return bytes;
  }
  static constexpr size_t kTotal = size_t{4} << 30;

 private:
  static constexpr size_t kStep = 256, kHugePage = size_t{2} << 20;  // kStep: cudaMalloc's alignment
  void protect(int access) {
    if (reach_ && mprotect(start_, reach_, access) != 0) std::abort();
  }
  char* start_;
  size_t reach_ = 0;
  std::map<size_t, size_t> free_, used_;
};
Memory& memory() {
  static Memory* const all = new Memory;  // outlives static tensors
  return *all;
}
std::recursive_mutex gpu;  // one kernel or copy at a time

struct MemoryAccess {
  std::lock_guard<std::recursive_mutex> lock{gpu};
  MemoryAccess() { memory().open(); }
  ~MemoryAccess() { memory().close(); }
};

// ---------------------------------------------------------------- threads
enum class State { ready, at_block, at_warp, done };

using JumpBuffer = void* [5];  // the buffer of __builtin_setjmp

// A stack that runs threads of the block until one of them must wait. A different stack then runs the rest.
struct Fiber {
  ucontext_t context;     // where it begins
  JumpBuffer wait_point;  // where it waits
  bool begun = false;
  std::unique_ptr<char[]> stack;
  unsigned thread = 0;
  bool idle = true;
};

struct Block {
  dim3 threads;
  unsigned count = 0, started = 0;
  const std::function<void()>* kernel = nullptr;
  std::vector<State> state;
  std::vector<Fiber*> of_thread;
  std::vector<std::unique_ptr<Fiber>> fibers;
  Fiber* running = nullptr;
  JumpBuffer scheduler;
  alignas(16) char slots[1024][64];
  std::vector<char> shared;
} block;

constexpr size_t kStack = 256 * 1024;

void enter(unsigned thread) {
  threadIdx = {thread % block.threads.x, thread / block.threads.x % block.threads.y,
               thread / (block.threads.x * block.threads.y)};
}

// Jumps to a different fiber or the scheduler. swapcontext would make a system call for the signal mask each
// time, and AddressSanitizer's longjmp would unpoison the whole stack.
__attribute__((noinline, no_sanitize("address"))) void switch_fiber(JumpBuffer& from, JumpBuffer& to) {
  if (__builtin_setjmp(from) == 0) __builtin_longjmp(to, 1);
}

void fiber_main() {
  for (;;) {
    Fiber& self = *block.running;
    while (block.started < block.count) {
      self.thread = block.started++;
      block.of_thread[self.thread] = &self;
      enter(self.thread);
      (*block.kernel)();
      block.state[self.thread] = State::done;
    }
    self.idle = true;
    switch_fiber(self.wait_point, block.scheduler);
  }
}

void resume(Fiber& fiber) {
  block.running = &fiber;
  if (fiber.begun) return switch_fiber(block.scheduler, fiber.wait_point);
  fiber.begun = true;
  if (__builtin_setjmp(block.scheduler) == 0) setcontext(&fiber.context);
}

Fiber& idle_fiber() {
  for (auto& f : block.fibers)
    if (f->idle) return f->idle = false, *f;
  auto& f = *block.fibers.emplace_back(std::make_unique<Fiber>());
  f.stack = std::make_unique<char[]>(kStack);
  getcontext(&f.context);
  f.context.uc_stack.ss_sp = f.stack.get();
  f.context.uc_stack.ss_size = kStack;
  f.context.uc_link = nullptr;
  makecontext(&f.context, fiber_main, 0);
  f.idle = false;
  return f;
}

// Wakes these threads if all of them wait at the barrier or are done; returns false if it wakes none.
bool release(unsigned first, unsigned last, State barrier) {
  bool any = false;
  for (unsigned t = first; t < last; ++t) {
    if (block.state[t] == State::done) continue;
    if (block.state[t] != barrier) return false;
    any = true;
  }
  if (any)
    for (unsigned t = first; t < last; ++t)
      if (block.state[t] == barrier) block.state[t] = State::ready;
  return any;
}

void run_block() {
  block.state.assign(block.count, State::ready);
  block.of_thread.assign(block.count, nullptr);
  block.started = 0;
  while (block.started < block.count) resume(idle_fiber());
  for (;;) {
    bool any = release(0, block.count, State::at_block);
    for (unsigned w = 0; w < block.count; w += 32)
      any |= release(w, w + 32 < block.count ? w + 32 : block.count, State::at_warp);
    bool all_done = true;
    for (unsigned t = 0; t < block.count; ++t) {
      if (block.state[t] == State::ready) {
        enter(t);
        resume(*block.of_thread[t]);
      }
      all_done &= block.state[t] == State::done;
    }
    if (all_done) return;
    if (!any) {
      std::fputs("emulated GPU: threads of a block wait for different barriers\n", stderr);
      std::abort();
    }
  }
}

void wait(State barrier) {
  Fiber& self = *block.running;
  block.state[self.thread] = barrier;
  switch_fiber(self.wait_point, block.scheduler);
  enter(self.thread);
}

}  // namespace

// ---------------------------------------------------------------- shared memory
namespace {
// The size of a kernel's static shared memory is unknown here: assume as much as the row kernels have.
constexpr size_t kStaticShared = 512, kShared = 48 * 1024, kMostShared = 227 * 1024;
std::map<const void*, size_t> allowed_shared;  // by kernel, if it requested some
}  // namespace

bool emulated::has_shared(const void* kernel, size_t bytes) {
  const std::lock_guard lock(gpu);
  const auto asked = allowed_shared.find(kernel);
  return bytes + kStaticShared <= kShared || (asked != allowed_shared.end() && bytes <= asked->second);
}
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute, int bytes) {
  const std::lock_guard lock(gpu);
  if (bytes < 0 || size_t(bytes) + kStaticShared > kMostShared) return cudaErrorInvalidValue;
  return allowed_shared[kernel] = size_t(bytes), cudaSuccess;
}

// ---------------------------------------------------------------- graphs
struct EmulatedGraph {
  std::vector<std::function<void()>> work;
};
namespace {
EmulatedGraph* capturing = nullptr;
}

namespace emulated {

bool record_if_capturing(const std::function<void()>& work) {
  if (capturing) capturing->work.push_back(work);
  return capturing != nullptr;
}

void* shared_memory() { return block.shared.data(); }
void wait_for_block() { wait(State::at_block); }
void wait_for_warp() { wait(State::at_warp); }

void exchange(const void* mine, void* theirs, size_t bytes, int lane) {
  const unsigned self = block.running->thread;
  std::memcpy(block.slots[self], mine, bytes);
  wait_for_warp();
  const unsigned from = self / 32 * 32 + unsigned(lane);
  std::memcpy(theirs, block.slots[from < block.count ? from : self], bytes);
  wait_for_warp();
}

unsigned ballot(bool mine) {
  unsigned all = 0;
  for (int lane = 0; lane < 32; ++lane) {
    bool theirs = false;
    exchange(&mine, &theirs, sizeof mine, lane);
    all |= unsigned(theirs) << lane;
  }
  return all;
}

void run(dim3 blocks, dim3 threads, size_t shared, const std::function<void()>& kernel) {
  const MemoryAccess access;
  gridDim = blocks;
  blockDim = threads;
  block.threads = threads;
  block.count = threads.x * threads.y * threads.z;
  block.kernel = &kernel;
  for (unsigned z = 0; z < blocks.z; ++z)
    for (unsigned y = 0; y < blocks.y; ++y)
      for (unsigned x = 0; x < blocks.x; ++x) {
        // Fills with nan, so that a read before any write is visible.
        block.shared.assign(shared, char(0xff));
        blockIdx = {x, y, z};
        run_block();
      }
}

}  // namespace emulated

// ---------------------------------------------------------------- the runtime
cudaError_t cudaGetDeviceCount(int* count) {
  const char* const set = std::getenv("GLASSGRAD_EMULATED_GPUS");
  *count = set ? std::atoi(set) : 1;
  return *count ? cudaSuccess : cudaErrorNoDevice;
}
cudaError_t cudaGetDevice(int* index) { return *index = 0, cudaSuccess; }
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = 2;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = int(kMostShared - kStaticShared);
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = 1024;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = 9;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = 0;
  }
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int) {
  *p = {"an emulated GPU", 0, 0, Memory::kTotal};
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
namespace {
struct Words {
  const char *name, *text;
};
Words words_of(cudaError_t e) {
  switch (e) {
    case cudaErrorMemoryAllocation:
      return {"cudaErrorMemoryAllocation", "out of memory"};
    case cudaErrorLaunchFailure:
      return {"cudaErrorLaunchFailure", "unspecified launch failure"};
    case cudaErrorStreamCaptureUnsupported:
      return {"cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"};
    default:
      return {"cudaErrorInvalidValue", "invalid argument"};
  }
}
}  // namespace
const char* cudaGetErrorName(cudaError_t e) { return words_of(e).name; }
const char* cudaGetErrorString(cudaError_t e) { return words_of(e).text; }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  static int one;
  return *stream = &one, cudaSuccess;
}
// With GLASSGRAD_EMULATED_FAULT, reports that a kernel has failed.
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  static const bool fault = std::getenv("GLASSGRAD_EMULATED_FAULT") != nullptr;
  return capturing ? cudaErrorStreamCaptureUnsupported : fault ? cudaErrorLaunchFailure : cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  if (capturing) return cudaErrorInvalidValue;
  capturing = new EmulatedGraph;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  *graph = capturing;
  capturing = nullptr;
  return *graph ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  *executable = new EmulatedGraph(*graph);
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
  for (const auto& work : executable->work) work();
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return delete graph, cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) { return delete executable, cudaSuccess; }
cudaError_t cudaMalloc(void** data, size_t bytes) {
  const MemoryAccess access;
  *data = memory().take(bytes);
  memory().open();  // the new part of the range, too
  if (*data) std::memset(*data, 0xff, bytes);
  return *data ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFree(void* data) {
  const MemoryAccess access;
  return !data || memory().give(data) ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  const MemoryAccess access;
  *free = memory().left();
  *total = Memory::kTotal;
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  if (capturing && kind != cudaMemcpyDeviceToDevice) return cudaErrorStreamCaptureUnsupported;
  const auto work = [=] {
    const MemoryAccess access;
    std::memmove(to, from, bytes);
  };
  if (!emulated::record_if_capturing(work)) work();
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t) {
  const auto work = [=] {
    const MemoryAccess access;
    std::memset(to, value, bytes);
  };
  if (!emulated::record_if_capturing(work)) work();
  return cudaSuccess;
}
