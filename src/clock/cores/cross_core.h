// The cross-core test: do the counters of all CPUs agree?
//
// Problem: an I/O may start on one CPU and end on another, and each CPU has its own counter. If the counters have an
// offset or different rates, the difference of two readings is wrong by that much, with no sign of it. No better clock
// than the counters is available, so they cannot be compared with a reference.
//
// Choice: the test compares them with an order. One pinned thread per CPU takes places in one sequence by
// compare-and-swap. Between reading the sequence and taking the place it reads its counter: load, barrier, read,
// compare-and-swap, and again from the load if another CPU was first. The cache coherence protocol makes the places an
// order that all CPUs agree on. A later place with an earlier reading therefore proves that two counters disagree.
// entries.h has the meaning of the readings, and offset_bounds.h the offsets that remain undetected. To pass, each CPU
// must take over from others often enough (kFewestHandOvers): threads that ran one after another prove nothing.
//
// The loop has the structure of fio's test (fio(1), --cpuclock-test), so both give the same verdict. The bound of the
// offset is our addition. Injected offsets and drifts (Injection) show that the test can fail.
// Blocks its caller; call from one thread at a time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "clock/cores/barrier.h"
#include "clock/cores/entries.h"
#include "clock/verdict.h"

namespace fathom::clock::cores {

inline constexpr std::uint32_t kFullEntries = 100'000, kBriefEntries = 1'000;  // per CPU; fio's two lengths
inline constexpr std::uint32_t kSequenceEnd = UINT32_MAX;  // the sequence ends here and does not wrap
inline constexpr std::uint64_t kMostEntries = 1ull << 27;  // all CPUs together: 2 GiB

// Entries per CPU of a full test: less than kFullEntries only if the memory for all CPUs would be too large.
constexpr std::uint32_t full_entries(std::size_t cpus) {
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(kMostEntries / std::max<std::size_t>(cpus, 1), 1, kFullEntries));
}

// To pass, each CPU must take over from others, and hand over to them, at least this often. With fewer hand-overs,
// the CPUs hardly ran at the same time.
inline constexpr std::uint64_t kFewestHandOvers = 16;

// A simulated clock error, to show that the test can fail: added to the readings of one CPU.
struct Injection {
  unsigned cpu = 0;
  std::int64_t offset_ticks = 0;
  double drift_ppm = 0;  // grows from the start of the test
};

struct TestOptions {
  std::vector<unsigned> cpus;  // ascending, at least one; each within usable_cpus()
  std::uint32_t entries_per_cpu = kFullEntries;
  Barrier barrier = kDefaultBarrier;
  std::vector<Injection> injections;
  std::uint64_t max_ns = 0;  // stop recording after this time, including thread start; 0: no limit
  std::uint32_t first_sequence = 0;
  std::size_t most_mismatches = 8;  // kept in full
};

// The readings.
struct Recording {
  std::vector<std::vector<Entry>> streams;  // one per CPU, in the order of TestOptions::cpus; ascending in sequence
  bool started = true;                      // false: not all threads started in time, and there are no entries
  std::vector<unsigned> late;               // if not started: CPUs of the late threads
  std::uint64_t took_ns = 0;
};

// The CPUs that this process may run on (affinity, which includes a container's cpuset), ascending.
std::vector<unsigned> usable_cpus();

// Errors: usage (no CPU, a CPU that may not be used, too many entries, a barrier of another architecture), io (a
// thread could not be started or pinned).
base::Expected<Recording> record(const TestOptions& options);

struct TestRun {
  Findings findings;
  bool started = true;
  std::vector<unsigned> late = {};  // Recording::late of the last attempt
  unsigned attempts = 0;
  std::uint64_t took_ns = 0;  // of all attempts
  std::uint64_t max_ns = 0;   // limit for all attempts; 0: no limit
};
// Calls record() and analyse(). Repeats them a few times if the CPUs did not run at the same time (another program
// used one of them) and were therefore hardly compared. It never repeats a test with a mismatch.
base::Expected<TestRun> run_test(const TestOptions& options);

// The verdict in short. text_of() is the verdict in one sentence, with times in ns if the rate of the counter is known.
TestSummary summarize(const TestRun& run, const TestOptions& options, double ticks_per_second = 0);
Outcome outcome_of(const TestRun& run);
std::string text_of(const TestRun& run, double ticks_per_second = 0);

// The test before a run: kBriefEntries, in at most max_ns if the CPUs are not busy. With more than 64 CPUs, it tests
// 64 spread over the list, and the summary's `cpus` names them. If the test could not run, the outcome is not_tested,
// and the text names the busy CPUs and the help.
TestSummary brief_test(std::span<const unsigned> cpus, std::uint64_t max_ns = 10'000'000);
TestSummary full_test(std::span<const unsigned> cpus);

}  // namespace fathom::clock::cores
