// A pattern of bytes as fio writes it: `"text"`, `'file'`, 0xHEX, a decimal number, or several of these one after the
// other. Pure.
#pragma once
#include <string_view>
#include <vector>

#include "job/fields/contents.h"
#include "job/option.h"

namespace fathom::job::values {

// offsets: `%o` is a part too, at most kMostOffsets times.
inline constexpr int kMostOffsets = 8;

// Hex: the bytes in the order of the digits; of an odd number of them the first stands alone (0xabc: 0a bc). Decimal:
// of 32 bits and a sign, the shortest little-endian form (256: 00 01; -10: f6 ff ff ff). Names of files are not looked
// up.
Outcome read_pattern(const Value& value, std::vector<fields::PatternPart>& out, bool offsets = false);

}  // namespace fathom::job::values
