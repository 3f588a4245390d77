// What a verifying job does beside writing first and reading afterwards: reading back between the writes, trimming some
// of them again, waiting for fsyncs, checking in threads, dumping what is wrong.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/system/fd.h"
#include "loops/flow.h"

namespace fathom::loops {
namespace {

class VerifyBetween : public ::testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    char name[] = "/var/tmp/fathom-between-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    directory_ = name;
    quick_ = quick_folder();
  }
  void TearDown() override {
    std::filesystem::remove_all(directory_);
    std::filesystem::remove_all(quick_);
  }
  std::string file() const { return directory_ + "/f"; }
  static std::string common() {
    const Way way = GetParam();
    return std::string("verify=crc32c\nsize=1m\nioengine=") + way.engine + "\niodepth=" + std::to_string(way.depth) +
           "\n";
  }
  result::Job run(const std::string& text) const {
    const auto result = run_text("[v]\nfilename=" + file() + "\n" + common() + text);
    return result.jobs.empty() ? result::Job{} : result.jobs[0];
  }
  // One that accuses nobody.
  result::Job clean(const std::string& text) const {
    auto job = run(text);
    EXPECT_EQ(job.error, 0) << text << (job.errors.empty() ? "" : "\n" + job.errors[0].message);
    EXPECT_EQ(job.error_count, 0u) << text;
    return job;
  }
  // One a text, all at once, each on a file of its own.
  std::vector<result::Job> clean_all(const std::vector<std::string>& texts, const std::string& more) const {
    auto jobs = run_sections(common() + "verify_state_save=0\n" + more, quick_ + "/f", texts);
    EXPECT_EQ(jobs.size(), texts.size());
    jobs.resize(texts.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      EXPECT_EQ(jobs[i].error, 0) << texts[i] << (jobs[i].errors.empty() ? "" : "\n" + jobs[i].errors[0].message);
      EXPECT_EQ(jobs[i].error_count, 0u) << texts[i];
    }
    return jobs;
  }
  std::string contents() const { return contents(file()); }
  static std::string contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void spoil(std::uint64_t offset) const {
    const base::system::UniqueFd fd(::open(file().c_str(), O_RDWR | O_CLOEXEC));
    char byte = 0;
    ASSERT_EQ(::pread(fd.get(), &byte, 1, static_cast<off_t>(offset)), 1);
    byte = static_cast<char>(~byte);
    ASSERT_EQ(::pwrite(fd.get(), &byte, 1, static_cast<off_t>(offset)), 1);
  }
  static std::uint64_t zero_blocks(const std::string& path) {
    const auto bytes = contents(path);
    std::uint64_t blocks = 0;
    for (std::size_t at = 0; at + 4096 <= bytes.size(); at += 4096)
      blocks += bytes.find_first_not_of('\0', at) >= at + 4096;
    return blocks;
  }
  std::string directory_, quick_;
};

INSTANTIATE_TEST_SUITE_P(Engines, VerifyBetween,
                         ::testing::Values(Way{"psync", 1}, Way{"io_uring", 16}, Way{"libaio", 8}),
                         [](const auto& i) { return i.param.engine + std::to_string(i.param.depth); });

std::uint64_t judged(const result::Job& job) {
  const auto& v = job.verified;
  return v.exact + v.some_version + v.withheld + v.overwritten;
}

// effect: verify_backlog
TEST_P(VerifyBetween, VerifyBacklogReadsBackBeforeTheEnd) {
  const std::vector<std::string> texts = {"rw=write",
                                          "rw=randwrite",
                                          "rw=randwrite\nbsrange=1k-16k",
                                          "rw=write\nloops=3",
                                          "rw=randwrite\nfsync=70",
                                          "rw=randwrite\nnorandommap",
                                          "rw=randwrite\nrandom_distribution=zipf:1.2\nio_size=4m",
                                          "rw=randrw"};
  const auto jobs = clean_all(texts, "verify_backlog=32\n");
  for (std::size_t i = 0; i < jobs.size(); ++i) EXPECT_EQ(judged(jobs[i]), jobs[i].dirs[1].bytes) << texts[i];
  const auto only_between = clean_all(texts, "verify_backlog=32\ndo_verify=0\n");
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_GT(only_between[i].verified.exact, 0u) << texts[i];
    EXPECT_EQ(only_between[i].read_back_ns, 0u) << texts[i];
  }
}

