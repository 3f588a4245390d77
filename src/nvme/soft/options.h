// What a soft controller is like: the text after `soft:` and of `fathom nvme serve`, as plain data.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fathom::nvme::soft {

enum class Media { ideal, ram, file };  // ideal: commands complete and no data moves

// The time from fetching an I/O command to posting its completion. Data moves when the command is fetched.
//   none                            at once
//   fixed:80us                      always the same
//   lognormal:80us:0.3              median, and the standard deviation of the natural logarithm
//   table:0.5=80us;0.99=200us;1=1ms half of the commands take 80 us, those up to 99 % 200 us, the rest 1 ms
struct LatencyModel {
  enum class Kind { none, fixed, lognormal, table } kind = Kind::none;
  std::uint64_t fixed_ns = 0;                           // fixed; lognormal: the median
  double sigma = 0;                                     // lognormal
  std::vector<std::pair<double, std::uint64_t>> table;  // (cumulative share 0..1, ns), rising
};

// What can be made to go wrong, each at an I/O command chosen by `after` and `every` but the last two:
//   status          the command is not carried out and ends in `sc` (default 0x281: unrecovered read error)
//   drop            it is carried out and its completion never posted
//   late            its completion comes `by` later (default 10 ms)
//   duplicate_cid   its completion is posted twice
//   wrong_phase     its completion is posted with the phase tag of the lap before: a driver cannot see it
//   fatal           CSTS.CFS is set and nothing is done any more until a controller reset
//   removal         the device is gone: registers read as all ones, nothing is done any more
//   never_ready     CSTS.RDY never comes after CC.EN
//   unmap_drops_next  over vfio-user: when a region of the driver's memory is unmapped, a queue that begins exactly
//   where
//                   the region ends is dropped too, as SPDK's target does, and no command on it is ever answered
enum class FaultKind { status, drop, late, duplicate_cid, wrong_phase, fatal, removal, never_ready, unmap_drops_next };
struct Fault {
  FaultKind kind = FaultKind::status;
  std::uint64_t after = 0;             // I/O commands that go well first
  std::uint64_t every = 0;             // 0: once
  std::uint16_t status = 0x281;        // FaultKind::status: SC and SCT as in a completion, without the phase bit
  std::uint64_t late_ns = 10'000'000;  // FaultKind::late
};

struct Options {
  std::uint32_t id = 0;  // two controllers with the same options are two by their id
  std::uint64_t size_bytes = 1ull << 30;
  std::uint32_t block_bytes = 4096;  // 512 or 4096
  std::uint32_t namespaces = 1;
  Media media = Media::ram;
  std::string file;       // Media::file
  std::uint8_t mdts = 5;  // 2^mdts pages of 4 KiB; 0: no limit
  std::uint32_t queue_entries_max = 4096;
  std::uint32_t io_queues_max = 64;
  std::uint8_t cqes = 4;  // largest completion entry it offers: 4, 5 or 6 (2^cqes bytes)
  LatencyModel latency;
  std::vector<Fault> faults;
  bool has_fault(FaultKind kind) const {
    for (const Fault& fault : faults)
      if (fault.kind == kind) return true;
    return false;
  }
  std::uint8_t doorbell_stride = 0;  // CAP.DSTRD: doorbells 4 << doorbell_stride bytes apart
  std::uint64_t doorbell_ns = 0;     // a model: what a doorbell write of the driver shall cost
  bool stepped = false;              // true: no thread of its own; Transport::idle() takes a step
  int cpu = -1;                      // where its thread runs; -1: anywhere
  std::uint64_t seed = 1;            // of the latency model
};

// "size=1g,bs=512,ideal,latency=lognormal:80us:0.3,fault=status:after=100:sc=0x281,step" -> Options. ErrorKind::usage
// names the key and lists the known ones.
base::Expected<Options> parse_options(std::string_view text);

}  // namespace fathom::nvme::soft
