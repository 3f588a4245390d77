// The worker's side of a verify state (verify/state/state_live.h): before a write is submitted its number is in a slot, and it
// leaves the slot when the write has ended. Engines say of an ended write what it was, not which number it had, so those
// in flight are found again by where they end: of one that came back short only the rest is told. Two in flight to the
// very same place need not be told apart, for as long as one of them is there nothing is demanded of the place.
// Thread rule: the worker's. No allocation after the constructor; an I/O costs a look into a small table.
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

  // A write that is about to be submitted. overlaps: another one to the same place is in flight.
  void issued(std::uint64_t number, const io::Request& write, const Versions* versions, bool overlaps);
  void ended(const io::Request& write, bool well);
  // There is no map of the last writes: who reads back demands nothing by its number.
  void lose_order() { live_.add_flag(verify::state::OwnRun::kOrderUnknown); }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct Flying {
    io::Request write;
    std::uint64_t number = 0;
    std::uint32_t next = kNone;  // of those that end at places of one bucket
  };
  struct Disordered {
    io::Request write;
    std::uint64_t number;
  };
  std::uint32_t& bucket_of(const io::Request& write);
  // The link to the one that this is the end of; to kNone: there is none.
  std::uint32_t* link_to(const io::Request& ended);
  void add_disordered(std::uint64_t number, const io::Request& write, const Versions* versions);
  void forget_overwritten(const Versions& versions);

  verify::state::LiveState& live_;
  const std::span<verify::state::AtomicNumber> slots_;  // of it
  verify::state::AtomicNumber& issued_;
  const bool lists_places_;
  std::vector<Flying> flying_;       // by slot
  std::vector<std::uint32_t> free_;  // slots
  std::vector<std::uint32_t> buckets_;
  std::vector<Disordered> disordered_;  // as in the state
};

}  // namespace fathom::run::checks
