// Which accesses come next, in blocks: the one indirect call that the touch loop makes, once a block, between two timed
// pairs. A source holds all it needs in memory that was there before the run (it is locked with everything else), makes
// no system call and does not allocate. Thread rule: one thread a source.
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
  // All of `out`. elapsed_ns: since the measured window began (patterns that move); during the warm-up 0.
  virtual void refill(std::span<Access, kAccessBlock> out, std::uint64_t elapsed_ns) = 0;
  // How many accesses pmbench's warm-up makes of it.
  virtual std::uint64_t warmup_accesses() const = 0;
  // A trace that has been played to its end: the run is over. Ask before each refill.
  virtual bool exhausted() const { return false; }
  // How many accesses of the block that refill has just made are to be played: fewer than all in a trace's last block.
  virtual std::size_t in_block() const { return kAccessBlock; }
  // Refills that had to wait, outside of any timed pair, because what reads the trace was behind: a finding
  // (paging.trace_starved) when > 0. Only such a wait makes a system call (sched_yield).
  virtual std::uint64_t starved() const { return 0; }
  // Why a trace ended before its end (the file changed while it was played); nullptr: it did not. A finding
  // (paging.trace_changed). Ask once exhausted.
  virtual const char* trouble() const { return nullptr; }
  // All that refilling touches, the source itself included: to be locked, and counted as the measurement's own.
  virtual std::vector<std::span<const std::byte>> memory() const { return {}; }
};

// Pages are of 4 KiB: with huge pages several of them share one page of the mapping.
// One source for each thread of a process, made in the process that runs them, before anything is locked.
// `worker`: number of the thread over all processes. set_bytes: what the offsets stay below (whole pages).
// Errors: usage (shape out of range, unknown name with the nearest), io (profile or trace unreadable).
base::Expected<std::unique_ptr<AccessSource>> make_source(const PatternPlan& plan, std::uint64_t set_bytes,
                                                          unsigned worker, unsigned workers);
// A trace must not be played by a process that forks after this call: a thread reads it.
// The same checks without making anything: before anything is set up. A trace is read through once (what it found is
// kept for make_source, in this process and those it forks).
base::Expected<void> check_pattern(const PatternPlan& plan, std::uint64_t set_bytes);

// What a pattern is in truth, where the plan leaves it to the pattern or to a profile. Errors: as check_pattern.
struct PatternFacts {
  double shape = 0;                             // given or its own; 0: it has none
  double read_percent = 50;                     // < 0: as the trace has them
  std::uint64_t profile_bytes = 0;              // the profile's working set; 0: no profile
  double profile_theta = 0, profile_error = 0;  // its exponent (< 0: not known) and the error of that
};
base::Expected<PatternFacts> pattern_facts(const PatternPlan& plan, std::uint64_t set_bytes);

}  // namespace fathom::paging::sources
