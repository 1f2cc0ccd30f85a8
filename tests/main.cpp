// The test program. Seeds the default generator before each case, so that failures are reproducible. SEED=N
// in the environment changes the numbers of all cases.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <cstdlib>

#include <doctest/doctest.h>

#include "engine/random.h"

namespace {

struct SeedEachCase : doctest::IReporter {
  explicit SeedEachCase(const doctest::ContextOptions&) {}

  void test_case_start(const doctest::TestCaseData&) override { seed(); }
  void test_case_reenter(const doctest::TestCaseData&) override { seed(); }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  static void seed() {
    const char* const set = std::getenv("SEED");
    glassgrad::manual_seed(set ? std::atoll(set) : 1);
  }
};

DOCTEST_REGISTER_LISTENER("seed", 1, SeedEachCase);

}  // namespace
