// Numbers with storage units: 4k, 10s, 50%, 1.5g. Strict: an unknown suffix is an error (fio takes `4x` as 4 bytes).
// The error text is a short cause only; the caller knows the option and the place.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fathom::base::text {

// "4k", "1m", "0x1000", "512b", "1.5g" -> bytes. k, kb and ki count kb_base. kib counts the other base (1000 when
// kb_base is 1024, 1024 when it is 1000), as in fio: 4kib is 4000 bytes unless kb_base=1000. Negative numbers and
// overflow are errors.
Expected<std::uint64_t> parse_bytes(std::string_view text, unsigned kb_base = 1024);

// "10" (in `default_unit`), "10s", "500ms", "20us", "5ns", "2m", "1h", "1d", "1:30" (m:s), "1:00:00" -> nanoseconds.
// default_unit_ns: nanoseconds per unit of a bare number.
Expected<std::uint64_t> parse_duration_ns(std::string_view text, std::uint64_t default_unit_ns);

// "12", "-3", "0x1f" -> integer; anything after the number is an error.
Expected<std::int64_t> parse_int(std::string_view text);

// "1.25" -> double; anything after the number is an error.
Expected<double> parse_double(std::string_view text);

// "50%" -> 50.0; without '%' an error.
Expected<double> parse_percent(std::string_view text);

std::string_view trim(std::string_view text);
std::string to_lower(std::string_view text);

// Edit distance for "did you mean": Levenshtein's, with a swap of neighbors as one edit.
unsigned edit_distance(std::string_view a, std::string_view b);

}  // namespace fathom::base::text
