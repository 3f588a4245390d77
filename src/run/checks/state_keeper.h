// The worker's side of a verify state (verify/state/state_live.h). A write's number is in a slot from before its
// submission until the write has ended. Engines report the request of an ended write, not its number. Writes in flight
// are therefore found by where they end: for a short write, only the rest is reported. Two writes in flight to the same
// place need not be distinguished: while one of them is in flight, nothing is required of the place.
// Thread rule: the worker's. No allocation after the constructor. An I/O costs a lookup in a small table.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "io/request.h"
#include "run/checks/versions.h"
#include "verify/state/state_live.h"

namespace fathom::run::checks {

class StateKeeper {
 public:
  // `live` outlives it.
  explicit StateKeeper(verify::state::LiveState& live);

  // Call it before a write is submitted. overlaps: another write to the same place is in flight.
  void issued(std::uint64_t number, const io::Request& write, const Versions* versions, bool overlaps);
  void ended(const io::Request& write, bool well);
  // There is no map of the last writes: a read-back requires no write by its number.
  void lose_order() { live_.add_flag(verify::state::OwnRun::kOrderUnknown); }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct Flying {
    io::Request write;
    std::uint64_t number = 0;
    std::uint32_t next = kNone;  // in the same bucket, by where the write ends
  };
  struct Disordered {
    io::Request write;
    std::uint64_t number;
  };
  std::uint32_t& bucket_of(const io::Request& write);
  // The link to the write that `ended` completes; a link to kNone: no such write.
  std::uint32_t* link_to(const io::Request& ended);
  void add_disordered(std::uint64_t number, const io::Request& write, const Versions* versions);
  void forget_overwritten(const Versions& versions);

  verify::state::LiveState& live_;
  const std::span<verify::state::AtomicNumber> slots_;  // of live_
  verify::state::AtomicNumber& issued_;
  const bool lists_places_;
  std::vector<Flying> flying_;       // by slot
  std::vector<std::uint32_t> free_;  // free slots
  std::vector<std::uint32_t> buckets_;
  std::vector<Disordered> disordered_;  // the same as in the state
};

}  // namespace fathom::run::checks
