// NVMe passthrough without an NVMe device: the bytes that would be sent, what is no namespace, and the ring itself on
// /dev/null, which on newer kernels takes any command and does nothing. On a real namespace: tests/guest.
#include "engine/queue/io_uring_cmd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "base/system/fd.h"
#include "io/options/io_uring.h"

namespace fathom::engine::queue {
namespace {

constexpr NvmeNamespace kSmall{.nsid = 3, .block_shift = 9, .blocks = 1 << 20, .largest_bytes = 0};
constexpr NvmeNamespace kLarge{.nsid = 1, .block_shift = 12, .blocks = 1 << 20, .largest_bytes = 131072};

template <class T>
T at(const void* bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(bytes) + offset, sizeof value);
  return value;
}

std::byte* const kBuffer = reinterpret_cast<std::byte*>(0x7f0000123000);

TEST(NvmeCommandFor, ReadAndWriteCommandsHaveTheirFields) {
  nvme::DsmRange range;
  const io::Request read{.offset = 0x1234567ull << 21, .length = 8192, .dir = io::Dir::read};
  auto c = nvme_command_for(kSmall, read, kBuffer, range, true);
  EXPECT_EQ(at<std::uint8_t>(&c, 0), 0x02);  // opcode: read
  EXPECT_EQ(at<std::uint8_t>(&c, 1), 0);     // flags
  EXPECT_EQ(at<std::uint32_t>(&c, 4), 3u);   // nsid
  EXPECT_EQ(at<std::uint64_t>(&c, 16), 0u);  // metadata
  EXPECT_EQ(at<std::uint64_t>(&c, 24), 0x7f0000123000u);
  EXPECT_EQ(at<std::uint32_t>(&c, 32), 0u);  // metadata_len
  EXPECT_EQ(at<std::uint32_t>(&c, 36), 8192u);
  EXPECT_EQ(at<std::uint64_t>(&c, 40), 0x1234567ull << 12);  // SLBA in cdw10 and cdw11
  EXPECT_EQ(at<std::uint32_t>(&c, 48), 15u);                 // cdw12: blocks less one; no FUA on a read
  EXPECT_EQ(at<std::uint32_t>(&c, 64), 0u);                  // timeout_ms: the kernel's
  const io::Request write{.offset = 4096 * 5, .length = 4096, .dir = io::Dir::write};
  c = nvme_command_for(kLarge, write, kBuffer, range, false);
  EXPECT_EQ(c.opcode, 0x01);
  EXPECT_EQ(c.cdw10, 5u);
  EXPECT_EQ(c.cdw11, 0u);
  EXPECT_EQ(c.cdw12, 0u);
  EXPECT_EQ(nvme_command_for(kLarge, write, kBuffer, range, true).cdw12, 1u << 30);
}

TEST(NvmeCommandFor, FlushAndTrimCommandsHaveTheirFields) {
  nvme::DsmRange range{};
  auto c = nvme_command_for(kSmall, {.dir = io::Dir::sync}, kBuffer, range, true);
  EXPECT_EQ(c.opcode, 0x00);
  EXPECT_EQ(c.nsid, 3u);
  EXPECT_EQ(c.addr + c.data_len + c.cdw10 + c.cdw11 + c.cdw12, 0u);
  c = nvme_command_for(kSmall, {.offset = 1 << 20, .length = 64 << 10, .dir = io::Dir::trim}, kBuffer, range, true);
  EXPECT_EQ(c.opcode, 0x09);
  EXPECT_EQ(c.addr, reinterpret_cast<std::uint64_t>(&range));
  EXPECT_EQ(c.data_len, 16u);
  EXPECT_EQ(c.cdw10, 0u);  // one range
  EXPECT_EQ(c.cdw11, 4u);  // deallocate
  EXPECT_EQ(at<std::uint32_t>(&range, 4), 128u);
  EXPECT_EQ(at<std::uint64_t>(&range, 8), 2048u);
}

// effect: num_range
TEST(TrimRangesFor, num_range_ranges_are_one_command) {
  nvme::DsmRange to[3]{}, single{};
  const io::Range ranges[] = {{8192, 4096}, {0, 8192}, {1 << 20, 4096}};
  auto c = nvme_command_for(kLarge, {.offset = 8192, .length = 16384, .dir = io::Dir::trim}, kBuffer, single, false);
  ASSERT_TRUE(trim_ranges_for(kLarge, ranges, to, c));
  EXPECT_EQ(c.opcode, 0x09);
  EXPECT_EQ(c.addr, reinterpret_cast<std::uint64_t>(to));
  EXPECT_EQ(c.data_len, 48u);
  EXPECT_EQ(c.cdw10, 2u);  // ranges less one
  EXPECT_EQ(c.cdw11, 4u);
  EXPECT_EQ(at<std::uint32_t>(&to[1], 4), 2u);
  EXPECT_EQ(at<std::uint64_t>(&to[0], 8), 2u);
  EXPECT_EQ(at<std::uint64_t>(&to[2], 8), 256u);
  const io::Range half[] = {{8192, 4096}, {512, 4096}};
  EXPECT_FALSE(trim_ranges_for(kLarge, half, to, c));
}

TEST(PutCommand, LiesInTheEntryWhereTheKernelReadsIt) {
  alignas(64) std::array<std::byte, 128> entry;
  entry.fill(std::byte{0xee});
  auto& sqe = *reinterpret_cast<io_uring_sqe*>(entry.data());
  nvme::DsmRange range;
  const auto command = nvme_command_for(kSmall, {.offset = 512, .length = 512}, kBuffer, range, false);
  put_command(sqe, 7, command, true, 9);
  EXPECT_EQ(at<std::int32_t>(entry.data(), 4), 7);                       // fd
  EXPECT_EQ(at<std::uint32_t>(entry.data(), 28), 1u);                    // IORING_URING_CMD_FIXED
  EXPECT_EQ(at<std::uint16_t>(entry.data(), 40), 9u);                    // buf_index
  EXPECT_EQ(std::memcmp(entry.data() + 48, &command, 72), 0);            // the command
  EXPECT_EQ(at<std::uint64_t>(entry.data(), 120), 0xeeeeeeeeeeeeeeeeu);  // and no more
  EXPECT_EQ(at<std::uint64_t>(entry.data(), 32), 0xeeeeeeeeeeeeeeeeu);   // user_data is of open
  put_command(sqe, 7, command, false, 9);
  EXPECT_EQ(at<std::uint32_t>(entry.data(), 28), 0u);
}

TEST(IsWhole, AcceptsOnlyWholeBlocks) {
  const auto whole = [](std::uint64_t offset, std::uint32_t length, io::Dir dir = io::Dir::read) {
    return is_whole(kLarge, {.offset = offset, .length = length, .dir = dir});
  };
  EXPECT_TRUE(whole(0, 4096));
  EXPECT_TRUE(whole(0, 0, io::Dir::sync));
  EXPECT_TRUE(whole(0, 0x10000u << 12));
  EXPECT_FALSE(whole(512, 4096));
  EXPECT_FALSE(whole(4096, 512));
  EXPECT_FALSE(whole(4096, 0));
  EXPECT_FALSE(whole(0, 0x10001u << 12));
  EXPECT_TRUE(whole(0, 0x10001u << 12, io::Dir::trim));
}

TEST(ErrnoOfStatus, MatchesTheBlockLayer) {
  EXPECT_EQ(errno_of_status(0x002), EOPNOTSUPP);
  EXPECT_EQ(errno_of_status(0x4080), EREMOTEIO);  // LBA out of range, DNR
  EXPECT_EQ(errno_of_status(0x081), ENOSPC);
  EXPECT_EQ(errno_of_status(0x281), ENODATA);
  EXPECT_EQ(errno_of_status(0x282), EILSEQ);
  EXPECT_EQ(errno_of_status(0x004), EIO);  // data transfer error
  EXPECT_EQ(errno_of_status(0x7ff), EIO);
}

TEST(LookAtNamespace, RefusesWhatIsNoNamespace) {
  const auto missing = look_at_namespace("/dev/ng77n77", {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().sys_errno, ENOENT);
  EXPECT_NE(missing.error().help.find("/dev/ng"), std::string::npos);
  const auto null = look_at_namespace("/dev/null", {});
  ASSERT_FALSE(null);
  EXPECT_EQ(null.error().kind, base::ErrorKind::usage);
  EXPECT_NE(null.error().what.find("not the character device of an NVMe namespace"), std::string::npos);
  EXPECT_NE(null.error().cause.find("does not respond"), std::string::npos);
  EXPECT_NE(null.error().help.find("/dev/ng0n1"), std::string::npos);
  const auto file = look_at_namespace("/etc/passwd", {});
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().cause.find("not a device"), std::string::npos);
}

base::Expected<NvmeNamespace> fake_namespace(int, const std::string&) { return kLarge; }

class IoUringCmdOnDevNull : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kDepth = 8, kStride = 8192;
  IoUringCmdOnDevNull() : fd_(::open("/dev/null", O_RDWR | O_CLOEXEC)), buffers_(kDepth * kStride + 4096) {
    target_.path = "/dev/null";
    target_.kind = io::TargetKind::character;
    target_.fd = fd_.get();
    setup_.targets = {&target_, 1};
    setup_.depth = kDepth;
    const auto address = reinterpret_cast<std::uintptr_t>(buffers_.data());
    setup_.buffers = buffers_.data() + (4096 - address % 4096) % 4096;
    setup_.buffer_stride = kStride;
  }
  std::vector<io::Completion> finish(UringCmdEngine& engine, unsigned count) {
    std::vector<io::Completion> all;
    io::Completion some[kDepth];
    while (all.size() < count) {
      const int n = engine.reap(1, some);
      if (n < 0) break;
      all.insert(all.end(), some, some + n);
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.slot < b.slot; });
    return all;
  }
  base::system::UniqueFd fd_;
  std::vector<std::byte> buffers_;
  io::Target target_;
  engine::Setup setup_;
};

