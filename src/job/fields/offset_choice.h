// Options for a job's next offset and size, in addition to rw= and random_distribution=; and zonemode=: strided moves a
// window, zbd follows the write pointers of a zoned device.
#pragma once
#include <cstdint>
#include <vector>

#include "job/job.h"

namespace fathom::job::fields {

enum class Generator : std::uint8_t { own, tausworthe, lfsr, tausworthe64 };

struct OffsetChoice : OfJob {
  Generator generator = Generator::own;
  PerDir<unsigned> percentage_random{100, 100, 100};
  bool softrandommap = false;
  bool bs_is_seq_rand = false;
  std::uint64_t offset_align = 0;       // 0: the smallest block
  std::vector<std::uint64_t> sequence;  // random_distribution=sequence: block numbers; empty: another distribution
  bool sequence_stride = false;
  unsigned num_range = 1;  // ranges of a trim
};

// sprandom: a random preconditioning in one pass (workload/places/sprandom.h).
struct SpRandom : OfJob {
  bool used = false;
  double over_provisioning = 0.15;  // of the drive, as a share of its size
  std::uint64_t regions = 100;
  std::uint64_t cache_bytes = 0;  // of the drive; 0: unknown
};

enum class ZoneMode : std::uint8_t { none, strided, zbd };

// zonemode=strided: zone_bytes are moved within range_bytes, then the zone advances by range_bytes + skip_bytes.
struct StridedZones : OfJob {
  bool used = false;  // zonemode=strided, or its sizes without a mode
  std::uint64_t zone_bytes = 0, range_bytes = 0, skip_bytes = 0;
};

// Sizes that are given as a number of zones (size=4z). They become bytes when the size of a zone is known.
struct SizesInZones : OfJob {
  std::uint64_t size = 0, io_size = 0, offset = 0, offset_increment = 0, skip = 0;  // zones; 0: given in bytes
};

// zonemode=zbd: writes go to the write pointers, and reads stay below them.
struct ZonedDevice : OfJob {
  bool used = false;
  std::uint64_t zone_bytes = 0;      // 0: the device's
  std::uint64_t capacity_bytes = 0;  // of an emulated zone; 0: zone_bytes
  std::uint64_t skip_bytes = 0;      // after a zone, in a sequential job
  bool read_beyond_wp = false;
  std::uint32_t max_open_zones = 0;      // written at a time, by all jobs; 0: the device's limit
  std::uint32_t job_max_open_zones = 0;  // by this job; 0: no limit
  bool ignore_limits = false;            // of the device
  double reset_threshold = 0;            // share of the window with valid data, from which resets are due
  double reset_frequency = 0;            // resets per write, above that share; 0: none
  bool recover_write_error = false;
  bool write_remainder = false;  // writes the end of a zone that is smaller than a block
};

inline bool has_zones(const Job& job) { return job.of<StridedZones>().used || job.of<ZonedDevice>().used; }

}  // namespace fathom::job::fields
