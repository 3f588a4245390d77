// One line of a recorded address trace. The letter at a line's begin distinguishes two forms:
//   valgrind --tool=lackey --trace-mem=yes (valgrind's manual, "Lackey"): " L 04222cac,8" a load, " S 1ffefff818,8" a
//     store, " M 0421c7cc,4" a modify: a load and then a store; "I  04001090,3" an instruction: left out;
//     valgrind's own messages ("==123== ..."): left out;
//   "R 7f2000001000" or "W 0x7f2000001000", for what other tools have recorded.
// Empty lines and those that begin with `#` are left out. An access counts for the page it begins in. Pure.
#pragma once
#include <cstdint>
#include <string_view>

namespace fathom::paging::sources {

struct TraceLine {
  enum class Kind : std::uint8_t { nothing, load, store, modify, bad } kind = Kind::nothing;
  std::uint64_t address = 0;
  int column = 0;               // bad: from 1
  const char* cause = nullptr;  // bad
};

// Without its line break.
TraceLine parse_trace_line(std::string_view line);

}  // namespace fathom::paging::sources
