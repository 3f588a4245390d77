// Supplies the next accesses, in blocks: the touch loop's one indirect call, once per block, between two timed pairs. A
// source holds all it needs in memory that exists before the run (locked with everything else), makes no system call
// and does not allocate. Thread rule: one thread per source.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/error.h"
#include "paging/plan.h"

namespace fathom::paging::sources {

// Bit 0: a write. The rest: offset from the begin of the set in bytes, a multiple of 4.
struct Access {
  std::uint64_t v = 0;
  static constexpr Access of(std::uint64_t offset_bytes, bool write) { return {offset_bytes | (write ? 1u : 0u)}; }
  constexpr bool write() const { return (v & 1) != 0; }
  constexpr std::uint64_t offset_bytes() const { return v & ~std::uint64_t{3}; }
};

template <class T>
std::span<const std::byte> bytes_of(const T& object) {
  return std::as_bytes(std::span<const T, 1>(&object, 1));
}

inline constexpr std::size_t kAccessBlock = 128;  // 1 KiB

class AccessSource {
 public:
  virtual ~AccessSource() = default;
  // Fills all of `out`. elapsed_ns: since the measured window began (patterns that move); during the warm-up 0.
  virtual void refill(std::span<Access, kAccessBlock> out, std::uint64_t elapsed_ns) = 0;
  // Accesses of pmbench's warm-up for this pattern.
  virtual std::uint64_t warmup_accesses() const = 0;
  // A trace has been played to its end: the run is over. Ask before each refill.
  virtual bool exhausted() const { return false; }
  // Accesses to play from the last refilled block: fewer than all in a trace's last block.
  virtual std::size_t in_block() const { return kAccessBlock; }
  // Refills that had to wait, outside of any timed pair, because the trace reader was behind. > 0: a finding
  // (paging.trace_starved). Only such a wait makes a system call (sched_yield).
  virtual std::uint64_t starved() const { return 0; }
  // Why a trace ended before its end (the file changed while it was played); nullptr: it did not. A finding
  // (paging.trace_changed). Ask once exhausted.
  virtual const char* trouble() const { return nullptr; }
  // All that refilling touches, with the source itself: to be locked, and counted as measurement memory.
  virtual std::vector<std::span<const std::byte>> memory() const { return {}; }
};

// Pages are of 4 KiB: with huge pages several of them share one page of the mapping.
// Make one source for each thread of a process, in the process that runs the thread, before anything is locked. After
// that, a process that plays a trace must not fork: a thread reads the trace.
// `worker`: number of the thread over all processes. set_bytes: upper bound of the offsets (whole pages).
// Errors: usage (shape out of range, unknown name with the nearest), io (profile or trace unreadable).
base::Expected<std::unique_ptr<AccessSource>> make_source(const PatternPlan& plan, std::uint64_t set_bytes,
                                                          unsigned worker, unsigned workers);
// The same checks without making anything: before anything is set up. Reads a trace through once, and keeps the result
// for make_source() in this process and those it forks.
base::Expected<void> check_pattern(const PatternPlan& plan, std::uint64_t set_bytes);

// A pattern's actual parameters, if the plan leaves them to the pattern or to a profile. Errors: as check_pattern.
struct PatternFacts {
  double shape = 0;                             // given or the pattern's own; 0: the pattern has no shape
  double read_percent = 50;                     // < 0: as in the trace
  std::uint64_t profile_bytes = 0;              // the profile's working set; 0: no profile
  double profile_theta = 0, profile_error = 0;  // its exponent (< 0: unknown) and the error of that
};
base::Expected<PatternFacts> pattern_facts(const PatternPlan& plan, std::uint64_t set_bytes);

}  // namespace fathom::paging::sources
