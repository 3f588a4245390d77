// Each kind of damage by its trace, and no claim where there is none.
#include "verify/damage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace fathom::verify {
namespace {

constexpr std::size_t kSize = 4096;
using Block = std::vector<std::byte>;

class DamageKinds : public ::testing::Test {
 protected:
  DamageKinds() {
    const auto layout = settle({.interval = kSize});
    EXPECT_TRUE(layout.ok());
    layout_ = *layout;
  }
  Block sealed(std::uint64_t offset, std::uint64_t number, std::uint64_t seed) const {
    Block block(kSize);
    auto sealer = Sealer::make(layout_);
    sealer->seal(block, {.offset = offset, .numberio = number, .seed = seed});
    return block;
  }
  // What is told of `found` where write 5 of seed 55 should be at offset 8192.
  std::vector<Damage> told(Block found, bool demands = true) {
    const Block wanted = sealed(8192, 5, 55);
    auto checker = Checker::make(layout_);
    Wanted asked{.offset = 8192};
    if (demands) asked.seed = 55;
    const auto verdict = checker->check(found, asked);
    EXPECT_FALSE(verdict.good());
    const auto findings = tell_damage(found, wanted, layout_.header() + row_of(layout_.method).field, verdict);
    words_ = damage_text(findings);
    std::vector<Damage> kinds;
    for (const auto& finding : findings) kinds.push_back(finding.damage);
    return kinds;
  }
  using Kinds = std::vector<Damage>;
  Layout layout_;
  std::string words_;
};

TEST_F(DamageKinds, AFlippedBitIsReportedAsFlipped) {
  auto block = sealed(8192, 5, 55);
  block[3000] ^= std::byte{0x10};
  EXPECT_EQ(told(block), Kinds{Damage::flipped});
  EXPECT_EQ(words_, "flipped: 1 bit, the first in byte 3000");
}

TEST_F(DamageKinds, ZeroesMayBeALostWrite) { EXPECT_EQ(told(Block(kSize)), (Kinds{Damage::zeroes, Damage::lost})); }

TEST_F(DamageKinds, AnOlderWriteOfThisOffsetIsALostWrite) {
  EXPECT_EQ(told(sealed(8192, 2, 22)), Kinds{Damage::lost});
  EXPECT_EQ(words_, "lost: the block contains an older write, number 2 of job 1");
}

TEST_F(DamageKinds, ABlockOfAnotherOffsetIsMisdirected) {
  EXPECT_EQ(told(sealed(40960, 5, 55)), Kinds{Damage::misdirected});
  EXPECT_EQ(words_, "misdirected: this block was written to offset 40960");
}

TEST_F(DamageKinds, AWriteCutAtAnySectorIsTorn) {
  const auto now = sealed(8192, 5, 55), before = sealed(8192, 2, 22);
  for (std::size_t cut = kTearingUnit; cut < kSize; cut += kTearingUnit) {
    auto block = before;
    std::copy_n(now.begin(), cut, block.begin());
    EXPECT_EQ(told(block, false), Kinds{Damage::torn}) << cut;
    EXPECT_EQ(words_, "torn at byte " + std::to_string(cut) + ": the bytes from there on are not from this write");
    block = now;
    std::copy_n(before.begin(), cut, block.begin());
    EXPECT_EQ(told(block, false), Kinds{Damage::torn}) << cut;
    EXPECT_EQ(words_, "torn at byte " + std::to_string(cut) + ": the bytes before it are not from this write");
  }
}

TEST_F(DamageKinds, ShiftedBytesAreReportedAsShifted) {
  const auto now = sealed(8192, 5, 55);
  for (const std::ptrdiff_t by : {1, 7, 512, -3}) {
    Block block(kSize, std::byte{0xee});
    for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(kSize); ++i)
      if (i + by >= 0 && i + by < static_cast<std::ptrdiff_t>(kSize))
        block[static_cast<std::size_t>(i + by)] = now[static_cast<std::size_t>(i)];
    EXPECT_EQ(told(block), Kinds{Damage::shifted}) << by;
    EXPECT_EQ(words_, "shifted by " + std::to_string(by) + " bytes");
  }
}

TEST_F(DamageKinds, UnknownBytesHaveNoKindOfDamage) {
  Block block(kSize);
  for (std::size_t i = 0; i < kSize; ++i) block[i] = static_cast<std::byte>(i * 7 + i / 251 + 1);
  EXPECT_EQ(told(block), Kinds{});
  auto bad_crc = sealed(40960, 5, 55);
  bad_crc[20] ^= std::byte{1};  // in the header
  EXPECT_EQ(told(bad_crc), Kinds{}) << words_;
}

}  // namespace
}  // namespace fathom::verify
