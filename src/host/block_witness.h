// The block layer as a witness: /sys/block/NAME/stat of every disk under the targets and of what dm and md devices are
// built on, begin to end, and how much dirty memory waited to be written at either (/proc/meminfo): what was dirty
// before is written by somebody in the run, what is dirty afterwards has not reached the disk yet. Columns:
// host/disk/block_stat.h. Thread rule: one thread.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "result/witness.h"

namespace fathom::host {

// `prefix` stands before /sys and /proc, for tests. Counts: source "block", subject the disk, names read_sectors,
// write_sectors, discard_sectors (in bytes, raw in sectors), read_ios, write_ios, discard_ios, flush_ios, and of each
// of the four the time of its requests, read_time ... (in s, raw in ms), and of a disk whose counters were switched off
// (queue/iostats) iostats_off: at how many of the window's two ends; of a
// partition the same columns with source "partition"; source "memory", names dirty_begin, dirty_end.
std::unique_ptr<result::Witness> make_block_witness(const std::vector<std::string>& disks,
                                                    const std::string& prefix = "");
// The same of a window in which the run does nothing (--settle): source "idle_block", and no memory.
std::unique_ptr<result::Witness> make_idle_block_witness(const std::vector<std::string>& disks,
                                                         const std::string& prefix = "");

// Bytes that were written to memory and not yet to any disk: Dirty and Writeback of /proc/meminfo.
double dirty_bytes(const std::string& prefix = "");

}  // namespace fathom::host
