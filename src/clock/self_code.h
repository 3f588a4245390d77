// What the compiler made of a marked piece of this very program: the marks (base/marks.h) are read from the ELF file
// and the bytes there decoded. For saying which instruction `__sync_synchronize()` became; any thread.
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
  std::vector<std::uint8_t> code;  // from the mark on, at most 64 bytes; empty where no segment holds the address
};

// Of a 64-bit little-endian ELF file; empty when it is none, or when its marks were stripped.
std::vector<MarkedCode> marked_code(std::span<const std::uint8_t> elf);

// The first barrier instruction in code, "" when there is none among those known here.
std::string_view barrier_in(std::span<const std::uint8_t> code);

// The barrier between clock.barrier.builtin and clock.read.builtin; "unknown" when it cannot be read.
std::string builtin_instruction(std::span<const std::uint8_t> elf);
std::string builtin_instruction();  // of the running program

}  // namespace fathom::clock
