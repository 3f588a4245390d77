// Cross-check by the block layer: /sys/block/NAME/stat of each disk under the targets, and of the devices below dm and
// md devices, from begin to end. It also reports dirty memory at begin and end (/proc/meminfo). Data that was dirty
// before the run is written during it, and data that is dirty afterwards has not reached the disk yet. Columns:
// host/disk/block_stat.h. Thread rule: one thread.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "result/witness.h"

namespace fathom::host {

// `prefix` precedes /sys and /proc, for tests. Counts with source "block": the subject is the disk. Names:
// read_sectors, write_sectors, discard_sectors (in bytes, raw in sectors), read_ios, write_ios, discard_ios, flush_ios,
// and for each of the four the time of its requests, read_time ... (in s, raw in ms). iostats_off, if the disk's
// counters were off (queue/iostats): at how many of the interval's two ends. A partition has the same columns with
// source "partition". Source "memory": names dirty_begin, dirty_end.
std::unique_ptr<result::Witness> make_block_witness(const std::vector<std::string>& disks,
                                                    const std::string& prefix = "");
// The same for an interval in which the run does nothing (--settle): source "idle_block", and no memory counts.
std::unique_ptr<result::Witness> make_idle_block_witness(const std::vector<std::string>& disks,
                                                         const std::string& prefix = "");

// Bytes that were written to memory and not yet to a disk: Dirty and Writeback of /proc/meminfo.
double dirty_bytes(const std::string& prefix = "");

}  // namespace fathom::host
