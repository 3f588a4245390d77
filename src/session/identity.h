// What tells a result from every other, and what its reports need to be printed again elsewhere.
#pragma once
#include <cstdint>
#include <optional>

#include "base/error.h"
#include "result/result.h"

namespace fathom::session {

// Whether it can be written; 0: the newest.
base::Expected<void> check_schema(int schema);

// Of the wall clock as this machine shows it at that time, against UTC; nothing: the zone does not say.
std::optional<int> utc_offset_s(std::uint64_t epoch_ms);

// A run id, the zone's offset at the time that the reports name, and the schema that was asked for (0: the newest).
void identify(result::Run& run, int schema);

}  // namespace fathom::session
