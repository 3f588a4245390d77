// The SCSI commands of ioengine=sg, as bytes: pure functions. Commands have ten bytes if the address fits, else
// sixteen.
// Source: SBC-4 (READ, WRITE, WRITE AND VERIFY, WRITE SAME, WRITE STREAM, VERIFY, UNMAP, SYNCHRONIZE CACHE,
// READ CAPACITY).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "io/options/devices/sg.h"
#include "io/options/fua.h"
#include "io/request.h"
#include "io/trim_ranges.h"

namespace fathom::engine::scsi {

enum class ScsiData : std::uint8_t { none, from_device, to_device };

struct ScsiCommand {
  std::array<std::uint8_t, 16> bytes{};
  std::uint8_t length = 10;
  ScsiData data = ScsiData::none;
  std::uint32_t data_bytes = 0;  // of the buffer, or of the parameters
  bool moves_data = false;       // counts the bytes that the device reports; else the whole request
};

// The command of a request in whole blocks of the device.
ScsiCommand scsi_command(const io::Request& request, std::uint32_t block_bytes, const io::SgOptions& sg,
                         const io::FuaOptions& fua);
// UNMAP of `ranges` ranges, and its parameters: the blocks of each range.
inline constexpr std::size_t kMostRanges = 256;
using UnmapParameters = std::array<std::uint8_t, 8 + 16 * kMostRanges>;
ScsiCommand unmap_command(std::size_t ranges);
void put_ranges(UnmapParameters& to, std::span<const io::Range> ranges, std::uint32_t block_bytes);

ScsiCommand read_capacity();  // returns 32 bytes
struct ScsiCapacity {
  std::uint64_t blocks = 0;
  std::uint32_t block_bytes = 0;
};
ScsiCapacity capacity_of(const std::array<std::uint8_t, 32>& answer);

}  // namespace fathom::engine::scsi
