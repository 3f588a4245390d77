// DAMON's files as a folder of plain ones: who may have it, what is written, and that it is restored. The kernel's own
// is used in tests/guest/learn/damon.py.
#include "paging/learn/observe/damon_sysfs.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "host/proc/text_file.h"

namespace fathom::paging::learn::observe {
namespace {

namespace fs = std::filesystem;

class DamonSysfs : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "damon." + std::to_string(getpid());
    note_ = folder_ + "/note";
    put("kdamonds/nr_kdamonds", "0");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void put(const std::string& file, const std::string& text) {
    fs::create_directories(fs::path(folder_ + "/" + file).parent_path());
    std::ofstream(folder_ + "/" + file) << text << "\n";
  }
  std::string get(const std::string& file) const { return host::proc::read_line(folder_ + "/" + file); }

  // All files that the kernel makes when numbers of things are written.
  void make_kdamond(std::size_t regions) {
    const std::string one = "kdamonds/0/", context = one + "contexts/0/", scheme = context + "schemes/0/";
    put(one + "state", "off");
    put(one + "contexts/nr_contexts", "0");
    for (const char* file :
         {"operations", "monitoring_attrs/intervals/sample_us", "monitoring_attrs/intervals/aggr_us",
          "monitoring_attrs/intervals/update_us", "monitoring_attrs/nr_regions/min", "monitoring_attrs/nr_regions/max",
          "targets/nr_targets", "schemes/nr_schemes", "targets/0/pid_target", "targets/0/regions/nr_regions"})
      put(context + file, "");
    put(scheme + "action", "");
    for (const char* measure : {"sz", "nr_accesses", "age"})
      for (const char* end : {"min", "max"}) put(scheme + "access_pattern/" + measure + "/" + end, "");
    for (std::size_t i = 0; i < regions; ++i) {
      put(context + "targets/0/regions/" + std::to_string(i) + "/start", "");
      put(context + "targets/0/regions/" + std::to_string(i) + "/end", "");
    }
  }

  std::string folder_, note_;
};

TEST_F(DamonSysfs, IsRefusedWhileAKdamondRuns) {
  make_kdamond(0);
  put("kdamonds/0/state", "on");
  put("kdamonds/0/pid", "77");
  put("kdamonds/nr_kdamonds", "1");
  Damon damon(folder_, note_);
  const auto cause = damon.cause_against("fvaddr");
  ASSERT_TRUE(cause);
  EXPECT_NE(cause->find("DAMON is already in use"), std::string::npos) << *cause;
  const auto started = damon.start({"fvaddr", 1, {4096, 8192, 12288}, 1000, 10});
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().kind, base::ErrorKind::refused);
  EXPECT_EQ(get("kdamonds/0/state"), "on");
  EXPECT_FALSE(fs::exists(note_));
}

TEST_F(DamonSysfs, IsRefusedWhileAContextIsConfigured) {
  make_kdamond(0);
  put("kdamonds/0/contexts/nr_contexts", "1");
  EXPECT_TRUE(Damon(folder_, note_).cause_against("fvaddr"));
}

TEST_F(DamonSysfs, IsRefusedWithoutItsSysfsFolder) { EXPECT_TRUE(Damon(folder_ + "/x", note_).cause_against("paddr")); }

TEST_F(DamonSysfs, IsRefusedWhenTheKernelLacksTheOperations) {
  put("symbols", "ffffffff81000000 t damon_pa_young");
  EXPECT_TRUE(Damon(folder_, note_, folder_ + "/symbols").cause_against("fvaddr"));
  EXPECT_FALSE(Damon(folder_, note_, folder_ + "/symbols").cause_against("paddr"));
}

TEST_F(DamonSysfs, StartWritesOneRegionAPageAndStopRestoresAllFiles) {
  make_kdamond(3);
  put("kdamonds/0/state", "");  // a plain file keeps what is longer than the next write
  {
    Damon damon(folder_, note_, "/nonexistent");
    const auto started = damon.start({"fvaddr", 4711, {4096, 8192, 40960}, 5000, 20});
    ASSERT_TRUE(started.ok()) << started.error().what;
    EXPECT_EQ(get("kdamonds/0/state"), "on");
    const std::string context = "kdamonds/0/contexts/0/";
    EXPECT_EQ(get(context + "monitoring_attrs/intervals/aggr_us"), "100000");
    EXPECT_EQ(get(context + "monitoring_attrs/nr_regions/min"), "3");
    EXPECT_EQ(get(context + "monitoring_attrs/nr_regions/max"), "3");
    EXPECT_EQ(get(context + "targets/0/pid_target"), "4711");
    EXPECT_EQ(get(context + "targets/0/regions/2/start"), "40960");
    EXPECT_EQ(get(context + "targets/0/regions/2/end"), "45056");
    EXPECT_TRUE(fs::exists(note_));
    EXPECT_EQ(undo_left_damon(folder_, note_).outcome, DamonLeft::Outcome::nothing) << "its owner lives";
  }
  EXPECT_EQ(get("kdamonds/0/state").substr(0, 3), "off");
  EXPECT_EQ(get("kdamonds/nr_kdamonds"), "0");
  EXPECT_FALSE(fs::exists(note_));
}

