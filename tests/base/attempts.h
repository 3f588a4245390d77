// The verdict of a test that measures by the clock depends on the machine: another process may take the CPU away in
// the middle. Such a body runs again where it failed, four times at most, and prints each failure. A defect of the program
// fails every attempt. A pass that was not the first is written to the file FATHOM_LATER_ATTEMPTS, and scripts/check
// shows it. The name of such a test begins with "Timed": cmake/suites.cmake gives these the label `timing`, a part of scripts/check.
// Failures are caught as googletest's own tests catch them (gtest/gtest-spi.h).
#pragma once

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

namespace fathom::steady {

inline constexpr int kAttempts = 4;

inline void note_later_attempt(int attempt) {
  const char* path = std::getenv("FATHOM_LATER_ATTEMPTS");
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  if (path == nullptr || test == nullptr) return;
  std::ofstream(path, std::ios::app) << test->test_suite_name() << '.' << test->name() << ": at attempt " << attempt
                                     << '\n';
}

// Runs `body` until an attempt has no failure; the last one's failures, or its skip, are the test's. A body makes all
// that it uses anew, and leaves by ASSERT_ or GTEST_SKIP as a test does. Failures of other threads count at once.
template <class Body>
void attempts(Body&& body) {
  for (int attempt = 1;; ++attempt) {
    ::testing::TestPartResultArray found;
    {
      const ::testing::ScopedFakeTestPartResultReporter caught(
          ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &found);
      body();
    }
    bool failed = false, skipped = false;
    for (int i = 0; i < found.size(); ++i) {
      failed |= found.GetTestPartResult(i).failed();
      skipped |= found.GetTestPartResult(i).skipped();
    }
    const bool last = !failed || attempt == kAttempts;
    for (int i = 0; i < found.size(); ++i) {
      const auto& result = found.GetTestPartResult(i);
      if (last) {
        ::testing::internal::AssertHelper(result.type(), result.file_name(), result.line_number(), result.message()) =
            ::testing::Message();
      } else {
        std::cout << "attempt " << attempt << " of " << kAttempts << ": " << result << '\n';
      }
    }
    if (!failed && !skipped && attempt > 1) note_later_attempt(attempt);
    if (last) return;
  }
}

}  // namespace fathom::steady

// TEST() whose body is tried as above. Its name in GoogleTest is Timed##name.
#define TEST_IN_ATTEMPTS(suite, name)                                             \
  static void suite##_##name##_once();                                            \
  TEST(suite, Timed##name) { ::fathom::steady::attempts(suite##_##name##_once); } \
  static void suite##_##name##_once()
