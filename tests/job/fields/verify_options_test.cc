// verify= and the options that go with it, as they are read.
#include "job/fields/verify.h"

#include <gtest/gtest.h>

#include "job/support.h"

namespace fathom::job::fields {
namespace {

TEST(VerifyOptions, MethodFormatOffsetAndIntervalAreParsed) {
  const auto job = one_job(
      "rw=write\nbs=8k\nverify=sha3-256\nverify_format=fio-3.33\nverify_offset=1k\nverify_interval=4k\n"
      "verify_pattern_interval=512\n");
  EXPECT_TRUE(job.verify);
  const auto& verify = job.of<VerifyOptions>();
  EXPECT_EQ(verify.method, "sha3-256");
  EXPECT_EQ(verify.format, VerifyFormat::fio_3_33);
  EXPECT_EQ(verify.offset, 1024u);
  EXPECT_EQ(verify.pattern_interval, 512u);
  EXPECT_EQ(job.verify_interval, 4096u);
  EXPECT_EQ(one_job("verify=md5\nverify=0").of<VerifyOptions>().method, "");
  EXPECT_EQ(one_job("verify=md5").of<VerifyOptions>().format, VerifyFormat::fio_3_42);
}

TEST(VerifyOptions, APatternAloneEnablesVerifyWithAHeader) {
  const auto job = one_job("rw=write\nverify_pattern=0xdead%o\"ab\"%o");
  EXPECT_TRUE(job.verify);
  EXPECT_EQ(job.of<VerifyOptions>().method, "");
  const auto& parts = job.of<VerifyOptions>().pattern_parts;
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[0].text, "\xde\xad");
  EXPECT_TRUE(parts[1].is_offset);
  EXPECT_EQ(parts[2].text, "ab");
  EXPECT_TRUE(parts[3].is_offset);
  EXPECT_FALSE(one_job("rw=write\nverify=0\nverify_pattern=0xff").verify) << "that it is off was said";
}

// As fio: the largest that divides all of them.
TEST(VerifyOptions, AnIntervalThatDoesNotDivideTheBlockSizesIsReplaced) {
  const auto job = one_job("rw=write\nbs=4k\nverify=crc32c\nverify_interval=3k");
  EXPECT_EQ(job.verify_interval, 4096u);
  ASSERT_EQ(job.notes.size(), 1u);
  EXPECT_NE(job.notes[0].find("verify_interval=3072 does not divide"), std::string::npos) << job.notes[0];
  EXPECT_EQ(one_job("rw=write\nbsrange=4k-16k\nverify=crc32c\nverify_interval=8k").verify_interval, 4096u);
  EXPECT_TRUE(one_job("rw=write\nbs=4k\nverify=crc32c\nverify_interval=1k").notes.empty());
}

TEST(VerifyOptions, VerifyOnEnginesThatKeepNoDataLeavesANote) {
  for (const char* engine : {"null", "falloc", "filecreate"}) {
    const auto job = one_job(std::string("rw=write\nsize=1m\nverify=crc32c\nioengine=") + engine);
    EXPECT_EQ(job.verify, engine == std::string("null")) << engine;
    EXPECT_EQ(job.notes.size(), 1u) << engine;
  }
}

TEST(VerifyOptions, BacklogTrimAndAsyncOptionsAreParsed) {
  const auto job = one_job(
      "rw=write\nverify=md5\nverify_backlog=1k\nverify_backlog_batch=16\ntrim_percentage=20\ntrim_backlog=8\n"
      "trim_backlog_batch=4\ntrim_verify_zero=0\nverify_async=3\nverify_async_cpus=0,2-3\nverify_dump=1\n"
      "verify_policy=fsynced\nverify_header_seed=0\nverify_write_sequence=0\nexperimental_verify=1");
  const auto& verify = job.of<VerifyOptions>();
  EXPECT_EQ(verify.backlog, 1024u);
  EXPECT_EQ(verify.backlog_batch, 16u);
  EXPECT_EQ(verify.trim_percentage, 20u);
  EXPECT_EQ(verify.trim_backlog, 8u);
  EXPECT_EQ(verify.trim_backlog_batch, 4u);
  EXPECT_FALSE(verify.trim_verify_zero);
  EXPECT_EQ(verify.async_threads, 3u);
  EXPECT_EQ(verify.async_cpus, (std::vector<int>{0, 2, 3}));
  EXPECT_TRUE(verify.dump && verify.experimental);
  EXPECT_TRUE(verify.policy == VerifyPolicy::fsynced);
  EXPECT_FALSE(verify.header_seed || verify.write_sequence);
}

// That it was written decides what becomes of a job whose state cannot be saved.
TEST(VerifyOptions, AnExplicitVerifyStateSaveDiffersFromTheDefault) {
  EXPECT_FALSE(one_job("rw=write\nverify=md5").of<VerifyOptions>().state_save.has_value());
  EXPECT_EQ(one_job("verify=md5\nverify_state_save=1").of<VerifyOptions>().state_save, true);
  EXPECT_EQ(one_job("verify=md5\nverify_state_save=0").of<VerifyOptions>().state_save, false);
  EXPECT_FALSE(one_job("verify=md5").of<VerifyOptions>().state_load);
  EXPECT_TRUE(one_job("verify=md5\nverify_state_load=1").of<VerifyOptions>().state_load);
}

// By its time alone nobody knows how much a job wrote; its state does.
TEST(VerifyOptions, VerifyOnlyOfATimeBasedJobIsAcceptedWithAState) {
  const auto job = one_job("rw=write\nverify=md5\nverify_only\ntime_based\nruntime=1\nverify_state_load=1");
  EXPECT_TRUE(job.verify_only && job.time_based);
}

TEST(VerifyOptions, AuxPathIsOfAllJobs) {
  const std::vector<std::string> words{"--name=a", "--verify=md5", "--aux-path=/x/y", "--name=b"};
  const auto command = parse_command(words, Environment::of_this_process());
  ASSERT_TRUE(command.ok());
  for (const auto& job : command->jobs.jobs) EXPECT_EQ(job.of<VerifyOptions>().aux_path, "/x/y");
}

TEST(VerifyOptions, TriggerOptionsBelongToTheCommand) {
  const std::vector<std::string> words{"--trigger-file=/t", "--trigger-timeout=90", "--trigger=echo b > c", "--name=a"};
  const auto command = parse_command(words, Environment::of_this_process());
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(command->trigger_file, "/t");
  EXPECT_EQ(command->trigger_timeout_ns, 90'000'000'000u);
  EXPECT_EQ(command->trigger_command, "echo b > c");
}

}  // namespace
}  // namespace fathom::job::fields
