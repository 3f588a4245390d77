// rw=: the ten modes of the job language as three independent facts, and the `:N` sequencer.
#pragma once
#include <cstdint>

namespace fathom::io {

struct Mode {
  bool reads = true;
  bool writes = false;
  bool trims = false;
  bool random = false;
  bool trim_then_write = false;  // trimwrite, randtrimwrite: each trimmed block is then written
  std::uint32_t sequence = 1;    // rw=randread:8 -> a new random offset every 8 I/Os; rw=read:4k -> see sequential_add
  std::int64_t sequential_add = 0;  // rw=read:4k: bytes added to the offset after each I/O (sequential modes only)
  bool mixed() const { return (reads ? 1 : 0) + (writes ? 1 : 0) + (trims ? 1 : 0) > 1 && !trim_then_write; }
  bool destructive() const { return writes || trims; }
};

}  // namespace fathom::io
