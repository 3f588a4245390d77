// Results that are no run: each has a file of its own kind, `"format" : "fathom clock test"`, with the keys of
// format_version 1. Its numbers have six digits behind the point, and what is not known is absent, as in schema 7 of a
// run; of a kind with kExact they have all digits, and what is not known is null, as from schema 8 on. A kind is a
// struct with kFormat and its list of fields (fields.h says what a list is); the struct holds what its file can, so
// that a stored result is reported as the command reported it.
#pragma once
#include "result/fields.h"

namespace fathom::result {

inline constexpr int kFormatVersion = 1;

// How walkers write and read it.
template <class T>
constexpr int fields_of() {
  if constexpr (requires { T::kExact; }) return kWholeSince;
  return 7;
}

}  // namespace fathom::result
