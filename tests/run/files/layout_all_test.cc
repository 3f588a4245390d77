// create_serialize: who lays out beside whom.
#include "run/files/layout_all.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "job/fields/files.h"

namespace fathom::run::files {
namespace {

using namespace std::chrono_literals;

class LayoutAll : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/fathom-layouts-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    directory_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  Plan plan(const std::string& file, bool serialize) const {
    job::Job job;
    job.name = "j";
    job.mode = {.reads = true};
    job.directories = {directory_};
    job.filenames = {file};
    job.size = {4096, 0, true};
    job.own.get<job::fields::FileOptions>().create_serialize = serialize;
    auto made = plan_targets(job);
    EXPECT_TRUE(made.ok());
    return *made;
  }
  // Most layouts that were under way at one time; each waits a while for a second one.
  std::size_t at_a_time(std::vector<Plan> plans, std::chrono::milliseconds patience = 60s) {
    std::mutex mutex;
    std::condition_variable came;
    std::size_t here = 0, most = 0;
    const DescriptorLook look = [&](const std::string&, int) {
      std::unique_lock<std::mutex> lock(mutex);
      most = std::max(most, ++here);
      came.notify_all();
      came.wait_for(lock, patience, [&] { return most > 1; });
      --here;
      return base::Expected<void>();
    };
    const std::atomic<std::uint32_t> stop{0};
    const auto made = lay_out_jobs(plans, {}, stop, look);
    for (const auto& one : made) EXPECT_TRUE(one && one->ok());
    return most;
  }
  std::string directory_;
};

// effect: create_serialize
TEST_F(LayoutAll, CreateSerializeLaysOutOneJobAtATime) {
  EXPECT_EQ(at_a_time({plan("a", true), plan("b", true)}, 100ms), 1u);
  EXPECT_EQ(at_a_time({plan("c", false), plan("d", false)}), 2u);
  EXPECT_EQ(at_a_time({plan("e", true), plan("f", false)}), 2u);
}

TEST_F(LayoutAll, JobsThatShareAFileAreLaidOutInTurn) {
  EXPECT_EQ(at_a_time({plan("a", false), plan("a", false)}, 100ms), 1u);
}

TEST_F(LayoutAll, AJobThatFailedPlanningIsNotLaidOut) {
  std::vector<Plan> plans{plan("a", false), plan("b", false)};
  plans[0].failed = base::Error{};
  const std::atomic<std::uint32_t> stop{0};
  const auto made = lay_out_jobs(plans, {}, stop, {});
  EXPECT_FALSE(made[0].has_value());
  EXPECT_TRUE(made[1] && made[1]->ok());
}

}  // namespace
}  // namespace fathom::run::files
