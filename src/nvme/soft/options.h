// Options of an emulated controller, as plain data: the text after `soft:`, and the arguments of `fathom nvme serve`.
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

// Faults that can be injected. `after` and `every` choose the I/O command, except for the last two:
//   status          the command is not executed and ends in `sc` (default 0x281: unrecovered read error)
//   drop            it is executed, but its completion is never posted
//   late            its completion is posted `by` later (default 10 ms)
//   duplicate_cid   its completion is posted twice
//   wrong_phase     its completion is posted with the previous lap's phase tag: a driver cannot see it
//   fatal           CSTS.CFS is set, and the controller does nothing until a controller reset
//   removal         the device is gone: registers read as all ones, and it does nothing more
//   never_ready     CSTS.RDY is never set after CC.EN
//   unmap_drops_next  over vfio-user: when the driver unmaps a region of its memory, a queue that begins exactly
//                   at the region's end is dropped too, as SPDK's target does; its commands are never completed
enum class FaultKind { status, drop, late, duplicate_cid, wrong_phase, fatal, removal, never_ready, unmap_drops_next };
struct Fault {
  FaultKind kind = FaultKind::status;
  std::uint64_t after = 0;             // I/O commands that succeed first
  std::uint64_t every = 0;             // 0: once
  std::uint16_t status = 0x281;        // FaultKind::status: SC and SCT as in a completion, without the phase bit
  std::uint64_t late_ns = 10'000'000;  // FaultKind::late
};

struct Options {
  std::uint32_t id = 0;  // tells apart two controllers with the same options
  std::uint64_t size_bytes = 1ull << 30;
  std::uint32_t block_bytes = 4096;  // 512 or 4096
  std::uint32_t namespaces = 1;
  Media media = Media::ram;
  std::string file;       // Media::file
  std::uint8_t mdts = 5;  // 2^mdts pages of 4 KiB; 0: no limit
  std::uint32_t queue_entries_max = 4096;
  std::uint32_t io_queues_max = 64;
  std::uint8_t cqes = 4;  // largest completion entry offered: 4, 5 or 6 (2^cqes bytes)
  LatencyModel latency;
  std::vector<Fault> faults;
  bool has_fault(FaultKind kind) const {
    for (const Fault& fault : faults)
      if (fault.kind == kind) return true;
    return false;
  }
  std::uint8_t doorbell_stride = 0;  // CAP.DSTRD: doorbells 4 << doorbell_stride bytes apart
  std::uint64_t doorbell_ns = 0;     // model: cost in ns of each doorbell write of the driver
  bool stepped = false;              // true: no device thread; each call of Transport::idle() is one step
  int cpu = -1;                      // CPU of its thread; -1: any
  std::uint64_t seed = 1;            // for the latency model
};

// "size=1g,bs=512,ideal,latency=lognormal:80us:0.3,fault=status:after=100:sc=0x281,step" -> Options.
// ErrorKind::usage names the key and lists the known keys.
base::Expected<Options> parse_options(std::string_view text);

}  // namespace fathom::nvme::soft
