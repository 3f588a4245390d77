// What --explain-compat says of a text, and that the document's table is that of the rows.
#include "job/values/explain_compat.h"

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "job/option.h"
#include "job/support.h"
#include "source_dir.h"

namespace fathom::job::values {
namespace {

Explanation explained(std::vector<std::string> args, const World& world = {}) {
  args.insert(args.begin(), "--explain-compat");
  const auto c = command(args, world);
  EXPECT_TRUE(c.ok());
  return c.ok() ? c->explanation : Explanation{};
}

std::vector<std::string> of_kind(const Explanation& explanation, Departure kind) {
  std::vector<std::string> out;
  for (const auto& d : explanation.differences)
    if (d.kind == kind) out.push_back(d.what);
  return out;
}

TEST(ExplainCompat, UnbuiltOptionsAreListedWithTheirPlaceAndStopTheJob) {
  World world;
  world.files["a.fio"] = "[a]\nrw=read\nsize=1m\n\ngpu_dev_id=x\ncuda_io=y\n";
  const auto explanation = explained({"a.fio"}, world);
  EXPECT_FALSE(explanation.would_run);
  ASSERT_EQ(of_kind(explanation, Departure::not_built).size(), 2u) << explanation_text(explanation);
  EXPECT_NE(explanation_text(explanation).find("a.fio:5:1: "), std::string::npos) << explanation_text(explanation);
}

TEST(ExplainCompat, AnUnbuiltSwitchIsListed) {
  const auto explanation = explained({"--name=a", "--size=1m", "--client=host"});
  EXPECT_FALSE(explanation.would_run);
  EXPECT_EQ(of_kind(explanation, Departure::not_built).size(), 1u) << explanation_text(explanation);
}

TEST(ExplainCompat, AMistakeIsRefused) {
  const auto explanation = explained({"--name=a", "--size=1m", "--bs=4x"});
  EXPECT_FALSE(explanation.would_run);
  EXPECT_EQ(of_kind(explanation, Departure::refused).size(), 1u) << explanation_text(explanation);
}

TEST(ExplainCompat, PartialOptionsStandWithTheirNotes) {
  const auto explanation =
      explained({"--name=a", "--size=1m", "--rw=write", "--verify=crc32c", "--verify_interval=4k", "--zonemode=none"});
  EXPECT_TRUE(explanation.would_run);
  // What is missing of verify= and zonemode= are other values.
  EXPECT_EQ(of_kind(explanation, Departure::partial), std::vector<std::string>{"verify_interval=4k"});
  const auto* row = find_option("verify_interval");
  EXPECT_NE(explanation_text(explanation).find(row->texts.note), std::string::npos) << explanation_text(explanation);
}

TEST(ExplainCompat, IntendedDifferencesAreListedForJobsTheyConcern) {
  const auto topics = [](const std::vector<std::string>& args) {
    const auto all = of_kind(explained(args), Departure::on_purpose);
    return std::set<std::string>(all.begin(), all.end());
  };
  const auto reads = topics({"--name=a", "--size=1m"});
  EXPECT_TRUE(reads.count("issue time"));
  EXPECT_FALSE(reads.count("a device in use"));
  EXPECT_FALSE(reads.count("random numbers"));
  const auto writes = topics({"--name=a", "--size=1m", "--rw=randwrite", "--rate_iops=10", "--fdatasync=2"});
  for (const char* topic : {"a device in use", "random numbers", "a rate that is not kept", "`fdatasync`"})
    EXPECT_TRUE(writes.count(topic)) << topic;
}

TEST(ExplainCompat, EachDifferenceIsListedOnlyForJobsThatMeetIt) {
  const std::vector<std::pair<const char*, std::vector<std::string>>> met{
      {"`rate_process=poisson`", {"--rate_iops=10", "--rate_process=poisson"}},
      {"`iops` after a ramp", {"--ramp_time=1", "--ioengine=libaio", "--iodepth=8"}},
      {"`ramp_size`", {"--ramp_size=4k"}},
      {"`thinktime_blocks` of a queue", {"--ioengine=libaio", "--iodepth=8", "--thinktime=1ms"}},
      {"averaged bw and iops logs", {"--write_bw_log=p", "--log_avg_msec=100"}},
      {"`bwavgtime`, `iopsavgtime` with such a log", {"--write_iops_log=p"}},
      {"histogram logs", {"--write_hist_log=p", "--log_hist_msec=100"}},
      {"a log that cannot be opened", {"--write_lat_log=p"}},
      {"steady state", {"--ss=iops:1%", "--ss_dur=2"}},
      {"`write_barrier`", {"--rw=write", "--write_barrier=4"}},
      {"`atomic`", {"--rw=write", "--atomic=1", "--ioengine=io_uring"}},
      {"`bsrange` and `bssplit` over a random map", {"--rw=randread", "--bssplit=4k/50:8k/50"}},
      {"several jobs that verify one file", {"--rw=write", "--verify=md5", "--filename=f", "--numjobs=2"}},
      {"a trim of several ranges", {"--rw=trim", "--num_range=2", "--ioengine=io_uring_cmd"}},
      {"`sprandom`", {"--rw=randwrite", "--sprandom=1", "--random_generator=lfsr", "--norandommap"}},
      {"`number_ios` with `io_submit_mode=offload`", {"--io_submit_mode=offload", "--number_ios=9"}},
      {"`nice`", {"--nice=3"}},
      {"exec", {"--ioengine=exec", "--program=/bin/true"}},
      {"net", {"--ioengine=net", "--hostname=h", "--port=1", "--rw=write"}},
      {"an I/O error under mmap", {"--ioengine=mmap"}},
  };
  const auto told = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"--name=a", "--size=1m"});
    const auto all = of_kind(explained(words), Departure::on_purpose);
    return std::set<std::string>(all.begin(), all.end());
  };
  const auto plain = told({});
  for (const auto& [topic, words] : met) {
    EXPECT_TRUE(told(words).count(topic)) << topic;
    EXPECT_FALSE(plain.count(topic)) << topic;
  }
}

