// The cross-core test: do the counters of all CPUs tell one time?
//
// Problem: a latency may be stamped on one CPU and ended on another, and each CPU has a counter of its own. If they are
// apart, or run apart, the difference of two readings is wrong by that much, in silence. No clock is at hand that is
// better than the counters themselves, so they cannot be compared with a truth.
//
// Choice: they are compared with an order. One pinned thread a CPU takes places in one sequence by compare-and-swap, and
// reads its counter between looking at the sequence and taking the place: look, barrier, read, compare-and-swap, and again
// from the look where another CPU was first. The cache coherence protocol makes places an order that all CPUs agree on, so
// a place that comes later with an earlier reading is proof that two counters disagree; entries.h says what the readings
// mean, offset_bounds.h how far apart the counters can be and still not be caught. A pass needs that each CPU took over
// from others often enough (kFewestHandOvers): threads that ran one after another prove nothing.
//
// The loop has the shape of fio's test (fio(1), --cpuclock-test), so both judge the same; what it lacks, a bound of the
// offset, is ours. Injected offsets and drifts (Injection) show that the test can fail.
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

inline constexpr std::uint32_t kFullEntries = 100'000, kBriefEntries = 1'000;  // a CPU; fio's two lengths
inline constexpr std::uint32_t kSequenceEnd = UINT32_MAX;                      // the sequence does not wrap: it ends
inline constexpr std::uint64_t kMostEntries = 1ull << 27;                      // of all CPUs together: 2 GiB

// The full length on so many CPUs: less than kFullEntries only where the memory for all of them would be too much.
constexpr std::uint32_t full_entries(std::size_t cpus) {
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(kMostEntries / std::max<std::size_t>(cpus, 1), 1, kFullEntries));
}

// Each CPU must take over from others, and hand over to them, this often for a pass: fewer say that the CPUs hardly ran
// at the same time.
inline constexpr std::uint64_t kFewestHandOvers = 16;

// A clock made wrong on purpose, so that the test is shown to fail: added to what one CPU reads.
struct Injection {
  unsigned cpu = 0;
  std::int64_t offset_ticks = 0;
  double drift_ppm = 0;  // grows from the start of the test
};

struct TestOptions {
  std::vector<unsigned> cpus;  // rising, at least one; each within usable_cpus()
  std::uint32_t entries_per_cpu = kFullEntries;
  Barrier barrier = kDefaultBarrier;
  std::vector<Injection> injections;
  std::uint64_t max_ns = 0;  // stop recording when this much has passed, threads' start included; 0: no limit
  std::uint32_t first_sequence = 0;
  std::size_t most_mismatches = 8;  // kept in full
};

// What was read.
struct Recording {
  std::vector<std::vector<Entry>> streams;  // one a CPU, in the order of TestOptions::cpus; rising in sequence
  bool started = true;                      // false: not all threads came to run in time, and there are no entries
  std::vector<unsigned> late;               // then: whose threads did not
  std::uint64_t took_ns = 0;
};

// The CPUs that this process may run on (affinity, and with it a container's cpuset), rising.
std::vector<unsigned> usable_cpus();

// Errors: usage (no CPU, a CPU that may not be used, too many entries, a barrier of another machine), io (a thread
// could not be started or pinned).
base::Expected<Recording> record(const TestOptions& options);

struct TestRun {
  Findings findings;
  bool started = true;
  std::vector<unsigned> late = {};  // Recording::late of the last attempt
  unsigned attempts = 0;
  std::uint64_t took_ns = 0;  // of all attempts
  std::uint64_t max_ns = 0;   // that they had; 0: no limit
};
// record() and analyse(); again, a few times, while the CPUs did not run at the same time (another program had one of
// them) and so were hardly compared. A mismatch is never repeated away.
base::Expected<TestRun> run_test(const TestOptions& options);

// The verdict in short; words() says it in one sentence, times in ns when the rate of the counter is known.
TestSummary summarize(const TestRun& run, const TestOptions& options, double ticks_per_second = 0);
Outcome outcome_of(const TestRun& run);
std::string text_of(const TestRun& run, double ticks_per_second = 0);

// Before a run: kBriefEntries, in at most max_ns on CPUs that are not busy; of more than 64 CPUs, 64 spread over the
// list, which the summary's `cpus` names. A test that could not be made has the
// outcome not_tested, and the words say which CPUs were too busy and what to do.
TestSummary brief_test(std::span<const unsigned> cpus, std::uint64_t max_ns = 10'000'000);
TestSummary full_test(std::span<const unsigned> cpus);

}  // namespace fathom::clock::cores
