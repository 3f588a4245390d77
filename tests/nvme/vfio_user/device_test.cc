// The handler of messages, one command at a time: what each may hold, and every way in which it may be wrong. Payloads
// are hex, written from the protocol's tables.
#include "nvme/vfio_user/device.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "nvme/command.h"
#include "nvme/identify.h"
#include "nvme/registers.h"
#include "nvme/vfio_user/support.h"

namespace fathom::nvme::vfio_user {
namespace {

using test::hex;

class VfioUserDevice : public ::testing::Test {
 protected:
  Reply command(std::uint16_t number, const std::string& payload, const std::vector<int>& fds = {}) {
    Packet packet{.header = {.id = 1, .command = number}, .payload = hex(payload), .fds = {}};
    for (const int fd : fds) packet.fds.emplace_back(::dup(fd));
    return device.handle(packet);
  }
  void greet() { ASSERT_EQ(command(1, "0000 0100").error, 0); }
  static std::string payload(const Reply& reply) { return test::text_of(reply.payload); }

  std::unique_ptr<soft::Controller> controller = test::small_controller();
  Device device{*controller};
  base::system::UniqueFd file = test::memory_file(0x4000);
};

// 16 KiB of the file at I/O virtual address 0x200000, for reading and writing.
constexpr const char* kMap = "20000000 03000000 0000000000000000 0000200000000000 0040000000000000";
constexpr const char* kUnmap = "18000000 00000000 0000200000000000 0040000000000000";

TEST_F(VfioUserDevice, CommandsBeforeTheVersionAreRefused) {
  for (const std::uint16_t number : {2, 3, 4, 5, 7, 8, 9, 10, 13, 99}) {
    const auto reply = command(number, "10000000 00000000 00000000 00000000");
    EXPECT_EQ(reply.error, EINVAL) << number;
    EXPECT_TRUE(reply.last) << number;
  }
}

TEST_F(VfioUserDevice, VersionsAreAgreedUponOnce) {
  EXPECT_EQ(command(1, "0000").error, EINVAL) << "too short";
  EXPECT_TRUE(command(1, "0100 0000").last) << "another major version";
  EXPECT_EQ(command(1, "0000 0100 '{}'").error, EINVAL) << "JSON without its NUL";
  EXPECT_EQ(command(1, "0000 0100", {file.get()}).error, EINVAL) << "with a file descriptor";
  EXPECT_EQ(payload(command(1, "0000 0900")), "00000100") << "the smaller minor version";
  EXPECT_TRUE(command(1, "0000 0100").last) << "a second time";
}

TEST_F(VfioUserDevice, CapabilitiesAnswerCapabilities) {
  EXPECT_EQ(command(1, "0000 0000 '{\"capabilities\":{}}' 00").payload,
            hex("0000 0000 '{\"capabilities\":{\"max_msg_fds\":8,\"max_data_xfer_size\":4096}}' 00"));
}

TEST_F(VfioUserDevice, ItIsAPciDeviceWithNineRegions) {
  greet();
  EXPECT_EQ(payload(command(4, "10000000 00000000 00000000 00000000")), "10000000 03000000 09000000 05000000");
  EXPECT_EQ(command(4, "0f000000 00000000 00000000 00000000").error, EINVAL) << "argsz";
  EXPECT_EQ(command(4, "10000000 00000000 00000000").error, EINVAL) << "short";
}

TEST_F(VfioUserDevice, RegionsAreDescribed) {
  greet();
  const std::string rest = " 00000000 0000000000000000 0000000000000000";
  const auto bar = command(5, "00100000 00000000 00000000" + rest);
  EXPECT_EQ(payload(bar),
            "40000000 0f000000 00000000 20000000 00400000 00000000 00000000 00000000 "
            "01000100 00000000 01000000 00000000 00100000 00000000 00300000 00000000");
  EXPECT_EQ(bar.fd, controller->bar_fd());
  const auto little_room = command(5, "20000000 00000000 00000000" + rest);
  EXPECT_EQ(payload(little_room), "40000000 0f000000 00000000 00000000 00400000 00000000 00000000 00000000");
  EXPECT_EQ(little_room.fd, -1);
  EXPECT_EQ(payload(command(5, "00100000 00000000 07000000" + rest)),
            "20000000 03000000 07000000 00000000 00100000 00000000 00000000 00000000");
  EXPECT_EQ(payload(command(5, "00100000 00000000 08000000" + rest)),
            "20000000 00000000 08000000 00000000 00000000 00000000 00000000 00000000");
  EXPECT_EQ(command(5, "00100000 00000000 09000000" + rest).error, EINVAL) << "no such region";
  EXPECT_EQ(command(5, "1f000000 00000000 00000000" + rest).error, EINVAL) << "argsz";
  EXPECT_EQ(command(5, "00100000 00000000 00000000").error, EINVAL) << "short";
}

TEST_F(VfioUserDevice, NoInterruptsAreOffered) {
  greet();
  EXPECT_EQ(payload(command(7, "10000000 00000000 02000000 00000000")), "10000000 00000000 02000000 00000000");
  EXPECT_EQ(command(7, "10000000 00000000 05000000 00000000").error, EINVAL) << "no such kind";
  EXPECT_EQ(command(8, "14000000 21000000 02000000 00000000 00000000").error, 0) << "disables all";
  EXPECT_EQ(command(8, "14000000 24000000 02000000 00000000 01000000", {file.get()}).error, EINVAL) << "sets one";
  EXPECT_EQ(command(8, "14000000 24000000 05000000 00000000 00000000").error, EINVAL) << "no such kind";
}

TEST_F(VfioUserDevice, UnbuiltCommandsAreEnotsup) {
  greet();
  for (const std::uint16_t number : {0, 6, 11, 12, 14, 15, 16, 0xffff})
    EXPECT_EQ(command(number, "10000000 00000000 00000000 00000000").error, ENOTSUP) << number;
}

struct BadMap {
  const char* payload;
  std::size_t files;
  int error;
  const char* why;
};
constexpr BadMap kBadMaps[] = {
    {"20000000 03000000 0000000000000000 0000200000000000 00400000", 1, EINVAL, "short"},
    {"1f000000 03000000 0000000000000000 0000200000000000 0040000000000000", 1, EINVAL, "argsz"},
    {"20000000 00000000 0000000000000000 0000200000000000 0040000000000000", 1, EINVAL, "neither read nor write"},
    {"20000000 07000000 0000000000000000 0000200000000000 0040000000000000", 1, EINVAL, "an unknown flag"},
    {"20000000 03000000 0000000000000000 0000200000000000 0000000000000000", 1, EINVAL, "empty"},
    {"20000000 03000000 0000000000000000 0000200000000000 0041000000000000", 1, EINVAL, "not whole pages"},
    {"20000000 03000000 0000000000000000 0100200000000000 0040000000000000", 1, EINVAL, "not at a page"},
    {"20000000 03000000 0100000000000000 0000200000000000 0010000000000000", 1, EINVAL, "not at a page of the file"},
    {"20000000 03000000 0000000000000000 00e0ffffffffffff 0040000000000000", 1, EINVAL, "address and size wrap"},
    {"20000000 03000000 00f0ffffffffffff 0000200000000000 0040000000000000", 1, EINVAL, "offset and size wrap"},
    {"20000000 03000000 0000000000000000 0000200000000000 00f0ffffffffff7f", 1, EINVAL, "longer than a file can be"},
    {"20000000 03000000 0000000000000000 0000200000000000 0050000000000000", 1, EINVAL, "longer than the file"},
    {"20000000 03000000 0010000000000000 0000200000000000 0040000000000000", 1, EINVAL, "beyond the file's end"},
    {"20000000 03000000 0000000000000000 0000200000000000 0040000000000000", 2, EINVAL, "two file descriptors"},
};

TEST_F(VfioUserDevice, InvalidDmaMapsAreRefused) {
  greet();
  for (const auto& bad : kBadMaps)
    EXPECT_EQ(command(2, bad.payload, std::vector<int>(bad.files, file.get())).error, bad.error) << bad.why;
  auto [a, b] = test::peers();
  EXPECT_EQ(command(2, kMap, {a.fd()}).error, EINVAL) << "a socket instead of a file";
  EXPECT_EQ(command(2, kMap, {file.get()}).error, 0) << "none of them is in the way";
}

TEST_F(VfioUserDevice, MemoryIsMappedOnceAndUnmappedAsItWasMapped) {
  greet();
  EXPECT_EQ(command(3, kUnmap).error, ENOENT);
  EXPECT_EQ(command(2, kMap, {file.get()}).error, 0);
  EXPECT_EQ(command(2, kMap, {file.get()}).error, EEXIST);
  EXPECT_EQ(command(2, "20000000 03000000 0000000000000000 0030200000000000 0010000000000000", {file.get()}).error,
            EEXIST)
      << "its last page";
  EXPECT_EQ(command(2, "20000000 03000000 0000000000000000 00f01f0000000000 0020000000000000", {file.get()}).error,
            EEXIST)
      << "its first page";
  EXPECT_EQ(command(2, "20000000 03000000 0000000000000000 0040200000000000 0010000000000000", {file.get()}).error, 0)
      << "the page behind it";
  EXPECT_EQ(command(3, "18000000 00000000 0000200000000000 0020000000000000").error, ENOENT) << "a part";
  EXPECT_EQ(command(3, "17000000 00000000 0000200000000000 0040000000000000").error, EINVAL) << "argsz";
  EXPECT_EQ(command(3, "18000000 01000000 0000200000000000 0040000000000000").error, EINVAL) << "a dirty bitmap";
  // SPDK's client sends the file descriptor with this one too.
  EXPECT_EQ(payload(command(3, kUnmap, {file.get()})), "18000000 00000000 00002000 00000000 00400000 00000000");
  EXPECT_EQ(command(2, kMap, {file.get()}).error, 0);
  EXPECT_EQ(command(3, "18000000 02000000 0000000000000000 0040000000000000").error, EINVAL) << "all, but of a size";
  EXPECT_EQ(command(3, "18000000 02000000 0000000000000000 0000000000000000").error, 0) << "all";
  EXPECT_EQ(command(3, kUnmap).error, ENOENT);
}

TEST_F(VfioUserDevice, MemoryWithoutAFileIsAcceptedButNotAccessible) {
  greet();
  EXPECT_EQ(command(2, kMap).error, 0);
  EXPECT_EQ(command(2, kMap, {file.get()}).error, EEXIST);
  EXPECT_EQ(command(3, kUnmap).error, 0);
}

TEST_F(VfioUserDevice, MemoryThatMayOnlyBeReadIsNotWritten) {
  greet();
  const auto read_only =
      base::system::UniqueFd(::open(("/proc/self/fd/" + std::to_string(file.get())).c_str(), O_RDONLY));
  EXPECT_EQ(command(2, kMap, {read_only.get()}).error, EACCES);
  EXPECT_EQ(command(2, "20000000 01000000 0000000000000000 0000200000000000 0040000000000000", {read_only.get()}).error,
            0);
}

// Two pages of rings that may be written and one of data that may not: Identify to there ends in Data Transfer Error.
TEST_F(VfioUserDevice, ACommandThatWouldWriteWhereItMayNotEndsInError) {
  greet();
  auto* memory = static_cast<std::byte*>(::mmap(nullptr, 0x4000, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0));
  ASSERT_NE(memory, MAP_FAILED);
  EXPECT_EQ(command(2, "20000000 03000000 0000000000000000 0000200000000000 0020000000000000", {file.get()}).error, 0);
  EXPECT_EQ(command(2, "20000000 01000000 0020000000000000 0000400000000000 0010000000000000", {file.get()}).error, 0);
  controller->write_register(kAqa, 4, 7 << 16 | 7);
  controller->write_register(kAsq, 8, 0x200000);
  controller->write_register(kAcq, 8, 0x201000);
  controller->write_register(kCc, 4, kCcEnable | cc_entry_sizes(6, 4));
  Command identify;
  identify.opcode = static_cast<std::uint8_t>(AdminOpcode::identify);
  identify.cdw10 = static_cast<std::uint32_t>(Cns::identify_controller);
  identify.prp1 = 0x400000;
  std::memcpy(memory, &identify, sizeof identify);
  controller->doorbells()[0] = 1;
  for (int i = 0; i < 100; ++i) controller->step();
  Completion completion;
  std::memcpy(&completion, memory + 0x1000, sizeof completion);
  EXPECT_EQ(completion.status >> 1 & 0x7ff, 0x04);
  EXPECT_EQ(memory[0x2000], std::byte{0});
  ::munmap(memory, 0x4000);
}

TEST_F(VfioUserDevice, TheNumberOfDmaRegionsIsBounded) {
  greet();
  int error = 0;
  std::size_t mapped = 0;
  for (; error == 0 && mapped <= memory::kRegionsMax; ++mapped) {
    const DmaMap region{.argsz = sizeof region, .flags = 3, .offset = 0, .address = (mapped + 1) << 12, .bytes = 4096};
    Packet packet{.header = {.id = 1, .command = 2}, .payload = {}, .fds = {}};
    packet.payload.assign(bytes_of(region).begin(), bytes_of(region).end());
    packet.fds.emplace_back(::dup(file.get()));
    error = device.handle(packet).error;
  }
  EXPECT_EQ(error, ENOSPC);
  EXPECT_EQ(mapped, memory::kRegionsMax + 1);
  device.forget_client();
  greet();
  EXPECT_EQ(command(2, kMap, {file.get()}).error, 0);
}

TEST_F(VfioUserDevice, RegistersAreReadAndWritten) {
  greet();
  EXPECT_EQ(payload(command(10, "2400000000000000 00000000 04000000 1f001f00")), "24000000 00000000 00000000 04000000");
  EXPECT_EQ(payload(command(9, "2400000000000000 00000000 04000000")), "24000000 00000000 00000000 04000000 1f001f00");
  EXPECT_EQ(command(10, "2800000000000000 00000000 08000000 0010200000000000").error, 0);
  EXPECT_EQ(payload(command(9, "2800000000000000 00000000 08000000")),
            "28000000 00000000 00000000 08000000 00102000 00000000");
  EXPECT_EQ(payload(command(9, "2400000000000000 00000000 0c000000")),
            "24000000 00000000 00000000 0c000000 1f001f00 00102000 00000000")
      << "longer stretches, word by word";
}

TEST_F(VfioUserDevice, DoorbellsAreReadAndWrittenByMessagesToo) {
  greet();
  EXPECT_EQ(command(10, "0c10000000000000 00000000 04000000 05000000").error, 0);
  EXPECT_EQ(controller->doorbells()[3], 5u);
  EXPECT_EQ(command(10, "f83f000000000000 00000000 08000000 0100000002000000").error, 0);
  EXPECT_EQ(controller->doorbells()[0xbff], 2u);
  EXPECT_EQ(payload(command(9, "f83f000000000000 00000000 08000000")),
            "f83f0000 00000000 00000000 08000000 01000000 02000000");
}

struct BadAccess {
  std::uint16_t command;
  const char* payload;
  const char* why;
};
constexpr BadAccess kBadAccesses[] = {
    {9, "0000000000000000 00000000", "short"},
    {9, "0000000000000000 01000000 04000000", "a region that is not there"},
    {9, "0000000000000000 ffffffff 04000000", "a region beyond the last"},
    {9, "0040000000000000 00000000 04000000", "beyond the end"},
    {9, "fd3f000000000000 00000000 04000000", "over the end"},
    {9, "fcffffffffffffff 00000000 08000000", "offset and count wrap"},
    {9, "0000000000000000 00000000 04100000", "longer than max_data_xfer_size"},
    {9, "0000000000000000 00000000 ffffffff", "longest"},
    {9, "0000000000000000 00000000 01000000", "a byte of a register"},
    {9, "0200000000000000 00000000 04000000", "not at a word"},
    {9, "0010000000000000 07000000 01000000", "beyond the configuration space"},
    {10, "2400000000000000 00000000 04000000", "without its data"},
    {10, "2400000000000000 00000000 04000000 1f001f", "with less data"},
    {10, "2400000000000000 00000000 04000000 1f001f00 00", "with more data"},
    {10, "2400000000000000 00000000 02000000 1f00", "half a register"},
    {10, "2400000000000000 00000000 08000000 0000000000000000", "eight bytes not at their multiple"},
    {10, "2000000000000000 00000000 10000000 00000000000000000000000000000000", "more than a register"},
    {10, "0040000000000000 00000000 04000000 00000000", "beyond the end"},
    {10, "ff0f000000000000 07000000 02000000 0000", "over the end of the configuration space"},
};

TEST_F(VfioUserDevice, InvalidRegionAccessesAreRefused) {
  greet();
  for (const auto& bad : kBadAccesses) {
    const auto reply = command(bad.command, bad.payload);
    EXPECT_EQ(reply.error, EINVAL) << bad.why;
    EXPECT_TRUE(reply.payload.empty()) << bad.why;
    EXPECT_FALSE(reply.last) << bad.why;
  }
  EXPECT_EQ(command(9, "0000000000000000 00000000 04000000", {file.get()}).error, EINVAL) << "with a file descriptor";
}

TEST_F(VfioUserDevice, TheConfigurationSpaceIsAccessedAtAnyLength) {
  greet();
  EXPECT_EQ(payload(command(9, "0800000000000000 07000000 04000000")), "08000000 00000000 07000000 04000000 01020801");
  EXPECT_EQ(command(10, "0400000000000000 07000000 02000000 0604").error, 0);
  EXPECT_EQ(payload(command(9, "0500000000000000 07000000 01000000")), "05000000 00000000 07000000 01000000 04");
  EXPECT_EQ(command(9, "0000000000000000 07000000 00100000").payload.size(), 16u + 4096u);
}

TEST_F(VfioUserDevice, AResetGoesToTheController) {
  greet();
  EXPECT_EQ(command(10, "1400000000000000 00000000 04000000 00006000").error, 0);
  EXPECT_NE(controller->read_register(0x14, 4), 0u);
  EXPECT_EQ(command(13, "").error, 0);
  EXPECT_EQ(controller->read_register(0x14, 4), 0u);
}

TEST_F(VfioUserDevice, MappingsOfAClientAreReleasedWithIt) {
  greet();
  const auto before = test::open_files();
  EXPECT_EQ(command(2, kMap, {file.get()}).error, 0);
  EXPECT_EQ(test::open_files(), before) << "a mapping needs no file descriptor";
  EXPECT_EQ(command(10, "0400000000000000 07000000 02000000 0604").error, 0);
  device.forget_client();
  EXPECT_EQ(command(4, "10000000 00000000 00000000 00000000").error, EINVAL) << "the next client begins anew";
  greet();
  EXPECT_EQ(payload(command(9, "0400000000000000 07000000 02000000")), "04000000 00000000 07000000 02000000 0000");
  EXPECT_EQ(command(2, kMap, {file.get()}).error, 0);
}

TEST_F(VfioUserDevice, AClientWithoutAVersionDoesNotResetTheController) {
  controller->write_register(0x14, 4, 0x00600000);
  EXPECT_EQ(command(13, "").error, EINVAL);
  device.forget_client();
  EXPECT_EQ(controller->read_register(0x14, 4), 0x00600000u);
}

}  // namespace
}  // namespace fathom::nvme::vfio_user
