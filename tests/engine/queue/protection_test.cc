// Metadata and protection information of commands, as the device would see them.
#include "engine/queue/protection.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string_view>

namespace fathom::engine::queue {
namespace {

constexpr std::uint32_t kBlock = 4096, kLargest = 4 * kBlock;

NvmeNamespace with(std::uint16_t metadata_bytes, std::uint8_t type, bool first = false) {
  NvmeNamespace ns{.nsid = 1, .block_shift = 12, .blocks = 1 << 20, .largest_bytes = 0};
  ns.metadata_bytes = metadata_bytes;
  ns.protection_type = type;
  ns.protection_first = first;
  return ns;
}

struct Case {
  explicit Case(const NvmeNamespace& of, const io::ProtectionOptions& options) : ns(of), data(kLargest) {
    target.path = "/dev/ng9n9";
    auto made = Protection::make(options, {&ns, 1}, {&target, 1}, 2, kLargest);
    if (made) protection = std::move(*made);
    error = made ? "" : made.error().what + " / " + made.error().help;
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 7 + i / 4096);
  }
  nvme_uring_cmd command(io::Dir dir, std::uint32_t slot = 1) {
    const io::Request request{.offset = 10 * kBlock, .length = 2 * kBlock, .dir = dir};
    nvme::DsmRange range;
    auto c = nvme_command_for(ns, request, data.data(), range, false);
    protection.protect(ns, slot, request, data.data(), c);
    return c;
  }
  NvmeNamespace ns;
  io::Target target;
  std::vector<std::byte> data;
  Protection protection;
  std::string error;
};

std::byte* metadata_of(const nvme_uring_cmd& c) { return reinterpret_cast<std::byte*>(c.metadata); }

TEST(T10Crc, MatchesTheCheckValueOfCrc16T10Dif) {
  constexpr std::string_view kDigits = "123456789";
  EXPECT_EQ(t10_crc(std::as_bytes(std::span(kDigits))), 0xd0db);
  EXPECT_EQ(t10_crc({}), 0);
}

// effect: md_per_io_size
TEST(Protection, md_per_io_size_is_the_room_for_the_metadata_of_an_io) {
  io::ProtectionOptions options;
  EXPECT_FALSE(Case(with(0, 0), options).protection.used());
  EXPECT_NE(Case(with(16, 0), options).error.find("md_per_io_size=64"), std::string::npos) << "four blocks of 16";
  options.md_per_io_bytes = 64;
  Case plain(with(16, 0), options);
  EXPECT_EQ(plain.error, "");
  const auto read = plain.command(io::Dir::read);
  EXPECT_EQ(read.metadata_len, 32u);
  EXPECT_NE(read.metadata, 0u);
  EXPECT_EQ(plain.command(io::Dir::read, 0).metadata + 64, read.metadata) << "each slot has its own";
  EXPECT_EQ(read.cdw12, 1u) << "no protection information, no bits of it";
}

// effect: pi_act=1 pi_chk apptag apptag_mask
TEST(Protection, pi_act_pi_chk_apptag_and_apptag_mask_are_bits_of_the_command) {
  io::ProtectionOptions options;
  options.checks = io::kCheckGuard | io::kCheckRefTag;  // pi_chk
  options.apptag = 0xabc;
  options.apptag_mask = 0xff0;
  Case of_device(with(8, 1), options);  // pi_act
  ASSERT_EQ(of_device.error, "") << "the device takes it off: no room is needed";
  for (const io::Dir dir : {io::Dir::read, io::Dir::write}) {
    const auto c = of_device.command(dir);
    EXPECT_EQ(c.cdw12, 1u | 1u << 29 | 1u << 28 | 1u << 26);
    EXPECT_EQ(c.cdw14, 10u) << "the number of the first block";
    EXPECT_EQ(c.cdw15, 0xff00abcu);
    EXPECT_EQ(c.metadata, 0u);
    EXPECT_EQ(c.metadata_len, 0u);
  }
  options.checks = io::kCheckAppTag;
  const auto third = Case(with(8, 3), options).command(io::Dir::read);
  EXPECT_EQ(third.cdw12, 1u | 1u << 29 | 1u << 27);
  EXPECT_EQ(third.cdw14, 0u) << "type 3 has no reference tag of ours";
  EXPECT_NE(Case(with(16, 1), options).error, "") << "beside it there is other metadata, which is moved";
}

// effect: pi_act=0 pi_chk
TEST(Protection, pi_act_0_generates_and_checks_protection_in_the_engine) {
  for (const bool first : {false, true}) {
    io::ProtectionOptions options;
    options.pi_act = false;
    options.md_per_io_bytes = 64;
    options.checks = io::kCheckGuard | io::kCheckRefTag | io::kCheckAppTag;  // pi_chk
    Case here(with(16, 1, first), options);
    ASSERT_EQ(here.error, "");
    const auto written = here.command(io::Dir::write);
    EXPECT_EQ(written.cdw12, 1u | 1u << 28 | 1u << 27 | 1u << 26) << "PRACT is 0";
    std::vector<std::byte> kept(metadata_of(written), metadata_of(written) + 32);
    const std::size_t at = first ? 0 : 8;
    EXPECT_EQ(kept[16 + at + 2], std::byte{0x12}) << "the application tag, big-endian";
    EXPECT_EQ(kept[16 + at + 3], std::byte{0x34});
    EXPECT_EQ(kept[16 + at + 7], std::byte{11}) << "block 10 and the next";
    EXPECT_FALSE(here.protection.is_wrong(1)) << "a write";
    if (first) {
      const auto guard = t10_crc({here.data.data() + kBlock, kBlock});
      EXPECT_EQ(kept[16], static_cast<std::byte>(guard >> 8));
      EXPECT_EQ(kept[17], static_cast<std::byte>(guard & 0xff));
    }
    const auto wrong_after = [&](auto spoil) {
      auto read = here.command(io::Dir::read);
      std::memcpy(metadata_of(read), kept.data(), kept.size());
      spoil(metadata_of(read));
      return here.protection.is_wrong(1);
    };
    EXPECT_FALSE(wrong_after([](std::byte*) {}));
    for (const std::size_t byte : {0u, 2u, 7u}) {
      EXPECT_TRUE(wrong_after([&](std::byte* m) { m[16 + at + byte] ^= std::byte{1}; })) << byte;
    }
    EXPECT_FALSE(wrong_after([&](std::byte* m) {
      m[at + 2] = m[at + 3] = std::byte{0xff};
      m[at + 7] ^= std::byte{1};
    })) << "a block that was never written";
    here.data[5] ^= std::byte{1};
    EXPECT_TRUE(wrong_after([](std::byte*) {})) << "other data";
  }
}

}  // namespace
}  // namespace fathom::engine::queue
