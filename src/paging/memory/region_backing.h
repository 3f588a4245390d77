// What lies behind a region: a file of the user's, a file made for the run, memory of the kernel's, or huge pages.
// Thread-safe.
#pragma once
#include <cstdint>

#include "base/error.h"
#include "base/system/fd.h"
#include "paging/plan.h"

namespace fathom::paging::memory {

// The file to map; none for anonymous memory and huge pages. set_bytes: what will be touched; map_bytes: how long a
// file is made. Errors: usage, refused (content would be destroyed), io, privilege.
base::Expected<base::system::UniqueFd> open_backing(const RegionPlan& plan, std::uint64_t map_bytes,
                                                    std::uint64_t set_bytes);

// Whether a file that exists may be mapped, in the same words; of what would be made, nothing is known yet.
base::Expected<void> check_backing(const RegionPlan& plan, std::uint64_t set_bytes);

// The kernel's default huge page; 0: it has none.
std::uint64_t huge_page_bytes();
// Why a map of so many bytes in huge pages was refused, with the numbers, and how to reserve them.
base::Error huge_pages_missing(std::uint64_t bytes, std::uint64_t page_bytes, int err);

}  // namespace fathom::paging::memory
