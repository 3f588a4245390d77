// ioscheduler=: the file of the disk is written and read back, on a made-up tree; what will be done otherwise is said.
#include "run/process/process_setup.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "job/fields/process_options.h"

namespace fathom::run::process {
namespace {

namespace fs = std::filesystem;

class IoSchedulerFile : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(::testing::TempDir()) / ("fathom-scheduler-" + std::to_string(::getpid()));
    fs::create_directories(root_);
    struct stat st;
    ASSERT_EQ(::stat(root_.c_str(), &st), 0);
    disk_ = root_ / "sys/dev/block" / (std::to_string(major(st.st_dev)) + ":" + std::to_string(minor(st.st_dev)));
  }
  void TearDown() override { fs::remove_all(root_); }
  fs::path queue(const fs::path& of) {
    fs::create_directories(of / "queue");
    std::ofstream(of / "queue/scheduler") << "mq-deadline\n";
    return of / "queue/scheduler";
  }
  fs::path root_, disk_;
};

// effect: ioscheduler
TEST_F(IoSchedulerFile, ioscheduler_is_of_the_disk_that_holds_the_target) {
  EXPECT_EQ(scheduler_file(root_ / "new", root_), "");
  queue(disk_);
  EXPECT_TRUE(fs::equivalent(scheduler_file(root_ / "new", root_), disk_ / "queue/scheduler"));
}

// effect: ioscheduler
TEST_F(IoSchedulerFile, ioscheduler_of_a_partition_is_its_disk_s) {
  fs::create_directories(disk_);
  queue(disk_.parent_path());
  EXPECT_TRUE(fs::equivalent(scheduler_file(root_, root_), disk_.parent_path() / "queue/scheduler"));
}

// effect: ioscheduler
TEST_F(IoSchedulerFile, ioscheduler_is_written_and_read_back) {
  const auto file = queue(disk_);
  EXPECT_TRUE(switch_scheduler(file, "none").ok());
  std::string line;
  std::getline(std::ifstream(file) >> std::ws, line);
  EXPECT_EQ(line, "none");
  EXPECT_FALSE(switch_scheduler("/proc/version", "none").ok()) << "cannot be written";
  EXPECT_FALSE(switch_scheduler("/dev/null", "none").ok()) << "takes it and has another afterwards";
}

TEST(ProcessNotes, name_options_that_cannot_take_full_effect) {
  files::Plan plan;
  job::Job& job = plan.job;
  plan.targets.emplace_back().path = "/proc/version";
  EXPECT_TRUE(process_notes(plan).empty());
  job.own.get<job::fields::ProcessOptions>().ioscheduler = "none";
  ASSERT_EQ(process_notes(plan).size(), 1u);
  EXPECT_NE(process_notes(plan)[0].find("nothing was switched"), std::string::npos) << "/proc has no disk";
  job.own.get<job::fields::ProcessOptions>().lockmem_bytes = 1ull << 50;
  EXPECT_EQ(process_notes(plan).size(), 2u);
  job.own.get<job::fields::ProcessOptions>().uid = 1;
  EXPECT_EQ(process_notes(plan).size(), 2u);
  job.thread = true;
  EXPECT_EQ(process_notes(plan).size(), 3u);
}

}  // namespace
}  // namespace fathom::run::process
