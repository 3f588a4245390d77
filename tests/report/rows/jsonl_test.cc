// Every object of a small run, and what SQLite would round.
#include <gtest/gtest.h>

#include <limits>

#include "report/formats.h"
#include "small_run.h"

namespace fathom::report::rows {
namespace {

std::string object(const std::string& subject, const std::string& metric, const std::string& quantile,
                   const std::string& value, const std::string& unit) {
  return R"({"run_id":"id-1","host":"host","repetition":null,)" + subject + R"("metric":")" + metric +
         R"(","quantile":)" + quantile + R"(,"value":)" + value + R"(,"unit":)" + unit + "}\n";
}

TEST(Jsonl, HasAnObjectPerNumber) {
  const std::string run = R"("job":null,"job_number":null,"direction":null,)";
  const std::string job = R"("job":"t","job_number":0,"direction":null,)";
  const std::string read = R"("job":"t","job_number":0,"direction":"read",)";
  const std::string expected =
      object(run, "checks", "null", R"("passed")", "null") +
      object(run, "reported_epoch", "null", "1721999913845", R"("ms")") +
      object(run, "findings_error", "null", "0", R"("1")") + object(run, "findings_warning", "null", "0", R"("1")") +
      object(run, "findings_note", "null", "1", R"("1")") + object(job, "error", "null", "0", R"("errno")") +
      object(job, "usr_cpu", "null", "12.5", R"("percent")") + object(job, "sys_cpu", "null", "40.25", R"("percent")") +
      object(job, "context_switches", "null", "7", R"("1")") + object(job, "major_faults", "null", "0", R"("1")") +
      object(job, "minor_faults", "null", "13", R"("1")") + object(read, "ios", "null", "4", R"("1")") +
      object(read, "bytes", "null", "16384", R"("bytes")") + object(read, "runtime", "null", "2000000", R"("ns")") +
      object(read, "iops", "null", "2000.0", R"("1/s")") + object(read, "bw", "null", "8192000.0", R"("bytes/s")") +
      object(read, "error_ios", "null", "0", R"("1")") + object(read, "short_ios", "null", "0", R"("1")") +
      object(read, "dropped_ios", "null", "0", R"("1")") + object(read, "lat_n", "null", "4", R"("1")") +
      object(read, "lat_min", "null", "100", R"("ns")") + object(read, "lat_mean", "null", "250075.0", R"("ns")") +
      object(read, "lat_stddev", "null", "499950.0", R"("ns")") + object(read, "lat", "0.5", "100", R"("ns")") +
      object(read, "lat", "0.9", "1000000", R"("ns")") + object(read, "lat", "0.99", "1000000", R"("ns")") +
      object(read, "lat", "0.999", "1000000", R"("ns")") + object(read, "lat", "0.9999", "1000000", R"("ns")") +
      object(read, "lat_max", "null", "1000000", R"("ns")");
  EXPECT_EQ(jsonl(small_run()), expected);
}

TEST(Jsonl, WritesAnIntegerFrom2To63OnAsText) {
  auto run = small_run();
  run.jobs[0].dirs[0].bytes = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(jsonl(run).find(R"("value":9223372036854775807,"unit":"bytes")"), std::string::npos);
  run.jobs[0].dirs[0].bytes += 1;
  EXPECT_NE(jsonl(run).find(R"("value":"9223372036854775808","unit":"bytes")"), std::string::npos);
}

TEST(Jsonl, KeepsAnyNameAndWritesNullForAnUnknownOne) {
  auto run = small_run();
  run.run_id = run.host.hostname = "";
  run.jobs[0].name = "a\"\\\n\x1b";
  const auto text = jsonl(run);
  EXPECT_EQ(line_of(text, 0).find(R"({"run_id":null,"host":null,)"), 0u) << text;
  EXPECT_NE(text.find(R"("job":"a\"\\\u000a\u001b",)"), std::string::npos) << text;
}

TEST(Jsonl, NumbersTheRepetitions) {
  auto run = small_run();
  run.repetitions = {small_run(), small_run()};
  EXPECT_NE(jsonl(run).find(R"("repetition":2,"job":"t","job_number":0,"direction":"read","metric":"ios")"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom::report::rows
