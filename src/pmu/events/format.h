// Parsers for the text formats of sysfs: bit ranges (format/*), lists of CPUs (cpumask), lists of terms (events/*).
// Pure.
// Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events}, cputopology.rst.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pmu/events/sources.h"

namespace fathom::pmu::events {

// "config1:0-7,32-35" -> word 1, {0,7}, {32,35}. nullopt: not such a text, unknown word, bits beyond 63 or backwards.
std::optional<Format> parse_format(std::string_view text);

// The reverse: "config1:0-7,32-35".
std::string text_of(const Format& format);

// Writes the value into the bits of the format. false, without a change: the value has more bits than the format.
bool place_bits(const Format& format, std::uint64_t value, std::span<std::uint64_t, kConfigWords> config);

// "eventid=0x21,type=0x0,lane=?": a term without a value counts as 1, `?` needs one from the user.
struct Term {
  std::string_view name, value;  // parts of the text; value empty: none was written
};
std::vector<Term> split_terms(std::string_view text);

// "0x1f", "31"; nullopt: not a number of 64 bits.
std::optional<std::uint64_t> parse_number(std::string_view text);

}  // namespace fathom::pmu::events
