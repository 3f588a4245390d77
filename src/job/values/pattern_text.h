// A byte pattern in fio's syntax: `"text"`, `'file'`, 0xHEX, a decimal number, or several of these in sequence. Pure.
#pragma once
#include <string_view>
#include <vector>

#include "job/fields/contents.h"
#include "job/option.h"

namespace fathom::job::values {

// offsets: `%o` is also allowed, at most kMostOffsets times.
inline constexpr int kMostOffsets = 8;

// Hex: bytes in the order of the digits. With an odd number of digits, the first is a byte by itself (0xabc: 0a bc).
// Decimal: 32 bits and a sign, in the shortest little-endian form (256: 00 01; -10: f6 ff ff ff). File names are not
// resolved.
Outcome read_pattern(const Value& value, std::vector<fields::PatternPart>& out, bool offsets = false);

}  // namespace fathom::job::values
