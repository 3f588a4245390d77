// What tells a result from every other, and what its reports need to be printed again elsewhere.
#pragma once
#include <cstdint>
#include <optional>

#include "result/result.h"

namespace fathom::session {

// Of the wall clock as this machine shows it at that time, against UTC; nothing: the zone does not say.
std::optional<int> utc_offset_s(std::uint64_t epoch_ms);

// A run id, and the zone's offset at the time that the reports name.
void identify(result::Run& run);

}  // namespace fathom::session
