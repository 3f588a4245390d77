// Journal lines, swap headers, switch values, and the arithmetic of what fits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "paging/pressure/fake_machine.h"
#include "paging/pressure/fit.h"
#include "paging/pressure/state/journal.h"
#include "paging/pressure/state/switches.h"
#include "paging/pressure/swap/swap_header.h"

namespace fathom::paging {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(PressureJournal, ParsesEveryEntryThatItWrites) {
  const std::vector<pressure::state::Entry> entries = {
      {pressure::state::Action::cgroup, {"/sys/fs/cgroup/memory/fathom-paging-12"}},
      {pressure::state::Action::set_switch, {"vm.swappiness", "60", "0"}},
      {pressure::state::Action::zram_intent, {pressure::state::id_list({0, 7}), "123456789"}},
      {pressure::state::Action::zram, {"3", "99", "0123456789abcdef0123456789abcdef"}},
      {pressure::state::Action::file, {"/var/tmp/a b%\n\xc3\xa4", "1", "2", "3"}},
      {pressure::state::Action::device, {"/dev/sdb1", "2049", "0123456789abcdef0123456789abcdef"}},
      {pressure::state::Action::swap_off, {"/swap file", "-2", "keep"}},
      {pressure::state::Action::asked, {"/var/tmp/a b", "file:/var/tmp/a b:1048576:"}},
  };
  std::string text;
  for (const pressure::state::Entry& e : entries) text += pressure::state::format_entry(e);
  const auto parsed = pressure::state::parse_journal(text);
  EXPECT_EQ(parsed.entries, entries);
  EXPECT_EQ(parsed.not_understood, 0u);
  EXPECT_THAT(parsed.entries[2].ids(0), ElementsAre(0, 7));
  EXPECT_THAT(
      (pressure::state::Entry{pressure::state::Action::zram_intent, {pressure::state::id_list({}), "1"}}.ids(0)),
      ElementsAre());
}

TEST(PressureJournal, IgnoresATornLastLine) {
  const auto parsed = pressure::state::parse_journal("zram 3 99 keep\nfile /var/tmp/s 1 2");
  EXPECT_EQ(parsed.entries.size(), 1u);
  EXPECT_EQ(parsed.not_understood, 0u);
}

TEST(PressureJournal, RejectsMalformedLines) {
  for (const char* line : {"zram",
                           "zram 3",
                           "zram -3 1 keep",
                           "zram 3 1",
                           "zram 3 1 4",
                           "zram 3 1 keep 4",
                           "swap-off /s 5",
                           "zram 3x 1 keep",
                           "rm /etc",
                           "file etc 1 2 3",
                           "file /a/../b 1 2 3",
                           "file /a%00b 1 2 3",
                           "file /a%2 1 2 3",
                           "file /a%zz 1 2 3",
                           "switch kernel.core_pattern a b",
                           "switch vm.swappiness 60 a%20b",
                           "switch vm.swappiness 60 %2Fbin",
                           "device /dev/sda 1 short",
                           "swap-off /s 99999 keep",
                           "zram-intent 1,,2 5",
                           "zram-intent 1,-2 5",
                           "cgroup /",
                           "",
                           "zram 99999999999999999999 1 keep"}) {
    const auto parsed = pressure::state::parse_journal(std::string(line) + "\n");
    EXPECT_TRUE(parsed.entries.empty()) << line;
    EXPECT_EQ(parsed.not_understood, 1u) << line;
  }
}

TEST(PressureJournal, RunNamesParseStrictly) {
  EXPECT_EQ(pressure::state::run_name({12, 345}), "12-345");
  EXPECT_EQ(pressure::state::parse_run_name("12-345"), (pressure::state::RunId{12, 345}));
  for (const char* name : {"lock", "12", "12-", "-5", "0-1", "12-345.tmp", "012-5", "12-3-4", "a-1"}) {
    EXPECT_FALSE(pressure::state::parse_run_name(name)) << name;
  }
}

TEST(PressureJournal, ReadsTheStartTimeBehindANameWithBlanksAndBrackets) {
  const std::string rest = " 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 777 5 6";
  EXPECT_EQ(pressure::state::start_of_living("12 (a) S (b)) S" + rest), 777u);
  EXPECT_FALSE(pressure::state::start_of_living("12 (a) Z" + rest));
  EXPECT_FALSE(pressure::state::start_of_living("12 (a) S 1 2"));
  EXPECT_FALSE(pressure::state::start_of_living(""));
}

TEST(SwapHeader, HasTheKernelsLayout) {
  pressure::swap::SwapUuid uuid;
  for (std::size_t i = 0; i < uuid.size(); ++i) uuid[i] = static_cast<std::byte>(i);
  const auto page = pressure::swap::swap_page(1 << 20, 4096, uuid, "fathom");
  ASSERT_EQ(page.size(), 4096u);
  EXPECT_EQ(std::memcmp(page.data() + 4086, "SWAPSPACE2", 10), 0);
  std::uint32_t numbers[3];
  std::memcpy(numbers, page.data() + 1024, sizeof numbers);
  EXPECT_THAT(numbers, ElementsAre(1u, 255u, 0u));  // version, last page, bad pages
  EXPECT_EQ(std::memcmp(page.data() + 1036, uuid.data(), 16), 0);
  EXPECT_EQ(std::memcmp(page.data() + 1052, "fathom\0", 7), 0);
  const auto header = pressure::swap::parse_swap_page(page);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->pages, 256u);
  EXPECT_EQ(header->uuid, "000102030405060708090a0b0c0d0e0f");
  EXPECT_EQ(header->label, "fathom");
}

