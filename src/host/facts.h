// Facts about the machine and the targets, for the result. Reads /proc, /sys and uname; changes nothing. Facts that
// cannot be read (containers hide many) stay empty. Thread-safe.
#pragma once
#include <span>
#include "host/placement/placement.h"
#include "result/result.h"

namespace fathom::host {

// One DeviceFacts per target, in order, for its location. For a file, size_bytes and the rest are those of the disk
// that holds it. For a block device, the size is its own (for a partition, the partition's) and the model is its
// disk's.
result::HostFacts collect_facts(std::span<const placement::Placement> targets);
result::DeviceFacts device_facts(const placement::Placement& target);

}  // namespace fathom::host
