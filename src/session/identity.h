// Identifies a result among all others, and adds what its reports need to be printed again elsewhere.
#pragma once
#include <cstdint>
#include <optional>

#include "result/result.h"

namespace fathom::session {

// Offset of this machine's wall clock from UTC at that time; empty: the zone is unknown.
std::optional<int> utc_offset_s(std::uint64_t epoch_ms);

// Sets a run id, and the zone's offset at the time that the reports show.
void identify(result::Run& run);

}  // namespace fathom::session