TEST(SwapHeader, RejectsEmptyAndHibernationPages) {
  EXPECT_FALSE(pressure::swap::parse_swap_page({}));
  EXPECT_FALSE(pressure::swap::parse_swap_page(std::vector<std::byte>(4096)));
  auto hibernated = pressure::swap::swap_page(1 << 20, 4096, pressure::swap::random_uuid(), "");
  std::memcpy(hibernated.data() + 4086, "S1SUSPEND\0", 10);
  EXPECT_FALSE(pressure::swap::parse_swap_page(hibernated)) << "an image of a suspended system lies there";
  EXPECT_NE(pressure::swap::uuid_hex(pressure::swap::random_uuid()),
            pressure::swap::uuid_hex(pressure::swap::random_uuid()));
}

TEST(ParseActiveSwaps, ReadsProcSwapsWithEscapedNames) {
  const auto swaps = pressure::swap::parse_active_swaps(
      "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/dev/zram0                              "
      "partition\t1048572\t\t512\t\t100\n"
      "/my\\040swap                              file\t\t2048\t\t0\t\t-2\n");
  ASSERT_EQ(swaps.size(), 2u);
  EXPECT_EQ(swaps[0].path, "/dev/zram0");
  EXPECT_EQ(swaps[0].size_bytes, 1048572u * 1024);
  EXPECT_EQ(swaps[0].used_bytes, 512u * 1024);
  EXPECT_EQ(swaps[1].path, "/my swap");
  EXPECT_EQ(swaps[1].priority, -2);
}

TEST(SwitchValue, IsWrittenInTheKernelsSpelling) {
  testing::FakeMachine machine;
  const auto value = [&](const char* name, const char* written) {
    const auto v = pressure::state::switch_value(machine, *pressure::state::find_switch(name), written);
    return v.ok() ? *v : "error: " + v.error().help;
  };
  EXPECT_EQ(value("vm.swappiness", "0100"), "100");
  EXPECT_EQ(value("vm.swappiness", "many"), "error: write a number");
  EXPECT_EQ(value("zswap.enabled", "on"), "Y");
  EXPECT_EQ(value("zswap.enabled", "0"), "N");
  EXPECT_EQ(value("numa.demotion_enabled", "Yes"), "true");
  EXPECT_EQ(value("lru_gen.enabled", "y"), "0x0007");
  EXPECT_EQ(value("lru_gen.enabled", "0x5"), "0x0005");
  EXPECT_EQ(value("thp.enabled", "never"), "never");
  EXPECT_EQ(value("thp.enabled", "sometimes"), "error: write one of always, madvise, never");
  EXPECT_EQ(value("zswap.compressor", "a/b"), "error: write one word");
  EXPECT_EQ(pressure::state::read_switch(machine, *pressure::state::find_switch("thp.enabled")), "madvise");
  EXPECT_FALSE(pressure::state::read_switch(machine, *pressure::state::find_switch("lru_gen.enabled")));
}

