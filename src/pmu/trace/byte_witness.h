// The witness of --audit=trace: what each process handed to the block layer of a disk, by the tracepoint
// block_bio_queue, which fires in the submitter's context. It tells the run's own bytes from anybody else's, which
// /sys/block cannot. Counts: source "trace", subject the disk, name "PID comm", a count a
// direction, in bytes; and "events", how many bios were seen, so that a disk that nobody used shows as looked at.
// Errors: as Tracepoints and tracefs_root. Thread rule: begin, tick and end from one thread; a thread of its own
// empties the rings. Closing tracepoints takes some 40 ms, so they are closed by the destructor and not by end().
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "result/witness.h"

namespace fathom::pmu::trace {

// disks: kernel names of whole disks ("vda"). prefix: before /sys, for tests of what is said where nothing is to be
// had.
std::unique_ptr<result::Witness> make_byte_witness(std::vector<std::string> disks, std::string prefix = "");

}  // namespace fathom::pmu::trace