// effect: verify_backlog_batch
TEST_P(VerifyBetween, VerifyBacklogBatchSetsTheReadsInARow) {
  const auto all = clean("rw=write\nverify_backlog=64\ndo_verify=0\nnumber_ios=160");
  EXPECT_EQ(all.dirs[1].ios, 160u);
  EXPECT_GE(all.dirs[0].ios, 64u);
  EXPECT_LE(all.dirs[0].ios, 128u);
  const auto some = clean("rw=write\nverify_backlog=64\nverify_backlog_batch=1\ndo_verify=0\nnumber_ios=160");
  EXPECT_GE(some.dirs[0].ios, 80u);
  EXPECT_LE(some.dirs[0].ios, 97u) << "one for each write beyond the backlog";
}

TEST_P(VerifyBetween, ATimeBasedJobWithABacklogVerifiesEveryByte) {
  const auto job = clean("rw=randwrite\ntime_based\nruntime=300ms\nverify_backlog=64");
  EXPECT_GT(job.dirs[0].ios, 0u);
  EXPECT_EQ(judged(job), job.dirs[1].bytes);
}

// effect: trim_percentage trim_backlog
TEST_P(VerifyBetween, TrimmedBlocksReadBackAsZeroes) {
  const std::vector<std::string> texts = {"rw=write", "rw=randwrite", "rw=randwrite\nverify_backlog=16"};
  const auto jobs = clean_all(texts, "size=512k\ntrim_percentage=50\ntrim_backlog=16\n");
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& job = jobs[i];
    EXPECT_GT(job.dirs[2].ios, 38u) << texts[i];
    EXPECT_LT(job.dirs[2].ios, 90u) << texts[i];
    EXPECT_EQ(zero_blocks(quick_ + "/f" + std::to_string(i)), job.dirs[2].ios) << texts[i];
    EXPECT_EQ(judged(job), job.dirs[1].bytes) << texts[i];
    EXPECT_EQ(job.dirs[0].ios, 128u) << texts[i] << ": zeroes are read too";
  }
  const auto all = clean("rw=write\nsize=256k\ntrim_percentage=100\ntrim_backlog=4");
  EXPECT_GE(all.dirs[2].ios, 64u - static_cast<std::uint64_t>(GetParam().depth));
}

TEST_P(VerifyBetween, TrimsOfOverwrittenBlocksRaiseNoError) {
  const std::vector<std::string> texts = {"rw=randwrite\nnorandommap\nio_size=1m", "rw=write\nloops=3",
                                          "rw=randwrite\nnorandommap\nio_size=1m\nverify_backlog=20"};
  const auto jobs = clean_all(texts, "size=256k\ntrim_percentage=40\ntrim_backlog=8\n");
  for (std::size_t i = 0; i < jobs.size(); ++i) EXPECT_GT(jobs[i].dirs[2].ios, 12u) << texts[i];
}

// effect: trim_verify_zero
TEST_P(VerifyBetween, WithoutTrimVerifyZeroTrimmedBlocksAreNotRead) {
  const auto job = clean("rw=write\nsize=256k\ntrim_percentage=50\ntrim_backlog=16\ntrim_verify_zero=0");
  EXPECT_EQ(job.dirs[0].ios, 64u - job.dirs[2].ios);
}

// The job's own trims.
TEST_P(VerifyBetween, TrimwriteJobsVerifyEveryByte) {
  const std::vector<std::string> texts = {"rw=trimwrite", "rw=randtrimwrite",
                                          "rw=randtrimwrite\nnorandommap\nio_size=768k"};
  const auto jobs = clean_all(texts, "size=256k\n");
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_GT(jobs[i].dirs[2].ios, 0u) << texts[i];
    EXPECT_EQ(judged(jobs[i]), jobs[i].dirs[1].bytes) << texts[i];
  }
}

// effect: verify_policy
TEST_P(VerifyBetween, VerifyPolicyFsyncedChecksOnlySyncedWrites) {
  const auto job = clean("rw=write\nfsync=10\nnumber_ios=25\nverify_policy=fsynced");
  const std::uint64_t writes = job.dirs[1].ios;
  EXPECT_EQ(judged(job), writes * 4096);
  EXPECT_GT(job.verified.exact, 0u);
  EXPECT_GE(job.verified.withheld, (writes % 10) * 4096);
  EXPECT_EQ(clean("rw=write\nnumber_ios=25\nverify_policy=fsynced").verified.exact, 0u) << "no fsync at all";
  EXPECT_EQ(clean("rw=write\nnumber_ios=25\nverify_policy=completed").verified.withheld, 0u);
}

