// pmbench's generators: against first numbers computed by another program (legacy_vectors.py), and against what has
// been measured of pmbench itself; beside each of those, that the patterns without legacy: do what their names say.
#include "paging/sources/legacy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "base/sanitized.h"
#include "paging/legacy_vectors.h"
#include "paging/source_support.h"

namespace fathom::paging::legacy {
namespace {

template <class Generator>
void expect_first(const Vector& vector) {
  Generator generator(vector.pages, vector.shape, vector.thread);
  for (const std::uint64_t page : vector.first)
    EXPECT_EQ(generator(), page) << vector.generator << ' ' << vector.pages << ' ' << vector.shape;
}

TEST(LegacyPattern, first_numbers_match_another_implementation) {
  for (const Vector& vector : kVectors) {
    const std::string name = vector.generator;
    if (name == "Uniform") expect_first<sources::Uniform>(vector);
    if (name == "Normal") expect_first<sources::Normal>(vector);
    if (name == "NormalIh") expect_first<sources::NormalIh>(vector);
    if (name == "Pareto") expect_first<sources::Pareto>(vector);
  }
}

TEST(LegacyPattern, begins_after_the_million_numbers_that_pmbench_discards) {
  PatternPlan plan = plan_of("legacy:uniform");
  plan.read_percent = 30;
  const auto accesses = play(plan, 65536, 1);
  for (std::size_t i = 0; i < std::size(kPagesAfterAMillion); ++i) {
    EXPECT_EQ(accesses[i].offset_bytes(), kPagesAfterAMillion[i] * 4096 + kWords[i] * 4);
    EXPECT_EQ(accesses[i].write(), kWrites[i]);
  }
  plan.offset_words = 17;
  EXPECT_EQ(play(plan, 65536, 1)[0].offset_bytes(), kPagesAfterAMillion[0] * 4096 + 17 * 4);
}

struct Shares {
  std::vector<double> counts;
  double total = 0;
  std::size_t touched() const {
    return static_cast<std::size_t>(std::count_if(counts.begin(), counts.end(), [](double c) { return c > 0; }));
  }
  double deviation() const {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) mean += static_cast<double>(i) * counts[i] / total;
    for (std::size_t i = 0; i < counts.size(); ++i)
      square += (static_cast<double>(i) - mean) * (static_cast<double>(i) - mean) * counts[i] / total;
    return std::sqrt(square);
  }
};
constexpr std::uint64_t kPages = 65536;
constexpr std::size_t kMany = 4'000'000, kFewer = 1'000'000;

Shares shares(const std::string& name, std::optional<double> shape, std::size_t many = kMany) {
  PatternPlan plan = plan_of(name);
  plan.shape = shape;
  return {page_counts(plan, kPages, many), static_cast<double>(many)};
}

TEST(LegacyPattern, normal_with_the_default_shape_touches_eleven_pages_and_ours_the_set) {
  EXPECT_EQ(shares("legacy:normal", std::nullopt).touched(), 11u);
  EXPECT_GT(shares("normal", std::nullopt).touched(), kPages / 2);
}

TEST(LegacyPattern, normal_puts_its_tails_on_the_centre_and_ours_does_not) {
  const Shares theirs = shares("legacy:normal", 30000, kFewer), ours = shares("normal", 30000, kFewer);
  EXPECT_NEAR(theirs.counts[kPages / 2] / kFewer, 0.275, 0.002);
  EXPECT_NEAR(theirs.deviation(), 14853, 30);
  EXPECT_LT(ours.counts[kPages / 2] / kFewer, 0.0001);
  // A normal of 30000 cut off at 32768 on either side, that is at c deviations: 1 - 2 c f(c) / (2 F(c) - 1) of its
  // variance is left.
  const double c = 32768.0 / 30000, f = std::exp(-c * c / 2) / std::sqrt(2 * 3.14159265358979),
               F2 = std::erf(c / std::sqrt(2));
  EXPECT_NEAR(ours.deviation(), 30000 * std::sqrt(1 - 2 * c * f / F2), 30);
  EXPECT_NEAR(shares("legacy:normal", 5000, kFewer).deviation(), 5000, 15);
  EXPECT_NEAR(shares("normal", 5000, kFewer).deviation(), 5000, 15);
}

TEST(LegacyPattern, normal_ih_deviates_by_a_twelfth_of_the_set) {
  const std::size_t draws = base::kSanitized ? kFewer / 4 : kMany;
  const double allowed = 4 * 5461 / std::sqrt(2.0 * static_cast<double>(draws));
  EXPECT_NEAR(shares("legacy:normal_ih", std::nullopt, draws).deviation(), 5461, allowed);
  EXPECT_NEAR(shares("normal_ih", std::nullopt, draws).deviation(), 5461.3, allowed);
}

TEST(LegacyPattern, zipf_is_pareto_and_ours_is_zipf) {
  EXPECT_NEAR(shares("legacy:zipf", 0.99, kFewer).counts[0] / kFewer, 0.497, 0.002);
  EXPECT_NEAR(shares("zipf", 0.99, kFewer).counts[0] / kFewer, 0.082, 0.002);
  EXPECT_EQ(shares("legacy:zipf", 1.3, kFewer).counts, shares("legacy:pareto", 1.3, kFewer).counts);
}

TEST(LegacyPattern, pareto_first_page_has_pmbenchs_share) {
  const Shares flat = shares("legacy:pareto", std::nullopt), steep = shares("legacy:pareto", 1.161);
  EXPECT_NEAR(flat.counts[0] / kMany, 0.5, 0.001);
  EXPECT_NEAR(steep.counts[0] / kMany, 0.553, 0.001);
  EXPECT_NEAR(static_cast<double>(flat.touched()), 3491, 100);
  EXPECT_NEAR(static_cast<double>(steep.touched()), 2019, 80);
}

TEST(LegacyPattern, warmup_accesses_are_pmbenchs) {
  EXPECT_EQ(make(plan_of("legacy:linear"), 1000)->warmup_accesses(), 1000u);
  EXPECT_EQ(make(plan_of("legacy:uniform"), 1000)->warmup_accesses(), 4000u);
  EXPECT_EQ(make(plan_of("legacy:normal"), 1000)->warmup_accesses(), 1000u);
  EXPECT_EQ(make(plan_of("legacy:normal_ih"), 1000)->warmup_accesses(), 999u);
  EXPECT_EQ(make(plan_of("legacy:pareto"), 1000)->warmup_accesses(), 8000u);
  EXPECT_EQ(make(plan_of("legacy:zipf"), 1000)->warmup_accesses(), 8000u);
}

}  // namespace
}  // namespace fathom::paging::legacy
