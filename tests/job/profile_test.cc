// profile=: the jobs that it stands for.
#include "job/profile.h"

#include "job/support.h"

namespace fathom::job {
namespace {

base::Expected<Command> parsed(std::vector<std::string> args) {
  World world;
  auto env = world.env();
  env.memory_mib = 1000;
  return parse_command(args, env);
}

// effect: profile=tiobench block numruns dir
TEST(Profile, TiobenchIsFourJobsOneAfterTheOther) {
  const auto command =
      parsed({"--profile=tiobench", "--size=8", "--block=8192", "--numruns=3", "--dir=/tmp", "--threads=2"});
  ASSERT_TRUE(command.ok()) << command.error().what;
  const auto& jobs = command->jobs.jobs;
  ASSERT_EQ(jobs.size(), 8u);
  const char* const names[] = {"seqwrite", "randwrite", "seqread", "randread"};
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(jobs[i].name, names[i / 2]);
    EXPECT_EQ(jobs[i].filenames.size(), 4u);
    EXPECT_EQ(jobs[i].filenames[3], ".fio.tio.4");
    EXPECT_EQ(jobs[i].directories, std::vector<std::string>{"/tmp"});
    EXPECT_EQ(jobs[i].size.bytes, 8u << 20);
    EXPECT_EQ(jobs[i].bs_min[0], 8192u);
    EXPECT_EQ(jobs[i].loops, 3u);
    EXPECT_EQ(jobs[i].mode.writes, i < 4);
    EXPECT_EQ(jobs[i].mode.random, i / 2 % 2 == 1);
    EXPECT_EQ(jobs[i].stonewall, i >= 2 && i % 2 == 0);
  }
  EXPECT_EQ(parsed({"--profile=tiobench"})->jobs.jobs[0].size.bytes, 4000ull << 20) << "four times the memory";
}

TEST(Profile, NoErrorQuotesALineThatNoUserWrote) {
  const auto command = parsed({"--profile=tiobench", "--size=1", "--threads=999999999"});
  ASSERT_FALSE(command.ok());
  ASSERT_TRUE(command.error().place.has_value());
  EXPECT_EQ(command.error().place->file, "profile=tiobench");
  EXPECT_EQ(command.error().place->line_text, "");
}

// effect: profile=act device-names load test-duration threads-per-queue read-req-num-512-blocks large-block-op-kbytes
TEST(Profile, ActReadsAtARateAndWritesLargeBlocks) {
  const auto command = parsed({"--profile=act", "--device-names=/dev/a,/dev/b", "--load=2", "--test-duration=1h",
                               "--threads-per-queue=4", "--read-req-num-512-blocks=4", "--large-block-op-kbytes=128"});
  ASSERT_TRUE(command.ok()) << command.error().what;
  EXPECT_EQ(command->profile, "act");
  const auto& jobs = command->jobs.jobs;
  ASSERT_EQ(jobs.size(), 10u) << "four that read and one that writes, of each device";
  EXPECT_EQ(jobs[0].name, "act-read-/dev/a");
  EXPECT_EQ(jobs[0].filenames, std::vector<std::string>{"/dev/a"});
  EXPECT_EQ(jobs[0].rate_iops[0], 1000u) << "2000 x 2 / 4";
  EXPECT_EQ(jobs[0].bs_min[0], 2048u);
  EXPECT_EQ(jobs[0].runtime_ns, 3600ull * 1'000'000'000);
  EXPECT_TRUE(jobs[0].direct);
  EXPECT_EQ(jobs[4].bs_min[1], 128u << 10);
  EXPECT_TRUE(jobs[4].mode.writes);
  EXPECT_EQ(jobs[5].filenames, std::vector<std::string>{"/dev/b"});
}

// effect: prep
TEST(Profile, ActPrepWritesTheDevicesFirst) {
  const auto command = parsed({"--profile=act", "--device-names=/dev/a", "--prep"});
  ASSERT_TRUE(command.ok()) << command.error().what;
  for (const auto& job : command->jobs.jobs) EXPECT_FALSE(job.mode.reads);
  EXPECT_FALSE(command->jobs.jobs.empty());
}

TEST(Profile, OptionsBesideAProfileApplyToItsJobs) {
  const auto command = parsed({"--profile=tiobench", "--size=8", "--ioengine=psync"});
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(parsed({"--profile=tiobench", "--size=8", "--iodepth=3"})->jobs.jobs[0].iodepth, 3u);
}

TEST(Profile, MistakesAreReported) {
  EXPECT_EQ(parsed({"--profile=bonnie"}).error().what.find("profile"), 0u);
  EXPECT_NE(parsed({"--profile=act"}).error().what.find("device-names"), std::string::npos);
  EXPECT_NE(parsed({"--profile=act", "--device-names=/dev/a", "--load=0"}).error().what.find("load"),
            std::string::npos);
  EXPECT_NE(parsed({"--profile=tiobench", "--name=a"}).error().what.find("a job in addition to profile=tiobench"),
            std::string::npos);
  EXPECT_NE(parsed({"--name=a", "--size=1m", "--numruns=2"}).error().what.find("without profile="), std::string::npos);
}

}  // namespace
}  // namespace fathom::job
