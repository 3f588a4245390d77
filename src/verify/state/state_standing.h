// The status of one write according to a state. The reader queries it before it compares a block: a write that was not
// acknowledged may be present, absent or partial, and none of these is an error of the storage.
//
// Versions 5 to 7 answer by numberio: a write below the issued count and in no slot was acknowledged. Slots above the
// reading job's iodepth are version 7's failed writes; the file does not store where they begin.
//
// Versions 3 and 4 store only the latest completions, by offset, and answer only for the last `depth` writes. One of
// these that is missing in the list may be in flight, or may have completed long before the others. In either case a
// difference does not count as an error of the storage. An older write is certainly acknowledged only at depth 1. At
// higher depths one write can stall while any number of others pass it (fio's issue 1950: fio verifies it, and reports
// an error). Its status is `unknown`: read it back, but do not report a difference as a loss. If an offset was written
// twice within the last `depth` writes, an entry does not show which of them completed.
//
// A state saved by fathom answers by numberio in any version: the numbers are behind fio's part (state_own.h).
// Source: fio's documentation of verify_state_load, runs of 3.33, its issue 1950. Immutable after construction; any
// thread. A query of version 5 is two binary searches in the slots.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "verify/state/state_file.h"

namespace fathom::verify::state {

enum class Standing : std::uint8_t {
  acknowledged,  // must be present
  in_flight,     // may be present
  not_issued,    // or, in version 7 of a job with verify_policy=fsynced: not followed by an fsync
  failed,        // reported an error
  unknown,       // issued long ago; the state does not show whether it ended
};
const char* name(Standing standing);  // "acknowledged", "in flight", ...

// True if fio reads back a write with this status. It stops the whole verification at the first write that is in flight
// or was not issued, and skips failed ones.
constexpr bool is_read_back(Standing standing) {
  return standing == Standing::acknowledged || standing == Standing::unknown;
}

// One write of the job that saved the state.
struct AskedWrite {
  std::uint64_t number = 0;            // numberio: how many writes the job had issued before it
  std::uint64_t file = 0, offset = 0;  // used by versions 3 and 4
};

class Standings {
 public:
  // iodepth: of the reading job; must equal that of the writing job.
  Standings(const State& state, std::uint32_t iodepth);
  Standing of(const AskedWrite& write) const;
  // fio's line at the end of verification, "Stop verify because seq 7 was an inflight write"; empty: fio prints no
  // line.
  std::string stop_text(const AskedWrite& write) const;

 private:
  Standing by_number(std::uint64_t number) const;
  Standing by_offset(const AskedWrite& write) const;

  bool by_offset_;
  std::uint64_t issued_, depth_;
  std::vector<std::uint64_t> in_flight_, failed_;  // sorted
  std::vector<CompletedWrite> completed_;          // sorted
  std::vector<std::uint64_t> doubtful_zero_;       // files that may have only padding at offset 0; sorted
};

}  // namespace fathom::verify::state