// What a `learn` that was killed in the midst of it leaves: files and the note.
class UndoLeftDamon : public DamonSysfs {
 protected:
  void SetUp() override {
    DamonSysfs::SetUp();
    make_kdamond(3);
    put("kdamonds/0/state", "");
    put("kdamonds/0/pid", "815");
    const pid_t child = fork();
    if (child == 0) {
      Damon damon(folder_, note_, "/nonexistent");
      _exit(damon.start({"fvaddr", 4711, {4096, 8192, 40960}, 5000, 20}).ok() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
    ASSERT_TRUE(is_on() && fs::exists(note_));
  }
  bool is_on() const { return get("kdamonds/0/state") == "on"; }
  void expect_left_alone() {
    const DamonLeft left = undo_left_damon(folder_, note_);
    EXPECT_EQ(left.outcome, DamonLeft::Outcome::left_alone) << left.says;
    EXPECT_NE(left.says.find("left alone"), std::string::npos) << left.says;
    EXPECT_TRUE(is_on());
    EXPECT_EQ(get("kdamonds/nr_kdamonds"), "1");
    EXPECT_EQ(undo_left_damon(folder_, note_).outcome, DamonLeft::Outcome::nothing) << "said once";
  }
  static constexpr char kContext[] = "kdamonds/0/contexts/0/";
};

TEST_F(UndoLeftDamon, TheNextStartRestoresDamon) {
  EXPECT_EQ(undo_left_damon(folder_, note_).outcome, DamonLeft::Outcome::restored);
  EXPECT_EQ(get("kdamonds/0/state").substr(0, 3), "off");
  EXPECT_EQ(get("kdamonds/nr_kdamonds"), "0");
  EXPECT_FALSE(fs::exists(note_));
  EXPECT_EQ(undo_left_damon(folder_, note_).outcome, DamonLeft::Outcome::nothing) << "nothing is left";
}

TEST_F(UndoLeftDamon, ARecycledPidIsNotTheOwner) {
  auto note = parse_note(host::proc::read_text(note_));
  ASSERT_TRUE(note);
  note->owner.pid = getpid();  // given again to a process that lives
  ++note->owner.start_ticks;   // which may have begun in the same tick as its child
  ASSERT_TRUE(save_note(note_, *note).ok());
  EXPECT_EQ(undo_left_damon(folder_, note_).outcome, DamonLeft::Outcome::restored);
}

TEST_F(UndoLeftDamon, AnotherUpdateIntervalIsLeftAlone) {
  put(std::string(kContext) + "monitoring_attrs/intervals/update_us", "60000000");
  expect_left_alone();
}

TEST_F(UndoLeftDamon, AnotherKdamondPidIsLeftAlone) {
  put("kdamonds/0/pid", "816");
  expect_left_alone();
}

TEST_F(UndoLeftDamon, AnotherTargetPidIsLeftAlone) {
  put(std::string(kContext) + "targets/0/pid_target", "1");
  expect_left_alone();
}

TEST_F(UndoLeftDamon, AnotherSchemeActionIsLeftAlone) {
  put(std::string(kContext) + "schemes/0/action", "pageout");
  expect_left_alone();
}

TEST_F(UndoLeftDamon, ADamagedNoteLeavesDamonAlone) {
  std::ofstream(note_, std::ios::trunc) << "4711 0\n";
  expect_left_alone();
}

TEST_F(UndoLeftDamon, DamonTurnedOffMeanwhileOnlyRemovesTheNote) {
  fs::remove_all(folder_ + "/kdamonds/0");
  put("kdamonds/nr_kdamonds", "0");
  EXPECT_EQ(undo_left_damon(folder_, note_).outcome, DamonLeft::Outcome::nothing);
  EXPECT_FALSE(fs::exists(note_));
}

TEST_F(UndoLeftDamon, AnUnconfiguredKdamondIsRemoved) {
  fs::remove_all(folder_ + "/kdamonds/0");
  put("kdamonds/0/state", "off");
  put("kdamonds/0/contexts/nr_contexts", "0");
  EXPECT_EQ(undo_left_damon(folder_, note_).outcome, DamonLeft::Outcome::restored);
  EXPECT_EQ(get("kdamonds/nr_kdamonds"), "0");
}

TEST_F(UndoLeftDamon, ANoteWithoutTheKdamondPidStillRestores) {
  auto note = parse_note(host::proc::read_text(note_));
  ASSERT_TRUE(note);
  EXPECT_EQ(note->kdamond, 815);
  note->kdamond = 0;
  ASSERT_TRUE(save_note(note_, *note).ok());
  EXPECT_EQ(undo_left_damon(folder_, note_).outcome, DamonLeft::Outcome::restored);
}

TEST_F(DamonSysfs, SettingsChangedByAnotherAreNotTurnedOff) {
  make_kdamond(3);
  put("kdamonds/0/state", "");
  {
    Damon damon(folder_, note_, "/nonexistent");
    ASSERT_TRUE(damon.start({"fvaddr", 4711, {4096, 8192, 40960}, 5000, 20}).ok());
    put("kdamonds/0/contexts/0/monitoring_attrs/intervals/update_us", "1000000");
    const auto again = damon.start({"fvaddr", 4711, {4096, 8192, 40960}, 9000, 20});
    ASSERT_FALSE(again.ok());
    EXPECT_EQ(again.error().kind, base::ErrorKind::refused);
  }
  EXPECT_EQ(get("kdamonds/0/state"), "on");
  EXPECT_FALSE(fs::exists(note_));
}

TEST(DamonNote, ParsesWhatFormatWroteAndNothingDamaged) {
  const DamonNote note{{123, 456}, "0", "fvaddr", 77, 1ull << 41, 9};
  EXPECT_EQ(parse_note(format_note(note)), note);
  const std::string text = format_note(note);
  for (std::size_t n = 0; n < text.size(); ++n) EXPECT_FALSE(parse_note(text.substr(0, n))) << n;
  EXPECT_FALSE(parse_note("damon 1 2 x fvaddr 77 5 9\n"));
}

}  // namespace
}  // namespace fathom::paging::learn::observe
