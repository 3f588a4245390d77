// Commands held against SBC-4's tables, byte by byte.
#include "engine/scsi/scsi_commands.h"

#include <gtest/gtest.h>

namespace fathom::engine::test {
namespace {

constexpr std::uint32_t kSector = 512;

io::Request at(io::Dir dir, std::uint64_t block, std::uint32_t blocks) {
  io::Request r;
  r.dir = dir;
  r.offset = block * kSector;
  r.length = blocks * kSector;
  return r;
}

std::string hex(const scsi::ScsiCommand& c) {
  std::string text;
  for (std::size_t i = 0; i < c.length; ++i) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", c.bytes[i]);
    text += two;
  }
  return text;
}

scsi::ScsiCommand command(const io::Request& r, io::SgWrite write = io::SgWrite::write, bool fua = false) {
  io::SgOptions sg;
  sg.write = write;
  sg.stream_id = 0x0102;
  io::FuaOptions units;
  units.reads = units.writes = fua;
  return scsi::scsi_command(r, kSector, sg, units);
}

// effect: readfua writefua
TEST(ScsiCommands, ReadAndWriteUse10Or16ByteCommands) {
  EXPECT_EQ(hex(command(at(io::Dir::read, 0x01020304, 8))), "28000102030400000800");
  EXPECT_EQ(hex(command(at(io::Dir::write, 0x01020304, 8))), "2a000102030400000800");
  EXPECT_EQ(hex(command(at(io::Dir::read, 0x0102030405, 8))),
            "88000000000102030405"
            "000000080000");
  EXPECT_EQ(hex(command(at(io::Dir::write, 0xffffffff, 8))),
            "8a0000000000ffffffff"
            "000000080000");
  EXPECT_EQ(hex(command(at(io::Dir::read, 1, 8), io::SgWrite::write, true /* readfua */)), "28080000000100000800");
  EXPECT_EQ(hex(command(at(io::Dir::write, 1, 8), io::SgWrite::write, true /* writefua */)), "2a080000000100000800");
  EXPECT_EQ(hex(command(at(io::Dir::sync, 0, 0))), "35000000000000000000");
}

struct WriteCase {
  io::SgWrite mode;  // sg_write_mode
  const char* bytes;
  scsi::ScsiData data;
  std::uint32_t data_bytes;
};

// effect: sg_write_mode stream_id
TEST(ScsiCommands, SgWriteModeSelectsTheCommand) {
  const WriteCase cases[] = {
      // sg_write_mode; stream_id is 0x0102
      {io::SgWrite::write_and_verify, "2e000000000700000800", scsi::ScsiData::to_device, 8 * kSector},
      {io::SgWrite::write_same, "41000000000700000800", scsi::ScsiData::to_device, kSector},
      {io::SgWrite::write_same_ndob, "93010000000000000007000000080000", scsi::ScsiData::none, 0},
      {io::SgWrite::write_stream, "9a000000000000000007010200080000", scsi::ScsiData::to_device, 8 * kSector},
      {io::SgWrite::verify_00, "2f000000000700000800", scsi::ScsiData::none, 0},
      {io::SgWrite::verify_01, "2f020000000700000800", scsi::ScsiData::to_device, 8 * kSector},
      {io::SgWrite::verify_11, "2f060000000700000800", scsi::ScsiData::to_device, kSector},
  };
  for (const WriteCase& c : cases) {
    const scsi::ScsiCommand made = command(at(io::Dir::write, 7, 8), c.mode);
    EXPECT_EQ(hex(made), c.bytes);
    EXPECT_EQ(made.data, c.data) << c.bytes;
    EXPECT_EQ(made.data_bytes, c.data_bytes) << c.bytes;
  }
  EXPECT_EQ(hex(command(at(io::Dir::write, 7, 8), io::SgWrite::write_same, true)), "41000000000700000800")
      << "writefua is ignored";
}

std::string hex(const scsi::UnmapParameters& p, std::size_t first, std::size_t n) {
  scsi::ScsiCommand c;
  c.length = static_cast<std::uint8_t>(n);
  std::copy_n(p.begin() + static_cast<std::ptrdiff_t>(first), n, c.bytes.begin());
  return hex(c);
}

// effect: num_range
TEST(ScsiCommands, ATrimIsAnUnmapOfItsRanges) {
  EXPECT_EQ(hex(command(at(io::Dir::trim, 9, 8))), "42000000000000001800");
  EXPECT_EQ(hex(scsi::unmap_command(256)), "42000000000000100800");
  const io::Range ranges[] = {{0x0102030405 * kSector, 0x0a0b * kSector}, {7 * kSector, kSector}};
  scsi::UnmapParameters p;
  p.fill(0xff);
  scsi::put_ranges(p, ranges, kSector);
  EXPECT_EQ(hex(p, 0, 8), "0026002000000000");
  EXPECT_EQ(hex(p, 8, 16), "000000010203040500000a0b00000000");
  EXPECT_EQ(hex(p, 24, 16), "00000000000000070000000100000000");
}

TEST(ScsiCommands, ReadCapacity16IsBuiltAndParsed) {
  EXPECT_EQ(hex(scsi::read_capacity()), "9e100000000000000000000000200000");
  std::array<std::uint8_t, 32> answer{};
  answer[6] = 0x01;  // the last block is 0x1ff
  answer[7] = 0xff;
  answer[10] = 0x10;  // of 4096 bytes
  EXPECT_EQ(scsi::capacity_of(answer).blocks, 0x200u);
  EXPECT_EQ(scsi::capacity_of(answer).block_bytes, 4096u);
}

}  // namespace
}  // namespace fathom::engine::test
