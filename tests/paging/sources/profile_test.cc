// Profiles: read, written, played; and what is wrong with others, with its place.
#include "paging/sources/profile.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "paging/source_support.h"
#include "paging/temporary_file.h"
#include "pattern/statistics.h"

namespace fathom::paging::sources {
namespace {

const std::string kText =
    "# a comment\n"
    "version 1\n"
    "command redis-server --port 7777  # all of it\n"
    "method idle pages\n"
    "\n"
    "  zipf_theta 0.91   # of pages by rank\n"
    "working_set_bytes\t4194304\r\n"
    "read_percent 72.5\n"
    "hot_move_s 4\n"
    "hot_move_share 0.25";

TEST(Profile, reads_every_field) {
  const auto profile = parse_profile(kText, "p");
  ASSERT_TRUE(profile.ok()) << profile.error().what;
  EXPECT_EQ(profile->command, "redis-server --port 7777  # all of it");
  EXPECT_EQ(profile->method, "idle pages");
  EXPECT_EQ(profile->zipf_theta, 0.91);
  EXPECT_EQ(profile->working_set_bytes, 4194304u);
  EXPECT_EQ(profile->read_percent, 72.5);
  EXPECT_EQ(profile->hot_move_s, 4);
  EXPECT_EQ(profile->hot_move_share, 0.25);
  EXPECT_EQ(profile->page_bytes, 4096u);
}

TEST(Profile, parses_what_write_profile_wrote) {
  EXPECT_TRUE(rc::check([] {
    const auto real = [](double low, double high) {
      return low + (high - low) * *rc::gen::inRange(0, 1 << 30) / (1 << 30);
    };
    Profile profile;
    profile.command = *rc::gen::string<std::string>();
    profile.method = *rc::gen::element<std::string>("soft-dirty", "idle pages", "DAMON vaddr", "");
    profile.observed_s = real(0, 1e5);
    profile.page_bytes = *rc::gen::element<std::uint64_t>(4096, 65536, 2 << 20);
    profile.mapped_bytes = *rc::gen::inRange<std::uint64_t>(0, 1ull << 50);
    profile.working_set_bytes = *rc::gen::inRange<std::uint64_t>(4096, 1ull << 50);
    profile.zipf_theta = real(0, 5);
    profile.zipf_error = real(0, 1);
    profile.read_percent = *rc::gen::element(-1.0, 0.0, 100.0, 33.25);
    profile.hot_move_s = *rc::gen::element(0.0, 0.001, 12.5);
    profile.hot_move_share = real(0, 1);
    const std::string text = write_profile(profile);
    const auto read = parse_profile(text, "p");
    RC_ASSERT(read.ok());
    RC_ASSERT(write_profile(*read) == text);
    RC_ASSERT(read->zipf_theta == profile.zipf_theta && read->hot_move_share == profile.hot_move_share);
    RC_ASSERT(read->working_set_bytes == profile.working_set_bytes && read->mapped_bytes == profile.mapped_bytes);
    RC_ASSERT(read->method == profile.method && read->observed_s == profile.observed_s);
    RC_ASSERT(read->read_percent == profile.read_percent && read->hot_move_s == profile.hot_move_s);
    if (std::all_of(profile.command.begin(), profile.command.end(), [](char c) { return c > ' ' && c < 0x7f; }))
      RC_ASSERT(read->command == profile.command);
  }));
}

TEST(Profile, errors_have_line_column_and_a_suggestion) {
  struct Row {
    std::string text;
    int line, column;
    std::string says, help;
  };
  const Row rows[] = {
      {"version 1\nzipf_tetha 0.9\n", 2, 1, "unknown key `zipf_tetha`", "did you mean `zipf_theta`?"},
      {"root:x:0:0:root:/root:/bin/bash\n", 1, 1, "unknown key `root:x:0:0:root:/root:/bin/bash`",
       "write the profile with `fathom paging learn`"},
      {"version 2\n", 1, 9, "version 2: out of range", ""},
      {"version one\n", 1, 9, "version `one`: not a number", ""},
      {"version 1.5\n", 1, 9, "version `1.5`: not a number", ""},
      {"version 1\nversion 1\n", 2, 1, "version occurs twice", ""},
      {"version\n", 1, 8, "version ``: empty", ""},
      {"version 1\n  zipf_theta -2\n", 2, 14, "zipf_theta -2: out of range", ""},
      {"version 1\nzipf_theta nan\n", 2, 12, "zipf_theta `nan`", ""},
      {"version 1\nzipf_theta 1 2\n", 2, 12, "zipf_theta `1 2`", ""},
      {"version 1\nworking_set_bytes 4095\n", 2, 19, "out of range", ""},
      {"version 1\nworking_set_bytes 99999999999999999999\n", 2, 19, "too large", ""},
      {"version 1\nread_percent 101\n", 2, 14, "out of range", ""},
      {"version 1\nhot_move_share 1.01\n", 2, 16, "out of range", ""},
      {"version 1\nzipf_theta 1\nworking_set_bytes 8192\nhot_move_s 0.0001\n", 4, 1, "hot_move_s 0.0001: out of range",
       ""},
      {"version 1\nzipf_theta 1\n", 2, 1, "working_set_bytes is missing",
       "write the profile with `fathom paging learn`"},
      {"", 0, 1, "version is missing", ""},
      {std::string("version 1\0", 10), 1, 1, "not a text", ""},
  };
  for (const Row& row : rows) {
    const auto profile = parse_profile(row.text, "my.profile");
    ASSERT_FALSE(profile.ok()) << row.text;
    ASSERT_TRUE(profile.error().place.has_value());
    EXPECT_EQ(profile.error().place->file, "my.profile");
    EXPECT_EQ(profile.error().place->line, row.line) << row.text;
    EXPECT_EQ(profile.error().place->column, row.column) << row.text;
    EXPECT_NE(profile.error().what.find(row.says), std::string::npos) << profile.error().what;
    if (!row.help.empty()) {
      EXPECT_EQ(profile.error().help, row.help);
    }
  }
}

TEST(Profile, unreadable_files_are_errors) {
  EXPECT_EQ(read_profile("/var/tmp/fathom-there-is-none").error().kind, base::ErrorKind::io);
  EXPECT_FALSE(read_profile("/").ok());
  EXPECT_FALSE(read_profile(TemporaryFile(std::string(2 << 20, '#')).path()).ok());
  PatternPlan plan = plan_of("profile");
  plan.file = "/var/tmp/fathom-there-is-none";
  EXPECT_FALSE(check_pattern(plan, 1 << 20).ok());
  EXPECT_FALSE(make_source(plan, 1 << 20, 0, 1).ok());
}

Profile small() {
  Profile profile;
  profile.working_set_bytes = 100 * 4096;
  profile.zipf_theta = 0.8;
  return profile;
}
PatternPlan playing(const TemporaryFile& file) {
  PatternPlan plan = plan_of("profile");
  plan.file = file.path();
  return plan;
}

TEST(ProfilePattern, plays_zipf_over_the_working_set) {
  for (const double theta : {0.0, 0.8, 1.3}) {
    Profile profile = small();
    profile.zipf_theta = theta;
    const TemporaryFile file(write_profile(profile));
    const std::size_t draws = 256'000;
    std::vector<double> expected(1000);
    double sum = 0;
    for (std::size_t i = 0; i < 100; ++i) sum += expected[i] = std::pow(static_cast<double>(i + 1), -theta);
    for (double& x : expected) x *= static_cast<double>(draws) / sum;
    const auto counts = page_counts(playing(file), 1000, draws);
    EXPECT_EQ(std::count(counts.begin() + 100, counts.end(), 0.0), 900);
    const auto chi = pattern::testing::chi_square(counts, expected);
    EXPECT_TRUE(chi.plausible()) << theta << ": " << chi.value << " in " << chi.cells;
  }
}

TEST(Profile, exponent_is_known_only_within_its_error) {
  struct Row {
    double theta, error;
    bool known;
  };
  for (const Row& row : {Row{0.99, 0.02, true}, Row{0.825, 0.978, false}, Row{0.9, 0.29, true}, Row{0.9, 0.31, false},
                         Row{1.5, 0.4, false}, Row{0.5, 0.2, false}, Row{0.02, 0.09, true}, Row{0, 0.2, true},
                         Row{0.1, 0.45, false}, Row{-1, 0, false}})
    EXPECT_EQ(exponent_is_known(row.theta, row.error), row.known) << row.theta << " +- " << row.error;
}

TEST(ProfilePattern, without_an_exponent_plays_pages_equally_often) {
  Profile profile = small();
  profile.zipf_theta = -1;
  const TemporaryFile file(write_profile(profile));
  const auto counts = page_counts(playing(file), 1000, 256'000);
  EXPECT_EQ(std::count(counts.begin() + 100, counts.end(), 0.0), 900);
  const auto chi = pattern::testing::chi_square({counts.begin(), counts.begin() + 100}, std::vector<double>(100, 2560));
  EXPECT_TRUE(chi.plausible()) << chi.value << " in " << chi.cells;
}

TEST(ProfilePattern, limits_the_working_set_to_the_set) {
  const TemporaryFile file(write_profile(small()));
  const auto counts = page_counts(playing(file), 10, 12'800);
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 0.0), 0);
  EXPECT_EQ(make(playing(file), 10)->warmup_accesses(), 80u);
  EXPECT_EQ(make(playing(file), 1000)->warmup_accesses(), 800u);
}

TEST(ProfilePattern, reads_as_learnt_unless_given_or_unknown) {
  const auto reads = [](double learnt, int asked, bool given) {
    Profile profile = small();
    profile.read_percent = learnt;
    const TemporaryFile file(write_profile(profile));
    PatternPlan plan = playing(file);
    plan.read_percent = asked;
    plan.read_percent_given = given;
    const auto accesses = play(plan, 1000, 4000);
    return 100.0 *
           static_cast<double>(std::count_if(accesses.begin(), accesses.end(), [](Access a) { return !a.write(); })) /
           static_cast<double>(accesses.size());
  };
  EXPECT_NEAR(reads(72.5, 50, false), 72.5, 0.3);
  EXPECT_EQ(reads(72.5, 100, true), 100);
  EXPECT_EQ(reads(-1, 0, false), 0);
}

TEST(ProfilePattern, moves_hot_move_share_of_the_hot_set) {
  Profile profile = small();
  profile.hot_move_s = 2;
  profile.hot_move_share = 0.25;
  const TemporaryFile file(write_profile(profile));
  const auto source = make(playing(file), 1000);
  const auto touched = [&](double seconds) {
    const auto counts = page_counts(*source, 1000, 64'000, static_cast<std::uint64_t>(seconds * 1e9));
    std::set<std::size_t> pages;
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts[i] > 0) pages.insert(i);
    return pages;
  };
  auto before = touched(1.9);
  EXPECT_EQ(before.size(), 100u);
  for (const double seconds : {2.0, 4.1, 6.0}) {
    const auto after = touched(seconds);
    EXPECT_EQ(after.size(), 100u);
    std::vector<std::size_t> kept;
    std::set_intersection(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(kept));
    EXPECT_EQ(kept.size(), 75u) << seconds;
    before = after;
  }
}

}  // namespace
}  // namespace fathom::paging::sources
