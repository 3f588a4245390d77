// Results that are no run: each has a file of its own kind, `"format" : "fathom clock test"`, with the keys of
// format_version 1. Its numbers have six digits behind the point, and what is not known is absent; of a kind with kExact
// they have all digits, and what is not known is null, as of a run. A kind is a struct with kFormat and its list of fields (fields.h says what a list is); the struct holds what its file can, so
// that a stored result is reported as the command reported it.
#pragma once
#include "result/fields.h"

namespace fathom::result {

inline constexpr int kFormatVersion = 1;

// How walkers write and read it.
template <class T>
constexpr bool is_exact() {
  return requires { T::kExact; };
}

}  // namespace fathom::result
