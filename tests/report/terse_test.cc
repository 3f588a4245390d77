// Terse lines are read by position: each field of ours is of the type that fio's has there, and the values are the job's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "files.h"
#include "report/formats.h"
#include "report/parts/derived.h"
#include "sample_run.h"

namespace fathom::report {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

// "12": d, "0.5": f, "0.5%": %, "99.5%=12": p, else w.
char kind(const std::string& field) {
  const bool number = !field.empty() && field.find_first_not_of("0123456789.") == std::string::npos;
  if (number) return field.find('.') == std::string::npos ? 'd' : 'f';
  if (field.find("%=") != std::string::npos) return 'p';
  return field.ends_with('%') ? '%' : 'w';
}

std::string kinds(const std::string& line) {
  std::string out;
  for (const auto& field : split(line, ';')) out += kind(field);
  return out;
}

// As fio's first job: reads and writes of a synchronous engine, no disk, a description.
result::Run like_fios() {
  auto run = simple_run();
  run.disks.clear();
  run.jobs[0].description = "words";
  return run;
}

std::string in_version(int version, const result::Run& run) {
  return find_format(version == 3 ? "terse" : "terse-v" + std::to_string(version))->render(run);
}

TEST(Terse, EveryFieldHasTheTypeOfFios) {
  for (const auto& [version, fields] : {std::pair{2, 161}, {3, 121}, {4, 162}, {5, 180}}) {
    const auto theirs = split(read_text(test_path("observed/terse/v" + std::to_string(version) + ".txt")), '\n');
    const auto ours = split(in_version(version, like_fios()), '\n');
    EXPECT_EQ(kinds(ours[0]), kinds(theirs[0])) << version;
    EXPECT_EQ(split(ours[0], ';').size(), static_cast<std::size_t>(fields + (version == 2 ? 0 : 1)));
    if (version == 2) {
      EXPECT_EQ(ours.at(1), ";words");  // fio writes it there
    }
  }
}

TEST(Terse, FieldsHoldTheJobsNumbers) {
  const auto run = like_fios();
  const auto& job = run.jobs[0];
  const auto fields = split(in_version(3, run), ';');
  EXPECT_EQ(fields[0], "3");
  EXPECT_EQ(fields[1], run.program.fio_version);
  EXPECT_EQ(fields[2], job.name);
  EXPECT_EQ(fields[5], std::to_string(job.dirs[0].bytes / 1024));
  EXPECT_EQ(fields[6], std::to_string(parts::bytes_per_s(job.dirs[0]) / 1024));
  EXPECT_EQ(fields[7], std::to_string(static_cast<int>(parts::ios_per_s(job.dirs[0]))));
  EXPECT_EQ(fields[8], std::to_string(job.dirs[0].runtime_ms));
  EXPECT_EQ(fields[13], std::to_string(job.dirs[0].clat.moments_ns.min() / 1000));
  EXPECT_EQ(fields[14], std::to_string(job.dirs[0].clat.moments_ns.max / 1000));
  EXPECT_EQ(fields[5 + 41], std::to_string(job.dirs[1].bytes / 1024));
  EXPECT_EQ(fields.back(), "words\n");
}

TEST(Terse, ContinueOnErrorAddsErrorCountAndErrno) {
  auto run = like_fios();
  EXPECT_EQ(split(in_version(3, run), ';').size(), 122u);
  run.jobs[0].goes_on = true;
  run.jobs[0].io_errors = 7;
  run.jobs[0].first_io_error = 5;
  for (const int version : {3, 4, 5}) {
    const auto fields = split(in_version(version, run), ';');
    EXPECT_EQ((std::vector(fields.end() - 3, fields.end())), (std::vector<std::string>{"7", "5", "words\n"}));
  }
}

// effect: lat_percentiles clat_percentiles percentile_list
TEST(Terse, LatPercentilesReplaceClatPercentiles) {
  auto run = like_fios();
  auto& job = run.jobs[0];
  job.dirs[0].lat = latency_of({9'000'000}, 3);
  job.percentile_list = {50};
  EXPECT_THAT(in_version(3, run), testing::Not(testing::HasSubstr("50.000000%=9000;")));
  job.lat_percentiles = true;
  EXPECT_THAT(in_version(3, run), testing::HasSubstr(";50.000000%=9000;0%=0;0%=0"));
  job.lat_percentiles = job.clat_percentiles = false;
  EXPECT_THAT(in_version(3, run), testing::Not(testing::HasSubstr("50.0000")));
}

TEST(Terse, ADiskAddsNineFieldsAndAStackedOneEighteen) {
  auto run = like_fios();
  const auto without = split(in_version(3, run), ';').size();
  run.disks = {{"vda", 1, 2, 3, 4, 5, 6, 7, 8, 9, 12.345, {}}};
  const auto text = in_version(3, run);
  EXPECT_EQ(split(text, ';').size(), without + 9);
  EXPECT_THAT(text, testing::EndsWith(";vda;1;2;3;4;7;8;9;12.35%;words\n"));
  EXPECT_EQ(kinds(in_version(2, run)), kinds(in_version(2, like_fios()))) << "version 2 has no disks";
  run.disks[0].members = {{"sda", 2, 4, 6, 8, 0, 0, 1, 1, 1, 50, {}}, {"sdb", 4, 8, 0, 0, 0, 0, 1, 1, 1, 25, {}}};
  EXPECT_THAT(in_version(3, run), testing::HasSubstr(";12.35%;slaves;3;6;3;4;1;1;1;50.00%;sda;2;4"));
}

TEST(Terse, UnifiedRwReplacesDirectionsAndBothAppends) {
  auto run = like_fios();
  const auto apart = split(in_version(3, run), ';').size();
  run.jobs[0].unified = true;
  EXPECT_EQ(split(in_version(3, run), ';').size(), apart - 41);
  const auto& job = run.jobs[0];
  EXPECT_EQ(split(in_version(3, run), ';')[5], std::to_string((job.dirs[0].bytes + job.dirs[1].bytes) / 1024));
  run.jobs[0].reporting.both = true;
  EXPECT_EQ(split(in_version(3, run), ';').size(), apart + 41);
  EXPECT_EQ(split(in_version(5, run), ';').size(), 181u + 47);
}

TEST(Terse, AJobWithStatsOffHasNoLine) {
  auto run = like_fios();
  run.jobs.push_back(run.jobs[0]);
  run.jobs[1].name = "other";
  run.jobs[0].reporting.hidden = true;
  for (const char* format : {"terse", "json", "normal"}) {
    const auto text = find_format(format)->render(run);
    EXPECT_THAT(text, testing::HasSubstr("other"));
    const auto fios = text.substr(0, text.find(format == std::string("json") ? "\"fathom\"" : "\nfathom 0.1.0"));
    EXPECT_THAT(fios, testing::Not(testing::HasSubstr("\n" + run.jobs[0].name + ": (groupid")));
    EXPECT_THAT(fios, testing::Not(testing::HasSubstr("\"jobname\" : \"" + run.jobs[0].name)));
    EXPECT_THAT(fios, testing::Not(testing::HasSubstr(";" + run.jobs[0].name + ";")));
  }
}

TEST(Terse, SeveralFormatsAreWrittenInFiosOrder) {
  const auto run = simple_run();
  const auto text = report_in(std::vector<std::string>{"normal", "json", "terse"}, run);
  const auto terse_at = text.find(terse(run)), json_at = text.find(json(run)), text_at = text.find("Run status group");
  ASSERT_NE(terse_at, std::string::npos);
  EXPECT_LT(text.find("Starting "), terse_at);
  EXPECT_LT(terse_at, json_at);
  EXPECT_LT(json_at, text_at);
}

}  // namespace
}  // namespace fathom::report
