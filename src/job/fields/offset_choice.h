// Options for a job's next offset and size, in addition to rw= and random_distribution=.
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

// zonemode=strided: zone_bytes are moved within range_bytes, then the zone advances by range_bytes + skip_bytes.
struct StridedZones : OfJob {
  bool used = false;  // zonemode=strided, or its sizes without a mode
  std::uint64_t zone_bytes = 0, range_bytes = 0, skip_bytes = 0;
};

}  // namespace fathom::job::fields