constexpr std::uint64_t kGiB = 1ull << 30;
struct Fit {
  Fit() {
    plan.region.set_bytes = kGiB;
    plan.duration_s = 1;
    facts.ram_bytes = 16 * kGiB;
    pressure.limit_bytes = kGiB / 2;
    pressure.swap = {SwapPlan::Kind::zram, "zram:1G", "", kGiB, ""};
  }
  std::string refusal() const {
    const auto fits = pressure::judge_fit(plan, pressure, facts);
    auto copy = fits;
    return fits.ok() ? "" : copy.error().what + " | " + copy.error().cause + " | " + copy.error().help;
  }
  Plan plan;
  PressurePlan pressure;
  pressure::FitFacts facts;
};

TEST(JudgeFit, ASetAboveLimitPlusSwapIsRefusedUnlessForced) {
  Fit fit;
  EXPECT_EQ(fit.refusal(), "");
  fit.plan.region.set_bytes = 4 * kGiB;
  EXPECT_THAT(fit.refusal(), HasSubstr("the set of 4 GiB does not fit into 1.5 GiB"));
  EXPECT_THAT(fit.refusal(),
              HasSubstr("limit 512 MiB + swap 1 GiB (zram:1G) = 1.5 GiB, less 16.5 MiB for the measurement itself"));
  EXPECT_THAT(fit.refusal(), HasSubstr("--set 1519M or less"));
  fit.pressure.force = true;
  EXPECT_EQ(fit.refusal(), "");
}

TEST(JudgeFit, TheSetCountsOncePerProcess) {
  Fit fit;
  fit.plan.processes = 2;
  EXPECT_THAT(fit.refusal(), HasSubstr("2 sets of 1 GiB = 2 GiB does not fit"));
}

// pmbench -i writes all of its map, however little of it is touched later.
TEST(JudgeFit, AFilledMapMustFitInsteadOfTheSet) {
  Fit fit;
  fit.plan.region.map_bytes = 4 * kGiB;
  EXPECT_EQ(fit.refusal(), "");
  fit.plan.region.fill = Fill::random;
  EXPECT_EQ(fit.refusal(), "");
  fit.plan.region.fill_map = true;
  EXPECT_THAT(fit.refusal(), HasSubstr("the filled map of 4 GiB does not fit into 1.5 GiB"));
  EXPECT_THAT(fit.refusal(), HasSubstr("--map 1519M (pmbench: -m 1519) or less"));
  fit.plan.processes = 2;
  EXPECT_THAT(fit.refusal(), HasSubstr("2 filled maps of 4 GiB = 8 GiB does not fit"));
}

TEST(JudgeFit, ALimitBelowTheMeasurementsOwnMemoryIsRefusedEvenWithForce) {
  Fit fit;
  fit.plan.region.set_bytes = 1 << 20;
  fit.pressure.limit_bytes = 4 << 20;
  fit.pressure.force = true;
  EXPECT_THAT(fit.refusal(), HasSubstr("limit of 4 MiB is less than the measurement itself needs"));
  EXPECT_THAT(fit.refusal(), HasSubstr("8.5 MiB for 1 thread |"));
  EXPECT_THAT(fit.refusal(), HasSubstr("--limit 9M"));
}

TEST(JudgeFit, ThreadsThatNeedMoreThanTheMachinesMemoryAreRefusedEvenWithForce) {
  Fit fit;
  fit.pressure = {};
  fit.pressure.force = true;
  fit.plan.threads = 4096;
  fit.plan.processes = 1024;
  EXPECT_THAT(fit.refusal(), HasSubstr("the measurement itself needs 2.0 TiB, more than the memory of 16 GiB"));
  EXPECT_THAT(fit.refusal(), HasSubstr("4096 threads in each of 1024 processes"));
}

