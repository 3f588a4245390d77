// Words of a kill from what is known of it, the pace of the watch, and that it watches a cgroup's files.
#include "paging/cgroup_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace fathom::paging {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t kMiB = 1 << 20;

TEST(WordsOfKill, NameFreeSwapAndAdviseAHigherLimitOrFewerThreads) {
  const auto words = kill_texts({true, 1, 48 * kMiB, 128 * kMiB, 111 * kMiB, 2});
  EXPECT_THAT(words.cause,
              HasSubstr("OOM killer of its cgroup (limit 48 MiB): at least 111 MiB of 128 MiB swap was free"));
  EXPECT_THAT(words.cause, HasSubstr("2 threads"));
  EXPECT_THAT(words.remedy, HasSubstr("a higher limit or fewer threads"));
  EXPECT_THAT(words.remedy, Not(HasSubstr("more swap")));
}

TEST(WordsOfKill, AdviseMoreSwapWhenItWasFullOrAbsent) {
  EXPECT_THAT(kill_texts({true, 1, 48 * kMiB, 128 * kMiB, 2 * kMiB, 2}).remedy, HasSubstr("more swap"));
  const auto none = kill_texts({true, 1, 48 * kMiB, 0, 0, 2});
  EXPECT_THAT(none.cause, HasSubstr("no swap was active"));
  EXPECT_THAT(none.remedy, HasSubstr("more swap"));
}

TEST(WordsOfKill, DoNotBlameTheCgroupWhenItsOomKillCountIsZero) {
  EXPECT_THAT(kill_texts({true, 0, 48 * kMiB, 128 * kMiB, 128 * kMiB, 1}).cause, HasSubstr("not by the OOM killer"));
  EXPECT_THAT(kill_texts({}).remedy, HasSubstr("dmesg"));
}

TEST(WordsOfKill, NameTheCgroupThatTheRunWasStartedIn) {
  KillFacts facts{true, 1, 0, 0, 0, 1, {"/cg/box", "/slice", 100 * kMiB}};
  EXPECT_THAT(kill_texts(facts).cause,
              HasSubstr("by the OOM killer of the memory group /slice that fathom was started in (limit 100 MiB)"));
  facts.limit_bytes = 64 * kMiB;
  EXPECT_THAT(kill_texts(facts).cause,
              HasSubstr("of its cgroup (limit 64 MiB) or of the group /slice above it (limit 100 MiB)"));
}

TEST(CgroupWatch, RefreshIntervalShrinksWithATighterLimitAndMoreThreads) {
  EXPECT_EQ(refresh_interval_ms(48 * kMiB, 1), 15u);
  EXPECT_EQ(refresh_interval_ms(48 * kMiB, 2), 7u);
  EXPECT_EQ(refresh_interval_ms(1 << 20, 64), 1u);
  EXPECT_EQ(refresh_interval_ms(1ull << 40, 1), 50u);
  EXPECT_EQ(refresh_interval_ms(0, 0), 1u);
}

struct Cgroup {
  Cgroup() {
    char name[] = "/tmp/fathom-watch-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~Cgroup() { std::filesystem::remove_all(path); }
  void put(const char* file, const char* text) const { std::ofstream(path + "/" + file) << text; }
  std::string path;
};

TEST(CgroupWatch, ReadsOomKillsOfCgroupV1AndV2) {
  Cgroup v1, v2;
  v1.put("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
  v1.put("memory.limit_in_bytes", "134217728\n");
  v2.put("memory.events", "low 0\nmax 12\noom 1\noom_kill 1\noom_group_kill 0\n");
  v2.put("memory.max", "max\n");
  const auto first = read_kill_facts(v1.path), second = read_kill_facts(v2.path);
  EXPECT_TRUE(first.counted && second.counted);
  EXPECT_EQ(first.kills, 3u);
  EXPECT_EQ(first.limit_bytes, 128 * kMiB);
  EXPECT_EQ(second.kills, 1u);
  EXPECT_EQ(second.limit_bytes, 0u);
  EXPECT_FALSE(read_kill_facts("").counted);
}

// What the group had killed before is not this run's doing.
TEST(CgroupWatch, CountsOnlyOomKillsSinceItsConstruction) {
  Cgroup box;
  box.put("memory.oom_control", "oom_kill 3\n");
  box.put("memory.limit_in_bytes", "9223372036854771712\n");
  const CgroupWatch watch("", 1, {box.path, "/slice", 100 * kMiB});
  EXPECT_EQ(watch.kill_facts().kills, 0u);
  EXPECT_TRUE(watch.kill_facts().counted);
  box.put("memory.oom_control", "oom_kill 4\n");
  EXPECT_EQ(watch.kill_facts().kills, 1u);
  EXPECT_EQ(watch.kill_facts().limit_bytes, 0u);
  EXPECT_EQ(watch.kill_facts().outside.limited_by, "/slice");
}

TEST(CgroupWatch, StartAndStopReturnAtOnceAlsoWithoutACgroup) {
  Cgroup group;
  group.put("memory.stat", "anon 1\n");
  CgroupWatch watch(group.path, 2), none("", 1), never(group.path, 1);
  watch.start();
  none.start();
  watch.stop();
  watch.stop();
  EXPECT_EQ(watch.kill_facts().threads, 2u);
}

}  // namespace
}  // namespace fathom::paging
