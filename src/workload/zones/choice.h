// Chooses the place of an I/O in a zoned device. A job draws an offset as on any device; the offset selects the zone.
// Then a write goes to the write pointer, a read stays below it, and a trim resets a zone. The order of the choices is
// fio 3.42's, so that equal draws lead to equal places.
// A choice may need something first: the job's I/Os in flight must end, another job must leave a zone, or a zone must
// be reset or finished. The caller does it and asks again with the same wish. Nothing is changed until then, except
// that a zone may have become a target.
// Pure: the lock and the device are run/zones'. Thread rule: the holder of the lock.
#pragma once
#include <cstdint>

#include "io/request.h"
#include "workload/zones/zone.h"

namespace fathom::workload::zones {

// What a job's options require.
struct Rules {
  std::uint32_t job = 1;  // its number, from 1
  io::PerDir<std::uint32_t> min_bytes{};
  bool random = false;
  bool verifies = false;  // its writes are read back: a full zone is not written again
  bool read_beyond_wp = false, write_remainder = false;
  std::uint32_t max_targets = 0;  // job_max_open_zones
  std::uint64_t reset_every = 0;  // writes per reset, above reset_above; 0: no such resets
  std::uint64_t reset_above = 0;  // valid bytes
};

// The part of the device that the job uses: whole zones, unless all of them are conventional.
struct Window {
  std::uint64_t start = 0, length = 0;
  std::uint32_t first = 0, end = 0;  // zones; end: one past the last
  bool has(std::uint64_t offset) const { return offset - start < length; }
  bool has_zone(std::uint32_t index) const { return index >= first && index < end; }
};

inline constexpr std::uint32_t kNoZone = ~0u;

// A drawn I/O; the choice changes offset and length. The other members are the state of an unfinished choice.
struct Wish {
  io::Dir dir = io::Dir::read;
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
  std::uint32_t zone = kNoZone;   // continue with this zone; kNoZone: with that of the offset
  std::uint32_t taken = kNoZone;  // already made a target by this choice
  bool counted = false;           // for reset_every
};

struct Decision {
  enum class Kind : std::uint8_t {
    go,       // `zone` is begun, and its pointer moved; kNoZone: it needs no lock
    drain,    // the job's I/Os in flight have to end first
    wait,     // another job's I/Os in `zone`, or anywhere, have to end first
    reset,    // reset `zone`
    finish,   // finish `zone`
    recover,  // `zone` is doubtful
    over,     // no zone accepts the I/O: the file is done
    failed
  };
  Kind kind = Kind::over;
  std::uint32_t zone = kNoZone;
  int err = 0;  // failed
  const char* why = "";
};

// drained: the job has no I/O in flight.
Decision choose(ZoneSet& zones, const Rules& rules, const Window& window, Wish& wish, bool drained);

}  // namespace fathom::workload::zones
