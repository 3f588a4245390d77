// The swap device's own latency for a page: single reads of 4 KiB at random places with O_DIRECT, one at a time, while
// the swap is still on and holds what was swapped. This is the paper's "media latency", and the only source if the
// kernel's tracepoints may not be used. Each time includes one system call (open(2), O_DIRECT; the page cache and the
// swap cache are not touched). A page that reads as zeroes is not counted: an empty slot of zram, or blocks that were
// never written, are answered without the device. Thread rule: any thread.
#pragma once
#include <cstdint>
#include <string>

#include "base/error.h"
#include "result/paging.h"

namespace fathom::paging::memory {

struct DirectReadPlan {
  std::string path{};            // "/dev/zram0", "/dev/loop3", a swap file
  std::string disk{};            // the disk under it
  std::uint64_t size_bytes = 0;  // 0: all of it
  double seconds = 0.3;
  std::uint64_t most_reads = 100'000;
  std::uint64_t seed = 1;
};

// by = "direct reads"; read_bytes: of the counted pages; seen_share: their share of all pages read. `cause`: why no
// page counted. Errors: privilege, io (it cannot be opened, or not with O_DIRECT; a read failed).
base::Expected<result::DeviceTime> direct_reads(const DirectReadPlan& plan);

}  // namespace fathom::paging::memory
