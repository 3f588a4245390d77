// The text of a stored verdict or drift: a line with its kind, then `key value` lines. Parsing is strict. There is no
// value if a key is missing, duplicate or unknown, a number has trailing characters, the CPUs are not ascending, or the
// boot or version differs. Thread rule: pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "clock/drift.h"
#include "clock/verdict.h"

namespace fathom::clock {

struct StoredVerdict {
  TestSummary test;
  std::uint64_t stored_at_ns = 0;  // CLOCK_BOOTTIME
};

std::string verdict_text(const StoredVerdict& verdict, std::string_view boot_id);
std::optional<StoredVerdict> parse_verdict(std::string_view text, std::string_view boot_id);

std::string drift_text(const Drift& drift, std::string_view boot_id);
std::optional<Drift> parse_drift(std::string_view text, std::string_view boot_id);

}  // namespace fathom::clock
