#include "parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "../core/error.h"
#include "../core/for_scope.h"
#include "../core/threads.h"

namespace glassgrad {

constinit HostCallbacks host;
thread_local constinit LoopWatch loop_watch;

namespace {

// ---------------------------------------------------------------- how many threads
int cores() {
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) return 1;  // there are more cores than the set can hold
  return std::clamp(CPU_COUNT(&mine), 1, kMostThreads);
}

int first_count() {
  const char* const set = std::getenv("GLASSGRAD_THREADS");
  if (!set || !*set) return cores();
  const std::string_view text(set);
  int n = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), n);
  check<ValueError>(error == std::errc() && end == text.end() && n >= 1 && n <= kMostThreads,
                    "GLASSGRAD_THREADS takes an integer from 1 to {}, not '{}'", kMostThreads, text);
  return n;
}

std::atomic<int>& count() {
  static std::atomic<int> n = first_count();
  return n;
}

// ---------------------------------------------------------------- the pool
// Waits for a state to change: first spins, then yields to other threads, then sleeps. On a virtual machine,
// waking up takes longer than most gaps between the loops of a training step, and may land this thread on the
// core of the thread that woke it.
class Wait {
 public:
  uint32_t other_than(const std::atomic<uint32_t>& state, uint32_t s) {
    for (int i = 0; i < kLooks; ++i) {
      pause();
      if (const uint32_t now = state.load(); now != s) return now;
    }
    const auto waited = Clock::now() - began_;
    if (waited > kAwake) {
      state.wait(s);
      began_ = Clock::now();  // more work may follow soon
    } else if (waited > kAtWork) {
      sched_yield();
    }
    return state.load();
  }

 private:
  using Clock = std::chrono::steady_clock;

  static void pause() {
#ifdef __x86_64__
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
  }

  static constexpr int kLooks = 16;  // between two reads of the clock
  static constexpr std::chrono::microseconds kAtWork{200}, kAwake{1000};
  Clock::time_point began_ = Clock::now();
};

// True while this thread runs a piece.
thread_local constinit bool in_piece = false;

// Only the caller's thread checks for an interrupt. The error that this throws in its piece stops the workers
// too.
void run_piece(const Body& body, int64_t at, int64_t end) {
  if (loop_watch.look) loop_watch.look(loop_watch.of);
  body.run(body.self, at, end);
}

void run_in_order(int64_t n, int64_t piece, const Body& body) {
  for (int64_t at = 0; at < n; at += piece) run_piece(body, at, std::min(at + piece, n));
}

// The pieces that one thread takes first. Successive loops over the same rows give a thread the same rows, so
// its cache still holds what it wrote in the previous op.
struct alignas(64) Share {
  std::atomic<int64_t> next;
  int64_t end;
};

// Runs one job at a time. The job's owner publishes it and takes pieces as the workers do, first from its own
// share, then from the others. When no piece is left it closes the job and waits for the workers that have
// joined. A worker that comes late, or never, delays nobody.
class ThreadPool {
 public:
  void run(int64_t n, int64_t piece, const Body& body);

 private:
  // The low bits of the state count the joined workers; the next bit is set while workers may join; the bits
  // above are the job's number.
  static constexpr uint32_t kOpen = 512, kJoined = kOpen - 1, kNext = 2 * kOpen;
  static_assert(kMostThreads < kOpen);

  void start(int workers);
  void stop();
  void work(int self);
  uint32_t join_next(uint32_t last);
  void share_out();
  void take_pieces(int self);
  void note_error(int64_t at);
  void close();

  std::mutex owner_;  // held for as long as a job lasts
  std::vector<std::thread> workers_;
  int wanted_ = 0;  // the system may have granted fewer
  std::atomic<bool> ending_ = false;

  std::atomic<uint32_t> state_ = 0;
  Body body_{};
  int64_t n_ = 0, piece_ = 1;
  std::vector<Share> shares_;  // the owner's, then the workers'; with few pieces, only the first are used
  size_t used_shares_ = 0;
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  std::mutex error_lock_;
  std::exception_ptr error_;
  std::atomic<int64_t> error_at_ = kNone;
};