// effect: experimental_verify
TEST_P(VerifyBetween, ExperimentalVerifyReadsEachWriteOfEachBlock) {
  const auto job = clean("rw=randwrite\nnorandommap\nexperimental_verify=1");
  EXPECT_EQ(job.dirs[0].ios, job.dirs[1].ios) << "also those that others came after";
  EXPECT_EQ(job.verified.exact, 0u);
  EXPECT_GT(job.verified.some_version, 0u);
  EXPECT_GT(clean("rw=write\nexperimental_verify=1").verified.exact, 0u);
}

// effect: verify_async
TEST_P(VerifyBetween, VerifyAsyncFindsTheSameErrors) {
  const std::vector<std::string> texts = {"rw=write", "rw=randwrite\nnorandommap", "rw=randwrite\nverify_backlog=16",
                                          "rw=randwrite\nnorandommap\nverify_backlog=16",
                                          "rw=write\nverify_interval=512"};
  const auto jobs = clean_all(texts, "verify_async=2\n");
  for (std::size_t i = 0; i < jobs.size(); ++i) EXPECT_EQ(judged(jobs[i]), jobs[i].dirs[1].bytes) << texts[i];
  clean("rw=write\ndo_verify=0");
  for (const std::uint64_t block : {3u, 77u, 200u}) spoil(block * 4096 + 99);
  const auto read = run("rw=read\nverify_async=3");
  EXPECT_EQ(read.error, EILSEQ);
  EXPECT_EQ(read.error_count, 3u);
  const auto fatal = run("rw=read\nverify_async=1\nverify_fatal=1");
  EXPECT_EQ(fatal.error, EILSEQ);
  EXPECT_LT(fatal.dirs[0].ios, 200u);
}

// effect: verify_async_cpus
TEST_P(VerifyBetween, VerifyAsyncCpusRefusesAMissingCpu) {
  clean("rw=write\nverify_async=2\nverify_async_cpus=0");
  const auto nowhere = run("rw=write\nverify_async=2\nverify_async_cpus=60000");
  EXPECT_EQ(nowhere.error, EINVAL);
}

// effect: verify_dump
TEST_P(VerifyBetween, VerifyDumpWritesTheBadBlocks) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory_);
  clean("rw=write\ndo_verify=0\nverify_interval=2k");
  const auto whole = contents();
  spoil(8192 + 2048 + 700);
  spoil(40960);
  const auto bytes = contents();
  run("rw=read\nverify_interval=2k");
  EXPECT_FALSE(std::filesystem::exists("f.10240.received"));
  const auto job = run("rw=read\nverify_interval=2k\nverify_dump=1");
  std::filesystem::current_path(before);
  const auto dumped = [&](const std::string& name) {
    std::ifstream in(directory_ + "/" + name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(job.error_count, 2u);
  EXPECT_EQ(dumped("f.10240.received"), bytes.substr(10240, 2048));
  EXPECT_EQ(dumped("f.10240.expected"), whole.substr(10240, 2048));
  EXPECT_EQ(dumped("f.40960.hdr_fail"), bytes.substr(40960, 2048));
  const bool said = std::any_of(job.errors.begin(), job.errors.end(), [](const auto& error) {  // in any order
    return error.message.find("received data dumped as f.10240.received; expected data dumped as") != std::string::npos;
  });
  EXPECT_TRUE(said);
}

// As fio, whose engines without data pass.
TEST(VerifyWithoutData, EnginesThatKeepNoDataPassWithAFinding) {
  const auto run = run_text("[v]\nioengine=null\nverify=crc32c\nrw=randwrite\nsize=1m\n");
  ASSERT_EQ(run.jobs.size(), 1u);
  EXPECT_EQ(run.jobs[0].error, 0);
  EXPECT_EQ(run.jobs[0].dirs[0].ios, 256u);
  EXPECT_EQ(run.jobs[0].verified, result::Verified{});
  const bool said = std::any_of(run.findings.begin(), run.findings.end(), [](const auto& finding) {
    return finding.evidence.find("ioengine=null: it keeps no data") != std::string::npos;
  });
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace fathom::loops
