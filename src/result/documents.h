// Results other than runs. Each is a separate kind of file, `"format" : "fathom clock test"`, with the keys of
// format_version 1. Its numbers have six decimals, and unknown values are absent. A kind with kExact has all digits,
// and unknown values are null, as in a run. A kind is a struct with kFormat and its list of fields (fields.h defines
// lists). The struct holds all that its file can, so a stored result is reported as the command reported it.
#pragma once
#include "result/fields.h"

namespace fathom::result {

inline constexpr int kFormatVersion = 1;

// True: walkers write and read all digits, and null for unknown values.
template <class T>
constexpr bool is_exact() {
  return requires { T::kExact; };
}

}  // namespace fathom::result