// Blocks all signals in the workers, so that they are delivered to the program's own threads.
void ThreadPool::start(int workers) {
  wanted_ = workers;
  shares_ = std::vector<Share>(size_t(workers) + 1);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    for (int self; (self = int(workers_.size()) + 1) <= workers;)
      workers_.emplace_back([this, self] { work(self); });
  } catch (const std::system_error&) {  // the system grants no more threads: use those that were started
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ThreadPool::stop() {
  ending_ = true;
  state_ += kNext;
  state_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  ending_ = false;
}

void ThreadPool::work(int self) {
  in_piece = true;  // as long as the thread lives
  for (uint32_t last = 0; !ending_;) {
    last = join_next(last);
    if (ending_) break;
    take_pieces(self);
    if ((state_.fetch_sub(1) & (kOpen | kJoined)) == 1)
      state_.notify_all();  // the last to leave a closed job
  }
}

// Waits for a job whose number is not `last`, joins it and returns its number. Returns without joining when
// the pool ends.
uint32_t ThreadPool::join_next(uint32_t last) {
  Wait wait;
  for (uint32_t s = state_.load(); !ending_;) {
    if (!(s & kOpen) || s / kNext == last)
      s = wait.other_than(state_, s);
    else if (state_.compare_exchange_strong(s, s + 1))
      return s / kNext;
  }
  return last;
}

void ThreadPool::share_out() {
  const int64_t pieces = (n_ + piece_ - 1) / piece_, shares = std::min(pieces, int64_t(shares_.size()));
  used_shares_ = size_t(shares);
  for (int64_t i = 0; i < shares; ++i) {
    const Range share = part_of(i, shares, n_, piece_);
    shares_[size_t(i)].next = share.first;
    shares_[size_t(i)].end = share.last;
  }
}

void ThreadPool::take_pieces(int self) {
  for (size_t i = 0; i < used_shares_; ++i) {
    Share& share = shares_[(size_t(self) + i) % used_shares_];
    // Test before fetch_add: threads that find a used-up share then only read its cache line.
    for (int64_t at; share.next < share.end && (at = share.next.fetch_add(piece_)) < share.end;)
      if (at < error_at_) try {  // pieces after the failed one are skipped
          run_piece(body_, at, std::min(at + piece_, n_));
        } catch (...) {
          note_error(at);
        }
  }
}

// All pieces before this one still run, so the same error is reported for any number of threads.
void ThreadPool::note_error(int64_t at) {
  const std::lock_guard lock(error_lock_);
  if (at < error_at_) {
    error_ = std::current_exception();
    error_at_ = at;
  }
}

void ThreadPool::close() {
  Wait wait;
  for (uint32_t s = state_.fetch_and(~kOpen) & ~kOpen; s & kJoined;) s = wait.other_than(state_, s);
}

void ThreadPool::run(int64_t n, int64_t piece, const Body& body) {
  const std::unique_lock owner(owner_, std::try_to_lock);
  if (!owner) return run_in_order(n, piece, body);
  if (const int workers = threads() - 1; workers != wanted_) {
    stop();
    start(workers);
  }
  body_ = body;
  n_ = n;
  piece_ = piece;
  share_out();
  state_ = (state_.load() / kNext + 1) * kNext + kOpen;
  state_.notify_all();
  {
    const ForScope now(in_piece, true);
    take_pieces(0);
  }
  close();
  if (error_at_.exchange(kNone) != kNone) std::rethrow_exception(std::exchange(error_, nullptr));
}

// Releases the host's lock for work of at least 4 pieces, about 65,000 numbers. Less takes less time than the
// lock.
class AroundLongWork {
 public:
  explicit AroundLongWork(bool is_long) : called_(is_long && !in_piece && host.begin) {
    if (called_) begun_ = host.begin();
  }
  ~AroundLongWork() {
    if (called_) host.end(begun_);
  }
  AroundLongWork(const AroundLongWork&) = delete;
  AroundLongWork& operator=(const AroundLongWork&) = delete;

 private:
  bool called_;
  void* begun_ = nullptr;
};

}  // namespace

int threads() { return count().load(std::memory_order_relaxed); }

void set_threads(int n) {
  check<ValueError>(n >= 1 && n <= kMostThreads, "the number of threads must be from 1 to {}, but is {}",
                    kMostThreads, n);
  count() = n;
}

int64_t sharing_threads() { return in_piece ? 1 : threads(); }

void run_pieces(int64_t n, int64_t piece, const Body& body) {
  const AroundLongWork around(n / 4 >= piece);
  if (in_piece || threads() == 1) return run_in_order(n, piece, body);
  // Never destroyed: the process ends its threads at exit, and they may use the pool until then.
  static ThreadPool& pool = *new ThreadPool;
  pool.run(n, piece, body);
}

}  // namespace glassgrad
