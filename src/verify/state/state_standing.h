// What a state says of one write. Whoever reads back asks this before a block is compared: a write that was not
// acknowledged may be there, or not, or in part, and none of that is the storage's fault.
//
// Versions 5 to 7 answer by numberio: below the writes issued and in no slot, it was acknowledged. The slots behind the
// reading job's iodepth are version 7's failed writes; the file does not say where they begin.
//
// Versions 3 and 4 keep only the latest completions, by offset, and answer for the last `depth` writes alone. One of
// those that is not in the list may be in flight, or have completed long before the others; either way it is not
// held against the storage. An older one is acknowledged for sure only at depth 1: with more, one write can stall
// while any number of others pass it (fio's issue 1950: fio verifies it, and accuses). It is `unknown`: read it back,
// but do not call a difference a loss. Where an offset was written twice within the last `depth` writes, an entry does
// not tell which of them it was.
//
// A state that fathom saved answers by numberio whatever its version: the numbers stand behind fio's part (state_own.h).
// Source: fio's documentation of verify_state_load, runs of 3.33, its issue 1950. Immutable after it is made; any
// thread may ask. A question of version 5 is two binary searches among the slots.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "verify/state/state_file.h"

namespace fathom::verify::state {

enum class Standing : std::uint8_t {
  acknowledged,  // it must be there
  in_flight,     // it may be there
  not_issued,    // version 7 of a job with verify_policy=fsynced: or not followed by an fsync
  failed,        // an error was reported for it
  unknown,       // it was issued long ago, and the state cannot tell whether it ended
};
const char* name(Standing standing);  // "acknowledged", "in flight", ...

// fio reads a write back whose standing is this one. It ends the whole verification at the first that is in flight or
// was not issued, and passes over those that failed.
constexpr bool is_read_back(Standing standing) {
  return standing == Standing::acknowledged || standing == Standing::unknown;
}

// One write of the job that saved the state.
struct AskedWrite {
  std::uint64_t number = 0;            // numberio: how many writes the job had issued before it
  std::uint64_t file = 0, offset = 0;  // asked for by versions 3 and 4
};

class Standings {
 public:
  // iodepth: of the job that reads, which is to be that of the job that wrote.
  Standings(const State& state, std::uint32_t iodepth);
  Standing of(const AskedWrite& write) const;
  // fio's line for where it ends, "Stop verify because seq 7 was an inflight write"; empty where fio says nothing.
  std::string stop_text(const AskedWrite& write) const;

 private:
  Standing by_number(std::uint64_t number) const;
  Standing by_offset(const AskedWrite& write) const;

  bool by_offset_;
  std::uint64_t issued_, depth_;
  std::vector<std::uint64_t> in_flight_, failed_;  // sorted
  std::vector<CompletedWrite> completed_;          // sorted
  std::vector<std::uint64_t> doubtful_zero_;       // files whose only entries of offset 0 may be filling; sorted
};

}  // namespace fathom::verify::state
