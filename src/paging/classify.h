// Classifies an access as hit, minor or major by the faults that the kernel counted for the thread since the last read.
//
// Problem: a latency does not show the class (a cold hit takes longer than a warm minor fault), and reading the
// counters around every access would cost more than the access.
//
// Choice: read the counters only after slow accesses, outside the timed pair, and once per block at the refill. The
// read at the refill keeps a fault of the tool itself from being attributed to the next slow access. Slow begins at
// half of this machine's fastest fault, above the floor of a timed pair (stamp_floor.h), so no fault is missed. If an
// access was slow for another reason, the counters are unchanged and it stays a hit. Every fault that the kernel
// counted is in one place: an access's class, extra (a second fault of one access), or own. At the end, the sum is
// compared with the thread's counters.
//
// Source: getrusage(2), RUSAGE_THREAD; mm_account_fault() in the kernel's mm/memory.c (one count per completed fault).
// Pure except read_faults(). Thread rule: one per thread.
#pragma once
#include <cstdint>

#include "result/paging.h"

namespace fathom::paging {

struct FaultCounts {
  std::uint64_t minor = 0, major = 0;
};
// Counts of the calling thread since it started.
FaultCounts read_faults();

// All-zero bytes are an empty ledger. Every fault between begin() and the last entry is in exactly one of: an access's
// class, extra, own.
class FaultLedger {
 public:
  void begin(FaultCounts now) {
    *this = {};
    begin_ = last_ = now;
  }
  // After a slow access. Its own fault sets the class, the worst one first; further faults are extra.
  result::AccessClass slow_access(FaultCounts now) {
    const std::uint64_t minor = now.minor - last_.minor, major = now.major - last_.major;
    last_ = now;
    ++lookups_;
    if (minor + major == 0) {
      ++slow_hits_;
      return result::AccessClass::hit;
    }
    extra_ += minor + major - 1;
    majors_ += major != 0;
    minors_ += major == 0;
    return major != 0 ? result::AccessClass::major : result::AccessClass::minor;
  }
  // Call if no slow access has happened since the last entry: all counted faults are then the tool's own.
  void between(FaultCounts now) {
    own_ += now.minor - last_.minor + now.major - last_.major;
    last_ = now;
  }
  FaultCounts counted() const { return {last_.minor - begin_.minor, last_.major - begin_.major}; }
  std::uint64_t minors() const { return minors_; }  // accesses of the class
  std::uint64_t majors() const { return majors_; }
  std::uint64_t lookups() const { return lookups_; }
  std::uint64_t slow_hits() const { return slow_hits_; }
  std::uint64_t extra() const { return extra_; }
  std::uint64_t own() const { return own_; }

 private:
  FaultCounts begin_, last_;
  std::uint64_t minors_ = 0, majors_ = 0, lookups_ = 0, slow_hits_ = 0, extra_ = 0, own_ = 0;
};

// Difference between classified and counted faults, as a share of the larger of the two, 0..1.
double class_difference(std::uint64_t classed, std::uint64_t counted);

}  // namespace fathom::paging
