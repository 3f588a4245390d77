// Parses /sys/block/NAME/stat (kernel: Documentation/block/stat.rst), and subtracts two readings. The file has 11
// columns up to Linux 4.17, 15 with discards, 17 with flushes. The kernel prints the time columns as 32 bits: they wrap
// after 49.7 days of I/O time. A device with a deep queue reaches that in in_queue within a day.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "result/result.h"

namespace fathom::host::disk {

enum class BlockColumn : std::size_t {
  read_ios,
  read_merges,
  read_sectors,
  read_ticks_ms,
  write_ios,
  write_merges,
  write_sectors,
  write_ticks_ms,
  in_flight,
  io_ticks_ms,
  in_queue_ms,
  discard_ios,
  discard_merges,
  discard_sectors,
  discard_ticks_ms,
  flush_ios,
  flush_ticks_ms,
};

struct BlockCounters {
  std::array<std::uint64_t, 17> columns{};
  std::uint64_t operator[](BlockColumn c) const { return columns[static_cast<std::size_t>(c)]; }
};

// Missing columns are 0; text that is no stat line gives all 0.
BlockCounters parse_block_stat(std::string_view text);

// last - first of a counter that only grows, corrected for a 32-bit wrap. 0 if it decreased without a wrap (the device
// was replaced).
std::uint64_t grown(std::uint64_t first, std::uint64_t last);

// util is the share of elapsed_ms in which an I/O was in flight, at most 100 (as fio: the kernel's millisecond ticks
// can exceed it).
result::Disk difference(std::string name, const BlockCounters& first, const BlockCounters& last, double elapsed_ms);

}  // namespace fathom::host::disk
