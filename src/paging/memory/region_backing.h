// The backing of a region: a file of the user, a file made for the run, kernel memory, or huge pages.
// Thread-safe.
#pragma once
#include <cstdint>

#include "base/error.h"
#include "base/system/fd.h"
#include "paging/plan.h"

namespace fathom::paging::memory {

// The file to map; empty for anonymous memory and huge pages. set_bytes: what will be touched; map_bytes: length of a
// file that is made. Errors: usage, refused (content would be destroyed), io, privilege.
base::Expected<base::system::UniqueFd> open_backing(const RegionPlan& plan, std::uint64_t map_bytes,
                                                    std::uint64_t set_bytes);

// Whether an existing file may be mapped, with the same errors. Does not check a file that would be made.
base::Expected<void> check_backing(const RegionPlan& plan, std::uint64_t set_bytes);

// The kernel's default huge page size; 0: no huge pages.
std::uint64_t huge_page_bytes();
// Why a map of `bytes` in huge pages was refused, with the numbers, and how to reserve them.
base::Error huge_pages_missing(std::uint64_t bytes, std::uint64_t page_bytes, int err);

}  // namespace fathom::paging::memory