TEST(JudgeFit, WithoutALimitMemoryPlusActiveSwapCounts) {
  Fit fit;
  fit.pressure = {};
  fit.plan.region.set_bytes = 17 * kGiB;
  EXPECT_THAT(fit.refusal(), HasSubstr("memory 16 GiB + no swap"));
  fit.facts.active = {{"/dev/sda2", "partition", 4 * kGiB, kGiB, -2}};
  EXPECT_EQ(fit.refusal(), "");
  fit.plan.region.map_bytes = 1024 * kGiB;
  EXPECT_EQ(fit.refusal(), "") << "a map of any size";
  fit.facts.active[0].used_bytes = 4 * kGiB;
  EXPECT_THAT(fit.refusal(), HasSubstr("/dev/sda2 0 B free"));
}

TEST(JudgeFit, ZramCountsOnlyWhatCompressionSaves) {
  Fit fit;
  fit.pressure.limit_bytes = 0;
  fit.pressure.swap.size_bytes = 8 * kGiB;
  fit.plan.region.set_bytes = 20 * kGiB;
  EXPECT_EQ(fit.refusal(), "");
  fit.plan.region.fill = Fill::random;
  EXPECT_THAT(fit.refusal(), HasSubstr("pages that do not compress stay in memory"));
  fit.plan.region.fill = Fill::compressible;
  fit.plan.region.fill_percent = 75;
  EXPECT_EQ(fit.refusal(), "");
}

TEST(JudgeFit, OtherActiveSwapsCountUnlessOnlyTurnsThemOff) {
  Fit fit;
  fit.plan.region.set_bytes = 3 * kGiB;
  fit.facts.active = {{"/dev/sda2", "partition", 4 * kGiB, 0, -2}};
  EXPECT_EQ(fit.refusal(), "");
  fit.pressure.only = true;
  EXPECT_NE(fit.refusal(), "");
  fit.pressure.only = false;
  fit.pressure.swap = {SwapPlan::Kind::none, "none", "", 0, ""};
  EXPECT_THAT(fit.refusal(), HasSubstr("limit 512 MiB + no swap"));
}

TEST(JudgeFit, SwapNoneCountsNoSwapWithOrWithoutALimit) {
  Fit fit;
  fit.pressure = {};
  fit.pressure.swap = {SwapPlan::Kind::none, "none", "", 0, ""};
  fit.plan.region.set_bytes = 17 * kGiB;
  fit.facts.active = {{"/dev/sda2", "partition", 4 * kGiB, 0, -2}};
  EXPECT_THAT(fit.refusal(), HasSubstr("memory 16 GiB + no swap"));
}

TEST(JudgeFit, AnActiveSwapDeviceNamedByASymlinkCountsOnce) {
  Fit fit;
  fit.plan.region.set_bytes = 2 * kGiB;
  fit.pressure.swap = {SwapPlan::Kind::device, "dev:/dev/by-id/x", "/dev/by-id/x", 0, ""};
  fit.facts.swap_device_bytes = kGiB;
  fit.facts.active = {{"/dev/sda2", "partition", kGiB, 0, -2}};
  fit.facts.swap_device_active = "/dev/sda2";
  EXPECT_THAT(fit.refusal(), HasSubstr("does not fit into 1.5 GiB"));
}

TEST(JudgeFit, FileBackedMemoryNeedsNoSwap) {
  Fit fit;
  fit.plan.region.set_bytes = 100 * kGiB;
  fit.pressure.limit_bytes = 2 * kGiB;
  fit.plan.region.memory = Memory::file_shared;
  EXPECT_EQ(fit.refusal(), "");
  fit.plan.region.memory = Memory::file_private;
  EXPECT_NE(fit.refusal(), "");
  fit.plan.pattern.read_percent = 100;
  EXPECT_EQ(fit.refusal(), "");
  fit.plan.region.memory = Memory::hugetlb;
  EXPECT_EQ(fit.refusal(), "");
}

}  // namespace
}  // namespace fathom::paging
