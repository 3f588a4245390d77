// What a pattern may not be given, refused by the check before a run and by the making alike, with what to do instead.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "paging/source_support.h"

namespace fathom::paging {
namespace {

struct Case {
  std::string name;
  std::function<void(PatternPlan&)> change;
  std::uint64_t pages;
  std::string says;
};

TEST(CheckPattern, refuses_options_out_of_range) {
  const auto shape = [](double x) { return [x](PatternPlan& p) { p.shape = x; }; };
  const auto nothing = [](PatternPlan&) {};
  const Case cases[] = {
      {"zip", nothing, 100, "unknown pattern `zip`"},
      {"uniform", shape(1), 100, "the pattern has no shape"},
      {"normal_ih", shape(1), 100, "the pattern has no shape"},
      {"linear", shape(0), 100, "shape 0 is out of range"},
      {"linear", shape(101), 100, "shape 101 is out of range"},
      {"normal", shape(-5), 100, "shape -5 is out of range"},
      {"normal", shape(1e6), 100, "out of range"},
      {"zipf", shape(0), 100, "shape 0 is out of range"},
      {"zipf", shape(21), 100, "shape 21 is out of range"},
      {"zipf", shape(std::nan("")), 100, "out of range"},
      {"pareto", shape(-1), 100, "shape -1 is out of range"},
      {"legacy:linear", shape(0.5), 100, "out of range"},
      {"legacy:normal_ih", nothing, 7, "too small"},
      {"uniform", nothing, 0, "too small"},
      {"hot", nothing, 1, "too small"},
      {"hot", [](PatternPlan& p) { p.hot_set_percent = 100; }, 100, "100 % of the set"},
      {"hot", [](PatternPlan& p) { p.hot_set_percent = 0; }, 100, "0 % of the set"},
      {"hot", [](PatternPlan& p) { p.hot_access_percent = 101; }, 100, "101 % of the accesses"},
      {"hot", [](PatternPlan& p) { p.hot_move_s = -1; }, 100, "moves every -1 s"},
      {"hot", [](PatternPlan& p) { p.hot_move_s = 1e-9; }, 100, "moves every"},
      {"uniform", [](PatternPlan& p) { p.read_percent = 101; }, 100, "read percentage 101"},
      {"uniform", [](PatternPlan& p) { p.read_percent = -1; }, 100, "read percentage -1"},
      {"uniform", [](PatternPlan& p) { p.offset_words = 1024; }, 100, "offset 1024"},
      {"legacy:uniform", [](PatternPlan& p) { p.permute = true; }, 100, "cannot be permuted"},
      {"trace",
       [](PatternPlan& p) {
         p.permute = true;
         p.file = "/x";
       },
       100, "cannot be permuted"},
      {"trace", nothing, 100, "the file name is missing"},
      {"profile", nothing, 100, "the file name is missing"},
  };
  for (const Case& c : cases) {
    PatternPlan plan = plan_of(c.name);
    c.change(plan);
    const auto checked = sources::check_pattern(plan, c.pages * 4096);
    const auto made = sources::make_source(plan, c.pages * 4096, 0, 1);
    ASSERT_FALSE(checked.ok()) << c.name << ' ' << c.says;
    ASSERT_FALSE(made.ok()) << c.name << ' ' << c.says;
    EXPECT_NE(checked.error().what.find(c.says), std::string::npos) << checked.error().what << " / " << c.says;
    EXPECT_EQ(checked.error().what, made.error().what);
    EXPECT_EQ(made.error().kind, base::ErrorKind::usage);
  }
}

TEST(CheckPattern, suggests_the_nearest_pattern_name) {
  for (const auto& [written, near] :
       {std::pair{"zip", "zipf"}, {"unifrom", "uniform"}, {"legacy:zpf", "legacy:zipf"}, {"normalih", "normal_ih"}}) {
    const auto checked = sources::check_pattern(plan_of(written), 1 << 20);
    ASSERT_FALSE(checked.ok());
    EXPECT_EQ(checked.error().help, std::string("did you mean `") + near + "`?");
  }
}

TEST(CheckPattern, suggests_nothing_for_a_name_near_none) {
  const auto checked = sources::check_pattern(plan_of("gaussian"), 1 << 20);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().help, "");
  EXPECT_NE(checked.error().cause.find("uniform, linear, normal"), std::string::npos);
}

TEST(CheckPattern, accepts_the_ends_of_ranges) {
  const auto fits = [](const char* name, double shape) {
    PatternPlan plan = plan_of(name);
    plan.shape = shape;
    return sources::check_pattern(plan, 100 * 4096).ok() && sources::make_source(plan, 100 * 4096, 0, 1).ok();
  };
  EXPECT_TRUE(fits("linear", 1) && fits("linear", 100) && fits("linear", 1.00001));
  EXPECT_TRUE(fits("normal", 100) && fits("zipf", 20) && fits("pareto", 0.01));
  EXPECT_TRUE(fits("legacy:uniform", 7) && fits("legacy:normal_ih", 7) && fits("legacy:normal", 0));
}

}  // namespace
}  // namespace fathom::paging
