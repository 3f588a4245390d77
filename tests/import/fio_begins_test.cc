// When the jobs of a result of fio's began, and so what they did together.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "import/fio/fio_json.h"
#include "result/sums/rates.h"

namespace fathom::import::fio {
namespace {

// A job of 1000 reads in a second; `more` are keys of the job.
std::string job(const char* name, const std::string& more = "", const std::string& options = "") {
  return fmt::format(
      R"({{"jobname":"{}","groupid":0,"error":0,{}"job options":{{"name":"{}"{}}},"read":{{"io_bytes":4096000,"total_ios":1000,"runtime":1000}}}})",
      name, more, name, options);
}

result::Run read(std::initializer_list<std::string> jobs) {
  std::string text;
  for (const auto& one : jobs) text += (text.empty() ? "" : ",") + one;
  auto run = read_fio_json(R"({"fio version":"fio-3.42","timestamp":1795903227,"jobs":[)" + text + "]}", "f.json");
  EXPECT_TRUE(run.ok()) << run.error().what;
  return *run;
}

double iops(const result::Run& run) {
  result::sums::RateSum sum;
  for (const auto& one : run.jobs) sum.add(one.dirs[0]);
  return sum.iops().value_or(0);
}

std::string start(std::uint64_t ms) { return fmt::format("\"job_start\":{},", ms); }

TEST(FioBegins, JobsOneAfterTheOtherAreNoSumOfRates) {
  const auto run = read({job("a", start(1'795'903'220'000)), job("b", start(1'795'903'221'000))});
  EXPECT_EQ(run.jobs[0].dirs[0].begin_ns, 0u);
  EXPECT_EQ(run.jobs[1].dirs[0].begin_ns, 1'000'000'000u);
  EXPECT_EQ(run.jobs[1].dirs[0].end_ns, 2'000'000'000u);
  EXPECT_FALSE(run.jobs[0].dirs[1].begin_ns) << "not used";
  EXPECT_DOUBLE_EQ(iops(run), 1000);
  EXPECT_EQ(run.jobs[1].start_epoch_ms, 1'795'903'221'000u);
}

TEST(FioBegins, WhereOneIsNotKnownAllCountAsBegunTogether) {
  for (const auto& run : {read({job("a"), job("b")}), read({job("a", start(1000)), job("b")}),
                          read({job("a", start(1000)), job("b", start(0))}),
                          read({job("a", start(1000)), job("b", "\"job_start\":18446744073709551615,")})}) {
    EXPECT_FALSE(run.jobs[0].dirs[0].begin_ns);
    EXPECT_DOUBLE_EQ(iops(run), 2000);
  }
}

TEST(FioBegins, WithoutStartsDelaysSayWhenJobsBegan) {
  const std::string second = R"(,"startdelay":"1s")";
  const auto run = read({job("a"), job("b", "", second)});
  EXPECT_EQ(run.jobs[1].dirs[0].begin_ns, 1'000'000'000u);
  EXPECT_DOUBLE_EQ(iops(run), 1000);
  for (const char* unknown : {R"(,"startdelay":"1-5")", R"(,"startdelay":"1","stonewall":"1")",
                              R"(,"startdelay":"1","wait_for":"a")", R"(,"startdelay":"0")"})
    EXPECT_FALSE(read({job("a"), job("b", "", unknown)}).jobs[1].dirs[0].begin_ns) << unknown;
}

// CLOCK_MONOTONIC beside the calendar's, and two hosts' calendars.
TEST(FioBegins, OfSeveralClocksAreNotCompared) {
  const std::string monotonic = R"(,"job_start_clock_id":"1")";
  EXPECT_DOUBLE_EQ(iops(read({job("a", start(1000), monotonic), job("b", start(1'795'903'221'000))})), 2000);
  const auto one_clock = read({job("a", start(1000), monotonic), job("b", start(2000), monotonic)});
  EXPECT_DOUBLE_EQ(iops(one_clock), 1000);
  EXPECT_EQ(one_clock.jobs[0].start_epoch_ms, 0u) << "it is no date";
  const auto on = [](const char* host, std::uint64_t ms) {
    return fmt::format("\"hostname\":\"{}\",", host) + start(ms);
  };
  EXPECT_DOUBLE_EQ(iops(read({job("a", on("x", 1000)), job("b", on("y", 2000))})), 2000);
}

// fio's job_start is before the ramp, its runtime is without it.
TEST(FioBegins, ARampIsBeforeTheBegin) {
  const auto run = read({job("a", start(10'000), R"(,"ramp_time":"1s")"), job("b", start(11'000))});
  EXPECT_EQ(run.jobs[0].dirs[0].begin_ns, 0u);
  EXPECT_EQ(run.jobs[1].dirs[0].begin_ns, 0u);
  EXPECT_DOUBLE_EQ(iops(run), 2000);
}

}  // namespace
}  // namespace fathom::import::fio