TEST_F(IoUringCmdOnDevNull, BatchesComplete) {
  for (const bool with_all : {false, true}) {
    auto& own = setup_.options.own.get<io::IoUringOptions>();
    own.fixedbufs = own.registerfiles = with_all;
    UringCmdEngine engine(fake_namespace);
    const auto opened = engine.open(setup_);
    ASSERT_TRUE(opened.ok()) << opened.error().what << opened.error().cause;
    const io::Dir dirs[] = {io::Dir::read, io::Dir::write, io::Dir::trim, io::Dir::sync};
    for (int round = 0; round < 50; ++round) {
      for (std::uint32_t slot = 0; slot < kDepth; ++slot) {
        const io::Dir dir = dirs[(slot + static_cast<std::uint32_t>(round)) % 4];
        engine.post(slot,
                    {.offset = slot * 4096u, .length = dir == io::Dir::sync ? 0 : 4096 + slot % 2 * 4096, .dir = dir},
                    setup_.buffers + slot * kStride);
      }
      ASSERT_EQ(engine.ring(), static_cast<int>(kDepth));
      const auto done = finish(engine, kDepth);
      ASSERT_EQ(done.size(), kDepth);
      if (done[0].result == -EOPNOTSUPP) GTEST_SKIP() << "this kernel's /dev/null takes no commands";
      for (std::uint32_t slot = 0; slot < kDepth; ++slot) {
        const bool sync = dirs[(slot + static_cast<std::uint32_t>(round)) % 4] == io::Dir::sync;
        EXPECT_EQ(done[slot].slot, slot);
        EXPECT_EQ(done[slot].result, sync ? 0 : static_cast<int>(4096 + slot % 2 * 4096));
        EXPECT_EQ(engine.explain(slot), "");
      }
    }
  }
}

