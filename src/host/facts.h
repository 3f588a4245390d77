// Facts of the machine and of the targets, for the result. Reads /proc, /sys and uname; changes nothing. What cannot be
// read (containers hide much of it) stays empty. Thread-safe.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "result/result.h"

namespace fathom::host {

// One DeviceFacts a path, in order. For a file, size_bytes and the rest are those of the disk that holds it; for a
// block device its own size (a partition's is the partition's) and its disk's model.
result::HostFacts collect_facts(std::span<const std::string> target_paths);
result::DeviceFacts device_facts(const std::string& target_path);

}  // namespace fathom::host
