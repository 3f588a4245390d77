// The cross-check of --audit=trace: the bytes that each process submitted to the block layer of a disk, by the
// tracepoint block_bio_queue, which fires in the submitter's context. Unlike /sys/block, it distinguishes the run's own
// bytes from those of other processes. Counts: source "trace", subject the disk, name "PID comm", one count per
// direction, in bytes; and "events", the number of bios seen, so that an unused disk shows as observed.
// Errors: as Tracepoints and tracefs_root.
// Thread rule: begin, tick and end from one thread; a separate thread empties the rings. Closing tracepoints takes some
// 40 ms, so the destructor closes them, not end().
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "result/witness.h"

namespace fathom::pmu::trace {

// disks: kernel names of whole disks ("vda"). prefix: before /sys, for tests of the errors on a machine without
// tracefs.
std::unique_ptr<result::Witness> make_byte_witness(std::vector<std::string> disks, std::string prefix = "");

}  // namespace fathom::pmu::trace
