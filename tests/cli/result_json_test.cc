// A result that is written and read back is the same result, and every report of it the same text, whatever the zone.
#include "import/result_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "cli/random_run.h"
#include "report/formats.h"
#include "report/paging_formats.h"

namespace fathom::cli {
namespace {

using ::testing::HasSubstr;

result::Run read_back(const std::string& text) {
  auto run = import::read_result_json(text, "result.json");
  EXPECT_TRUE(run.ok()) << run.error().what << "; " << run.error().cause << "\n" << run.error().place->line_text;
  return run.ok() ? *run : result::Run{};
}

TEST(ResultJson, ARunSurvivesWritingAndReading) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    const auto run = random_run(seed);
    const auto text = report::json(run);
    const auto again = read_back(text);
    EXPECT_EQ(report::json(again), text) << seed;
    ASSERT_TRUE(again == run) << seed;
  }
}

TEST(ResultJson, JsonAndJsonPlusReadTheSame) {
  const auto run = random_run(7);
  EXPECT_TRUE(read_back(report::json_plus(run)) == read_back(report::json(run)));
}

// Reports of the text formats want a run of one kind.
result::Run of_one_kind(std::uint64_t seed, bool paging) {
  auto run = random_run(seed);
  if (!paging) run.paging.reset();
  for (auto& repetition : run.repetitions)
    if (!paging) repetition.paging.reset();
  if (paging) run.jobs.clear(), run.group_members.clear();
  if (paging && !run.paging) run.paging.emplace();
  return run;
}

std::string first_difference(const std::string& a, const std::string& b) {
  const auto at = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const auto begin = a.rfind('\n', at) == std::string::npos ? 0 : a.rfind('\n', at);
  return a == b ? "" : a.substr(begin, at - begin + 60) + " instead of " + b.substr(begin, at - begin + 60);
}

TEST(ResultJson, EveryReportIsTheSameInAnotherZone) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    auto run = of_one_kind(seed, false);
    run.utc_offset_s = 7200;
    setenv("TZ", "Asia/Kolkata", 1);
    const auto stored = report::json(run);
    for (const auto& format : report::formats()) {
      setenv("TZ", "Asia/Kolkata", 1), tzset();
      const auto there = format.render(run);
      setenv("TZ", "America/New_York", 1), tzset();
      EXPECT_EQ(first_difference(format.render(read_back(stored)), there), "") << format.name << " " << seed;
    }
  }
  unsetenv("TZ"), tzset();
}

TEST(ResultJson, TextAroundTheDocumentIsIgnored) {
  const auto run = random_run(3);
  EXPECT_TRUE(read_back("before\n" + report::json(run) + "after\n") == run);
}

std::string with(std::string text, const std::string& old, const std::string& now) {
  const auto at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), now);
}

void expect_refused_at(const std::string& text, const std::string& what, int line) {
  const auto run = import::read_result_json(text, "result.json");
  ASSERT_FALSE(run.ok()) << what;
  EXPECT_THAT(run.error().what, HasSubstr(what));
  EXPECT_EQ(run.error().place->line, line) << what;
}

TEST(ResultJson, InvalidResultsAreRefusedWithTheirPlace) {
  result::Run run;
  run.jobs.resize(1);
  const auto text = report::json(run);
  const auto line_of = [&](const std::string& words) {
    return static_cast<int>(
               std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(words)), '\n')) +
           1;
  };
  expect_refused_at("{\n  \"a\" : [1,\n", "truncated file", 3);
  expect_refused_at("[]", "not a result of fathom", 1);
  expect_refused_at("{\n  \"fio version\" : \"fio-3.33\"\n}\n", "not a result of fathom", 1);
  expect_refused_at(
      text.substr(0, text.size() / 2), "truncated file",
      static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.size() / 2), '\n')) +
          1);
  expect_refused_at(with(text, "\"schema_version\" : 15", "\"schema_version\" : 16"), "a result of schema 16, newer",
                    line_of("\"schema_version\""));
  expect_refused_at(with(text, "\"cpus_online\" : null", "\"cpus_online\" : 4294967296"),
                    "\"cpus_online\" is a whole number", line_of("\"cpus_online\""));
  expect_refused_at(with(text, "\"hostname\" : \"\"", "\"hostname\" : 7"), "\"hostname\" is a whole number",
                    line_of("\"hostname\""));
  expect_refused_at(with(text, "\"hostname\" : \"\",", ""), "no \"hostname\" in \"host\"", line_of("\"host\""));
  expect_refused_at(with(text, "\"hostname\" : \"\"", "\"hostname\" : \"\xFF\""), "not a JSON document",
                    line_of("\"hostname\""));
  expect_refused_at(std::string(100'000, '['), "nested too deeply", 1);
}

}  // namespace
}  // namespace fathom::cli
