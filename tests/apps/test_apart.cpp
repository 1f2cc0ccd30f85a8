// Code that runs in a separate process: however that process ends, this one continues.
#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "apps/practice/apart.h"

using namespace glassgrad::practice;

namespace {

struct Run {
  bool whole;
  std::string heard;
};

Run apart(const std::function<void(const Hear&)>& f, double seconds = 30, size_t bytes = size_t{1} << 30) {
  std::string heard;
  const bool whole = run_apart({.bytes = bytes, .seconds = seconds}, f,
                               [&](const std::string& line) { heard += line + "\n"; });
  return {whole, heard};
}

}  // namespace

TEST_CASE("apart what is said is heard line by line") {
  int changed = 0;
  const Run run = apart([&](const Hear& say) {
    changed = 1;
    say("one");
    say("");
    say(std::string(100'000, 'x'));
  });
  CHECK(run.whole);
  CHECK(run.heard == "one\n\n" + std::string(100'000, 'x') + "\n");
  CHECK(changed == 0);
}

TEST_CASE("apart a process that ends early is not whole but was heard") {
  for (const int how : {0, 1, 2, 3}) {
    const Run run = apart([how](const Hear& say) {
      say("before");
      if (how == 0) std::raise(SIGKILL);
      if (how == 1) std::signal(SIGSEGV, SIG_DFL), std::raise(SIGSEGV);
      if (how == 2) std::_Exit(0);
      if (how == 3) std::signal(SIGABRT, SIG_DFL), std::abort();
    });
    CHECK_FALSE(run.whole);
    CHECK(run.heard == "before\n");
  }
}

TEST_CASE("apart a process that is silent for too long is ended") {
  const Run run = apart(
      [](const Hear& say) {
        say("before");
        for (volatile bool on = true; on;) {
        }
      },
      0.3);
  CHECK_FALSE(run.whole);
  CHECK(run.heard == "before\n");
}

TEST_CASE("apart a process has the memory that it is given and no more") {
  const Run run = apart(
      [](const Hear& say) {
        std::vector<std::unique_ptr<char[]>> all;
        for (int k = 0; k < 64; ++k) {
          all.emplace_back(new (std::nothrow) char[size_t{1} << 24]);
          if (!all.back()) return say("full");
        }
        say("taken");
      },
      30, size_t{1} << 28);
  CHECK(run.heard != "taken\n");
}
