// Hit, minor or major: by what the kernel counted for the thread since the counters were last read.
//
// Problem: a latency cannot tell them apart (a cold hit takes longer than a warm minor fault), and reading the counters
// around every access would cost more than the access.
//
// Choice: they are read after slow accesses only, outside the timed pair, and once a block beside the refill, so that a
// fault of the tool itself is not put down to the next slow access. Slow begins at half of the fastest
// fault of this machine, above the floor of a timed pair (stamp_floor.h), so that no fault is missed; what was slow for
// another reason finds the counters as they were and stays a hit. Every fault that the kernel counted is in one place: an access's class,
// extra (a second fault of one access), or own; the sum is held against the thread's counters at the end.
//
// Source: getrusage(2), RUSAGE_THREAD; mm_account_fault() in the kernel's mm/memory.c (one count a fault that is over).
// Pure but for read_faults(). Thread rule: one a thread.
#pragma once
#include <cstdint>

#include "result/paging.h"

namespace fathom::paging {

struct FaultCounts {
  std::uint64_t minor = 0, major = 0;
};
// Of the calling thread, since it began.
FaultCounts read_faults();

// All-zero bytes are an empty ledger. Every fault between begin() and the last entry is in exactly one of: an access's
// class, extra, own.
class FaultLedger {
 public:
  void begin(FaultCounts now) {
    *this = {};
    begin_ = last_ = now;
  }
  // After a slow access. Its own fault names the class, the worst one first; any more are extra.
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
  // Where no slow access has happened since the last entry: whatever was counted is the tool's own.
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

// How far the classes are from what the kernel counted: share of the larger of the two, 0..1.
double class_difference(std::uint64_t classed, std::uint64_t counted);

}  // namespace fathom::paging
