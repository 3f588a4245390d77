// The frequency leaves from invented processors: a claim only where the leaf exists and makes sense.
#include "clock/sources/frequency_leaf.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string_view>

namespace fathom::clock::sources {
namespace {

using Leaves = std::map<std::uint32_t, CpuidRegisters>;

// As Intel's processors do: a basic leaf above the highest returns what the highest holds; an unknown one elsewhere, 0.
Cpuid processor(Leaves leaves) {
  return [leaves](std::uint32_t leaf) {
    const auto highest = leaves.at(0).eax;
    if (leaf < 0x40000000 && leaf > highest && leaves.count(highest)) return leaves.at(highest);
    const auto found = leaves.find(leaf);
    return found == leaves.end() ? CpuidRegisters{} : found->second;
  };
}

std::uint32_t word(std::string_view text, std::size_t at) {
  std::uint32_t w = 0;
  std::memcpy(&w, text.data() + at, 4);
  return w;
}
CpuidRegisters vendor(std::uint32_t highest, std::string_view text) {
  return {highest, word(text, 0), word(text, 8), word(text, 4)};
}
CpuidRegisters hypervisor(std::uint32_t highest, std::string_view text) {
  return {highest, word(text, 0), word(text, 4), word(text, 8)};
}
constexpr std::string_view kKvm("KVMKVMKVM\0\0\0", 12);
constexpr CpuidRegisters kGuest{0, 0, 1u << 31, 0};

TEST(Rdtscp, IsThereWhereTheCpuTellsOfIt) {
  const auto cpu = [](std::uint32_t highest, std::uint32_t edx) {
    return [=](std::uint32_t leaf) {
      CpuidRegisters out;
      if (leaf == 0x80000000) out.eax = highest;
      if (leaf == 0x80000001) out.edx = edx;
      return out;
    };
  };
  EXPECT_TRUE(has_rdtscp(cpu(0x80000008, 1u << 27)));
  EXPECT_FALSE(has_rdtscp(cpu(0x80000008, ~(1u << 27))));
  EXPECT_FALSE(has_rdtscp(cpu(0x80000000, ~0u))) << "the leaf is not there";
}

TEST(CrystalLeaf, GivesTheTscRateOfIntelWithACrystal) {
  const auto claim = crystal_leaf(processor({{0, vendor(0x16, "GenuineIntel")}, {0x15, {2, 216, 24'000'000, 0}}}));
  ASSERT_TRUE(claim);
  EXPECT_DOUBLE_EQ(claim->hz, 2.592e9);
  EXPECT_EQ(claim->method, "CPUID 0x15");
  EXPECT_FALSE(claim->conversion);
}

struct NoCrystal {
  const char* what;
  std::uint32_t highest;
  std::string_view vendor;
  CpuidRegisters leaf;
};
class CrystalLeafAbsent : public testing::TestWithParam<NoCrystal> {};
TEST_P(CrystalLeafAbsent, GivesNoClaim) {
  const auto& p = GetParam();
  EXPECT_FALSE(crystal_leaf(processor({{0, vendor(p.highest, p.vendor)}, {p.highest, p.leaf}, {0x15, p.leaf}})));
}
INSTANTIATE_TEST_SUITE_P(
    Rows, CrystalLeafAbsent,
    testing::Values(NoCrystal{"leaf beyond the highest", 0x14, "GenuineIntel", {2, 216, 24'000'000, 0}},
                    NoCrystal{"AMD", 0x1c, "AuthenticAMD", {2, 216, 24'000'000, 0}},
                    NoCrystal{"AMD, empty", 0x1c, "AuthenticAMD", {0, 0, 0, 0}},
                    NoCrystal{"denominator 0", 0x16, "GenuineIntel", {0, 216, 24'000'000, 0}},
                    NoCrystal{"numerator 0", 0x16, "GenuineIntel", {2, 0, 24'000'000, 0}},
                    NoCrystal{"crystal unknown", 0x16, "GenuineIntel", {2, 216, 0, 0}},
                    NoCrystal{"garbage: too fast", 0x16, "GenuineIntel", {1, 0xffffffff, 0xffffffff, 0}},
                    NoCrystal{"garbage: too slow", 0x16, "GenuineIntel", {0xffffffff, 1, 24'000'000, 0}}),
    [](const auto& param) { return "Row" + std::to_string(param.index); });

TEST(HypervisorLeaf, GivesTheTscRateOfKnownHypervisors) {
  for (const auto name : {std::string_view("VMwareVMware"), kKvm}) {
    const auto claim = hypervisor_leaf(processor({{0, vendor(0x16, "GenuineIntel")},
                                                  {1, kGuest},
                                                  {0x40000000, hypervisor(0x40000010, name)},
                                                  {0x40000010, {2'299'998, 1'000'000, 0, 0}}}));
    ASSERT_TRUE(claim) << name;
    EXPECT_DOUBLE_EQ(claim->hz, 2'299'998'000.0);
    EXPECT_EQ(claim->method, "hypervisor leaf 0x40000010");
  }
}

struct NoHypervisor {
  const char* what;
  CpuidRegisters features;
  CpuidRegisters head;
  CpuidRegisters timing;
};
class HypervisorLeafAbsent : public testing::TestWithParam<NoHypervisor> {};
TEST_P(HypervisorLeafAbsent, GivesNoClaim) {
  const auto& p = GetParam();
  EXPECT_FALSE(hypervisor_leaf(
      processor({{0, vendor(0x1c, "AuthenticAMD")}, {1, p.features}, {0x40000000, p.head}, {0x40000010, p.timing}})));
}
constexpr CpuidRegisters kTiming{2'299'998, 1'000'000, 0, 0};
INSTANTIATE_TEST_SUITE_P(
    Rows, HypervisorLeafAbsent,
    testing::Values(NoHypervisor{"no hypervisor", {}, hypervisor(0x40000010, kKvm), kTiming},
                    NoHypervisor{"KVM, highest leaf below", kGuest, hypervisor(0x40000001, kKvm), kTiming},
                    NoHypervisor{"KVM of old, highest leaf 0", kGuest, hypervisor(0, kKvm), kTiming},
                    NoHypervisor{"another hypervisor", kGuest, hypervisor(0x40000010, "Microsoft Hv"), kTiming},
                    NoHypervisor{"leaf empty", kGuest, hypervisor(0x40000010, kKvm), {}},
                    NoHypervisor{"garbage", kGuest, hypervisor(0x40000010, kKvm), {0xffffffff, 0, 0, 0}}),
    [](const auto& param) { return "Row" + std::to_string(param.index); });

TEST(FrequencyClaims, OfThisMachineArePlausible) {
  for (const auto& claim : frequency_claims()) {
    EXPECT_GE(claim.hz, kLowestHz) << claim.method;
    EXPECT_LE(claim.hz, kHighestHz) << claim.method;
    EXPECT_FALSE(claim.method.empty());
  }
}

}  // namespace
}  // namespace fathom::clock::sources
