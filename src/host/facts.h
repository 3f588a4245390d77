// Facts of the machine and of the targets, for the result. Reads /proc, /sys and uname; changes nothing. What cannot be
// read (containers hide much of it) stays empty. Thread-safe.
#pragma once
#include <span>
#include "host/placement/placement.h"
#include "result/result.h"

namespace fathom::host {

// One DeviceFacts a target, in order, where it was found to lie. For a file, size_bytes and the rest are those of the disk that holds it; for a
// block device its own size (a partition's is the partition's) and its disk's model.
result::HostFacts collect_facts(std::span<const placement::Placement> targets);
result::DeviceFacts device_facts(const placement::Placement& target);

}  // namespace fathom::host
