// How often operator new was called in this test program, by any thread.
#pragma once
#include <cstdint>

namespace fathom::paging {

std::uint64_t allocations_so_far();

}  // namespace fathom::paging
