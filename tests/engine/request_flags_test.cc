// What single requests carry to the kernel: priorities, nowait, uncached, force_async, vectors; and the bits of NVMe
// commands. Entries are looked at where the kernel would read them.
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "engine/queue/io_uring_cmd_shaper.h"
#include "engine/queue/request_priorities.h"
#include "engine/queue/uring_setup.h"
#include "io/options/nowait.h"
#include "io/options/uncached.h"

namespace fathom::engine {
namespace {

constexpr queue::NvmeNamespace kNamespace{.nsid = 1, .block_shift = 9, .blocks = 1 << 20, .largest_bytes = 0};
std::byte* const kBuffer = reinterpret_cast<std::byte*>(0x7f0000123000);

nvme_uring_cmd shaped(queue::NvmeCommandShaper& shaper, io::Dir dir) {
  nvme::DsmRange range;
  auto command =
      queue::nvme_command_for(kNamespace, {.offset = 4096, .length = 4096, .dir = dir}, kBuffer, range, false);
  shaper.shape(dir, ~std::uint64_t{0xff}, command);
  return command;
}

// effect: cmdprio cmdprio_class cmdprio_hint
TEST(RequestPriorities, cmdprio_class_cmdprio_and_cmdprio_hint_form_one_ioprio) {
  io::CmdprioOptions options;
  EXPECT_FALSE(queue::RequestPriorities(options).used());
  options.values = {{1, 0, 0}, {2, 5, 7}};
  const queue::RequestPriorities priorities(options);
  EXPECT_TRUE(priorities.used());
  EXPECT_EQ(priorities.of({.flags = 0}), 0);
  EXPECT_EQ(priorities.of({.flags = io::kDataSync}), 0);
  EXPECT_EQ(priorities.of({.flags = 1 << io::kPriorityShift}), 1 << 13);
  EXPECT_EQ(priorities.of({.flags = 2 << io::kPriorityShift}), 2 << 13 | 7 << 3 | 5);
}

// effect: nowait uncached
TEST(RwFlags, nowait_and_uncached_set_their_bits) {
  io::EngineOptions options;
  EXPECT_EQ(queue::rw_flags_of(options), 0);
  options.own.get<io::NowaitOptions>().nowait = true;
  EXPECT_EQ(queue::rw_flags_of(options), 0x8);
  options.own.get<io::UncachedOptions>().uncached = true;
  EXPECT_EQ(queue::rw_flags_of(options), 0x88);
}

// effect: force_async
TEST(AsyncCadence, force_async_marks_every_nth_io) {
  queue::AsyncCadence none(0), all(1), third(3);
  EXPECT_FALSE(none.all() || none.some() || none.next());
  EXPECT_TRUE(all.all());
  EXPECT_TRUE(third.some());
  std::string said;
  for (int i = 0; i < 9; ++i) said += third.next() ? 'x' : '.';
  EXPECT_EQ(said, "..x..x..x");
}

// effect: readfua writefua
TEST(NvmeCommandShaper, readfua_and_writefua_are_bit_30_of_dword_12) {
  io::FuaOptions fua;
  fua.reads = true;
  queue::NvmeCommandShaper reads({}, fua);
  EXPECT_TRUE(reads.shapes(io::Dir::read));
  EXPECT_FALSE(reads.shapes(io::Dir::write));
  EXPECT_EQ(shaped(reads, io::Dir::read).cdw12, 1u << 30 | 7);
  EXPECT_EQ(shaped(reads, io::Dir::write).cdw12, 7u);
  fua = {};
  fua.writes = true;
  queue::NvmeCommandShaper writes({}, fua);
  EXPECT_FALSE(writes.shapes(io::Dir::read));
  EXPECT_EQ(shaped(writes, io::Dir::write).cdw12, 1u << 30 | 7);
  EXPECT_EQ(shaped(writes, io::Dir::read).cdw12, 7u);
}

// effect: write_mode deac
TEST(NvmeCommandShaper, write_mode_is_the_opcode_and_deac_bit_25_of_zeroes) {
  constexpr std::pair<io::WriteMode, std::uint8_t> kOpcodes[] = {
      {io::WriteMode::write, 0x01},  {io::WriteMode::uncor, 0x04},       {io::WriteMode::zeroes, 0x08},
      {io::WriteMode::verify, 0x0c}, {io::WriteMode::zone_append, 0x7d},
  };
  for (const auto& [mode, opcode] : kOpcodes) {
    io::NvmeCommandOptions options;
    options.write_modes = {{mode, 100}};
    options.deac = true;
    queue::NvmeCommandShaper shaper(options, {});
    const auto command = shaped(shaper, io::Dir::write);
    const bool data = mode == io::WriteMode::write || mode == io::WriteMode::zone_append;
    EXPECT_EQ(command.opcode, opcode);
    EXPECT_EQ(command.data_len, data ? 4096u : 0u) << int(opcode);
    EXPECT_EQ(command.addr == 0, !data);
    EXPECT_EQ(command.cdw12, mode == io::WriteMode::zeroes ? 1u << 25 | 7 : 7u);
    EXPECT_EQ(shaped(shaper, io::Dir::read).opcode, 0x02) << "reads stay reads";
  }
}

// effect: write_mode
TEST(NvmeCommandShaper, write_mode_mixes_commands_by_their_shares) {
  io::NvmeCommandOptions options;
  options.write_modes = {{io::WriteMode::write, 70}, {io::WriteMode::zeroes, 30}};
  queue::NvmeCommandShaper shaper(options, {});
  std::map<int, int> seen;
  for (int i = 0; i < 10'000; ++i) ++seen[shaped(shaper, io::Dir::write).opcode];
  EXPECT_NEAR(seen[0x01], 7000, 200);
  EXPECT_NEAR(seen[0x08], 3000, 200);
}

}  // namespace
}  // namespace fathom::engine