TEST(ExplainCompat, OneJobThatVerifiesAFileMeetsNoOther) {
  const std::vector<std::string> one{"--name=a", "--size=1m", "--rw=write", "--verify=md5", "--filename=f"};
  const auto of_one = of_kind(explained(one), Departure::on_purpose);
  EXPECT_EQ(std::count(of_one.begin(), of_one.end(), "several jobs that verify one file"), 0);
  auto clones = one;
  clones.emplace_back("--numjobs=2");
  const auto of_clones = of_kind(explained(clones), Departure::on_purpose);
  EXPECT_EQ(std::count(of_clones.begin(), of_clones.end(), "several jobs that verify one file"), 1);
}

TEST(ExplainCompat, WhatWouldFailHereIsTheFirstDifference) {
  auto explanation = explained({"--name=a", "--size=1m"});
  ASSERT_TRUE(explanation.would_run);
  add_foreseen(explanation, {});
  EXPECT_TRUE(explanation.would_run);
  base::Error error;
  error.what = "no room";
  add_foreseen(explanation, {error});
  EXPECT_FALSE(explanation.would_run);
  EXPECT_EQ(explanation.differences.front().kind, Departure::no_room);
  EXPECT_EQ(explanation_text(explanation).find("It would not run.\n\nwould fail here:\n  no room\n"), 0u);
}

// FATHOM_WRITE_COMPAT=1 writes it between its two comments.
TEST(Compat, TheMigrationGuidesTableMatchesTheRows) {
  const std::string path = in_source("docs/migrate-fio.md");
  const std::string open = "<!-- from the rows of src/job/values/explain_compat.cc -->\n",
                    close = "<!-- end of the rows -->\n";
  std::ostringstream read;
  read << std::ifstream(path).rdbuf();
  const std::string text = read.str();
  const auto from = text.find(open), to = text.find(close);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
  const std::string wanted = text.substr(0, from + open.size()) + differs_on_purpose_markdown() + text.substr(to);
  if (std::getenv("FATHOM_WRITE_COMPAT")) std::ofstream(path) << wanted;
  EXPECT_EQ(text, wanted) << "FATHOM_WRITE_COMPAT=1 build/test_job --gtest_filter='Compat.*'";
}

}  // namespace
}  // namespace fathom::job::values
