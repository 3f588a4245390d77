// The compiled code of a marked piece of this program. It reads the marks (base/marks.h) from the ELF file and decodes
// the bytes there, to report which instruction `__sync_synchronize()` became. Any thread.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::clock {

struct MarkedCode {
  std::string name;
  std::uint64_t address = 0;
  std::vector<std::uint8_t> code;  // from the mark on, at most 64 bytes; empty: no segment contains the address
};

// elf: a 64-bit little-endian ELF file. Empty: it is not such a file, or its marks were stripped.
std::vector<MarkedCode> marked_code(std::span<const std::uint8_t> elf);

// The first barrier instruction in code; "": no known one.
std::string_view barrier_in(std::span<const std::uint8_t> code);

// The barrier between clock.barrier.builtin and clock.read.builtin; "unknown": cannot be read.
std::string builtin_instruction(std::span<const std::uint8_t> elf);
std::string builtin_instruction();  // of the running program

}  // namespace fathom::clock
