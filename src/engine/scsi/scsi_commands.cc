// Encodes the commands; see the header.
#include "engine/scsi/scsi_commands.h"

namespace fathom::engine::scsi {
namespace {

struct Codes {
  std::uint8_t of_10, of_16;  // 0: no command of that length
};
constexpr Codes kRead{0x28, 0x88}, kSynchronise{0x35, 0x91};

struct WriteRow {
  Codes codes;
  std::uint8_t flags;  // in byte 1
  enum { whole, one_block, nothing } sends;
  bool moves;  // the device counts the data bytes
};
// In the order of io::SgWrite.
constexpr WriteRow kWrites[] = {
    {{0x2a, 0x8a}, 0, WriteRow::whole, true},         // write
    {{0x2e, 0x8e}, 0, WriteRow::whole, true},         // write_and_verify, BYTCHK 00
    {{0x41, 0x93}, 0, WriteRow::one_block, false},    // write_same
    {{0, 0x93}, 0x01, WriteRow::nothing, false},      // write_same_ndob
    {{0, 0x9a}, 0, WriteRow::whole, true},            // write_stream
    {{0x2f, 0x8f}, 0x00, WriteRow::nothing, false},   // verify_00
    {{0x2f, 0x8f}, 0x02, WriteRow::whole, true},      // verify_01
    {{0x2f, 0x8f}, 0x06, WriteRow::one_block, false}  // verify_11
};
constexpr std::uint8_t kFua = 0x08;

template <class Bytes>
void put(Bytes& bytes, std::size_t at, std::size_t n, std::uint64_t value) {
  for (std::size_t i = 0; i < n; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * (n - 1 - i)));
}

std::uint64_t get(const std::array<std::uint8_t, 32>& bytes, std::size_t at, std::size_t n) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < n; ++i) value = value << 8 | bytes[at + i];
  return value;
}

ScsiCommand addressed(Codes codes, std::uint8_t flags, std::uint64_t block, std::uint32_t blocks) {
  ScsiCommand c;
  const bool short_one = codes.of_10 != 0 && block < 0xffffffff && blocks <= 0xffff;
  c.length = short_one ? 10 : 16;
  c.bytes[0] = short_one ? codes.of_10 : codes.of_16;
  c.bytes[1] = flags;
  if (short_one) {
    put(c.bytes, 2, 4, block);
    put(c.bytes, 7, 2, blocks);
  } else {
    put(c.bytes, 2, 8, block);
    put(c.bytes, 10, 4, blocks);
  }
  return c;
}

ScsiCommand write_command(std::uint64_t block, std::uint32_t blocks, std::uint32_t block_bytes, const io::SgOptions& sg,
                          const io::FuaOptions& fua) {
  const WriteRow& row = kWrites[static_cast<std::size_t>(sg.write)];
  const bool plain = sg.write == io::SgWrite::write || sg.write == io::SgWrite::write_stream;
  ScsiCommand c = addressed(row.codes, row.flags | (plain && fua.writes ? kFua : 0), block, blocks);
  if (sg.write == io::SgWrite::write_stream) {
    put(c.bytes, 10, 2, sg.stream_id);
    put(c.bytes, 12, 2, blocks);
  }
  c.moves_data = row.moves;
  if (row.sends == WriteRow::nothing) return c;
  c.data = ScsiData::to_device;
  c.data_bytes = row.sends == WriteRow::whole ? blocks * block_bytes : block_bytes;
  return c;
}

}  // namespace

ScsiCommand scsi_command(const io::Request& request, std::uint32_t block_bytes, const io::SgOptions& sg,
                         const io::FuaOptions& fua) {
  const std::uint64_t block = request.offset / block_bytes;
  const std::uint32_t blocks = request.length / block_bytes;
  if (request.dir == io::Dir::write) return write_command(block, blocks, block_bytes, sg, fua);
  if (request.dir == io::Dir::sync) return addressed(kSynchronise, 0, 0, 0);
  ScsiCommand c;
  if (request.dir == io::Dir::read) {
    c = addressed(kRead, fua.reads ? kFua : 0, block, blocks);
    c.data = ScsiData::from_device;
    c.data_bytes = request.length;
    c.moves_data = true;
    return c;
  }
  return unmap_command(1);
}

ScsiCommand unmap_command(std::size_t ranges) {
  ScsiCommand c;
  c.bytes[0] = 0x42;
  c.data = ScsiData::to_device;
  c.data_bytes = static_cast<std::uint32_t>(8 + 16 * ranges);
  put(c.bytes, 7, 2, c.data_bytes);
  return c;
}

void put_ranges(UnmapParameters& to, std::span<const io::Range> ranges, std::uint32_t block_bytes) {
  put(to, 0, 2, 6 + 16 * ranges.size());  // bytes that follow
  put(to, 2, 2, 16 * ranges.size());      // bytes of descriptors among them
  put(to, 4, 4, 0);
  std::size_t at = 8;
  for (const io::Range& range : ranges) {
    put(to, at, 8, range.offset / block_bytes);
    put(to, at + 8, 4, range.length / block_bytes);
    put(to, at + 12, 4, 0);
    at += 16;
  }
}

ScsiCommand read_capacity() {
  ScsiCommand c;
  c.length = 16;
  c.bytes[0] = 0x9e;  // SERVICE ACTION IN(16)
  c.bytes[1] = 0x10;
  put(c.bytes, 10, 4, 32);
  c.data = ScsiData::from_device;
  c.data_bytes = 32;
  return c;
}

ScsiCapacity capacity_of(const std::array<std::uint8_t, 32>& answer) {
  return {get(answer, 0, 8) + 1, static_cast<std::uint32_t>(get(answer, 8, 4))};
}

}  // namespace fathom::engine::scsi