TEST_F(IoUringCmdOnDevNull, APartialBlockIsNotSent) {
  UringCmdEngine engine(fake_namespace);
  ASSERT_TRUE(engine.open(setup_).ok());
  engine.post(0, {.offset = 512, .length = 4096}, setup_.buffers);
  EXPECT_EQ(engine.ring(1), 1);
  auto done = finish(engine, 1);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].result, -EINVAL);
  engine.post(1, {.offset = 0, .length = 4096}, setup_.buffers);
  engine.post(2, {.offset = 0, .length = 100}, setup_.buffers);
  EXPECT_EQ(engine.ring(2), 2);
  done = finish(engine, 2);
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[1].slot, 2u);
  EXPECT_EQ(done[1].result, -EINVAL);
}

TEST_F(IoUringCmdOnDevNull, ATrimOfSeveralRangesIsOneCommand) {
  io::TrimRanges ranges(2, 4);
  setup_.job.trim_ranges = &ranges;
  UringCmdEngine engine(fake_namespace);
  ASSERT_TRUE(engine.open(setup_).ok());
  const auto post = [&](std::uint32_t slot, std::uint64_t first, std::uint64_t second) {
    ranges.add(first, 4096);
    ranges.add(second, 4096);
    ranges.end_request();
    engine.post(slot, {.offset = first, .length = 8192, .dir = io::Dir::trim}, setup_.buffers);
  };
  post(0, 0, 4096 * 7);
  post(1, 512, 4096);  // the first is no whole block, then the second
  post(2, 0, 512);
  post(3, 4096, 0);
  ASSERT_EQ(engine.ring(4), 4);
  const auto done = finish(engine, 4);
  ASSERT_EQ(done.size(), 4u);
  if (done[0].result == -EOPNOTSUPP) GTEST_SKIP() << "this kernel's /dev/null takes no commands";
  EXPECT_EQ(done[0].result, 8192);
  EXPECT_EQ(done[1].result, -EINVAL);
  EXPECT_EQ(done[2].result, -EINVAL);
  EXPECT_EQ(done[3].result, 8192);
}

// MDTS limits the data of a command. A trim, or the reset of a zone, has none: buffers may be larger.
TEST_F(IoUringCmdOnDevNull, ABlockBeyondTheLargestCommandIsRefusedAtOpen) {
  setup_.depth = 1;
  setup_.buffer_stride = 256 << 10;
  setup_.job.largest_bytes = kLarge.largest_bytes;
  EXPECT_TRUE(UringCmdEngine(fake_namespace).open(setup_).ok());
  setup_.job.largest_bytes = 256 << 10;
  UringCmdEngine engine(fake_namespace);
  const auto opened = engine.open(setup_);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().kind, base::ErrorKind::usage);
  EXPECT_NE(opened.error().what.find("131072 bytes"), std::string::npos);
  EXPECT_NE(opened.error().help.find("bs=131072"), std::string::npos);
}

TEST_F(IoUringCmdOnDevNull, DevNullIsRefusedAsNoNamespace) {
  UringCmdEngine engine;
  const auto opened = engine.open(setup_);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().what.find("/dev/null"), std::string::npos);
}

}  // namespace
}  // namespace fathom::engine::queue
