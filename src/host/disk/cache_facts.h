// The first CPU's caches from sysfs (Documentation/ABI/testing/sysfs-devices-system-cpu), for pmbench's machine_info.
// Thread-safe.
#pragma once
#include <string>
#include <vector>

#include "result/paging.h"

namespace fathom::host::disk {

// Empty if the kernel shows none (some virtual machines). `prefix` precedes /sys, for tests.
std::vector<result::PagingCache> cache_facts(const std::string& prefix = "");

}  // namespace fathom::host::disk
