// The two reports of `fathom clock sources` on a machine that is made up: what is not known is not shown.
#include "session/clocks/clock_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/document.h"
#include "report/formats.h"

namespace fathom::cli::clock_commands {
namespace {

using nlohmann::json;
using session::clocks::FoundClocks;
using testing::HasSubstr;
using testing::Not;

clock::sources::SourceMeasure measure(std::string_view name, clock::sources::Source source, bool for_runs) {
  clock::sources::SourceMeasure m;
  m.name = name;
  m.source = source;
  m.for_runs = for_runs;
  m.cost_ns = {10.5, 11.25, 12};
  m.cost_ticks = {26, 28.5, 31};
  m.smallest_step_ns = 1000;
  m.resolution_ns = 999;
  m.smallest_step_ticks = 26;
  m.reads = 100;
  m.backward_steps = 3;
  return m;
}

FoundClocks example() {
  FoundClocks r;
  r.fitness.invariant = true;
  r.fitness.kernel.clocksource = "tsc";
  r.fitness.test.outcome = clock::Outcome::passed;
  r.fitness.test.kind = clock::TestKind::brief;
  r.fitness.test.text = "no mismatches";
  r.calibration.conversion = clock::sources::Conversion::of_frequency(2.5e9);
  r.calibration.ticks_per_second = 2.5e9;
  r.calibration.method = "CPUID 0x15";
  r.calibration.error_ppm = 42;
  r.calibration.notes = {"a note"};
  r.choice = {clock::sources::Source::cpu, true, false, "the reason"};
  r.measures = {measure("cpu: rdtsc", clock::sources::Source::cpu, true),
                measure("cpu: rdtscp", clock::sources::Source::cpu, false),
                measure("gettimeofday", clock::sources::Source::gettimeofday, true)};
  return r;
}

FoundClocks uncalibrated() {
  auto r = example();
  r.calibration = {clock::sources::Source::clock_gettime, {}, 1e9, "clock counts nanoseconds", 0, {"no constant rate"}};
  r.choice = {clock::sources::Source::clock_gettime, false, true, "no constant rate"};
  return r;
}

result::ClockSources stored(const FoundClocks& r) { return report::as_stored(session::clocks::clock_sources(r)); }
std::string clock_sources_text(const FoundClocks& r) { return report::clock_sources_text(stored(r)); }
std::string clock_sources_json(const FoundClocks& r) { return report::clock_sources_json(stored(r)); }

TEST(ClockSources, TextSaysWhatARunUsesAndWhy) {
  const auto text = clock_sources_text(example());
  EXPECT_THAT(text, HasSubstr("invariant, kernel clocksource tsc"));
  EXPECT_THAT(text, HasSubstr("2500.000000 MHz, within 42.0 ppm (CPUID 0x15)"));
  EXPECT_THAT(text, HasSubstr("a note"));
  EXPECT_THAT(text, HasSubstr("cross-core test: passed (short): no mismatches"));
  EXPECT_THAT(text, HasSubstr("A run uses cpu: the reason"));
  EXPECT_THAT(text, HasSubstr("\n* cpu: rdtsc "));
  EXPECT_THAT(text, HasSubstr("\n  cpu: rdtscp ")) << "no run uses this variant";
  EXPECT_THAT(text, HasSubstr("11.2"));
}

TEST(ClockSources, WithoutARateThereAreOnlyTicks) {
  const auto text = clock_sources_text(uncalibrated());
  EXPECT_THAT(text, HasSubstr("could not be calibrated"));
  EXPECT_THAT(text, Not(HasSubstr("MHz")));
  EXPECT_THAT(text, Not(HasSubstr("11.2")));
  EXPECT_THAT(text, HasSubstr("28.5"));
  const auto document = json::parse(clock_sources_json(uncalibrated()));
  EXPECT_FALSE(document["cpu_clock"].contains("ticks_per_second"));
  EXPECT_FALSE(document["sources"][0].contains("cost_ns"));
  EXPECT_FALSE(document["sources"][0].contains("resolution_ns"));
  EXPECT_TRUE(document["sources"][2].contains("resolution_ns")) << "gettimeofday counts nanoseconds by itself";
  EXPECT_TRUE(document["choice"]["fell_back"].get<bool>());
}

TEST(ClockSources, JsonHoldsEveryFact) {
  auto report = example();
  report.fitness.drift = clock::Drift{-0.5, 0.004, 12'000'000'000, 2.5e9};
  EXPECT_THAT(clock_sources_text(report),
              HasSubstr("drift: -0.5 ppm (± 0.004), measured by an earlier run of this boot (12 s)"));
  const auto document = json::parse(clock_sources_json(report));
  EXPECT_EQ(document["format"], "fathom clock sources");
  const auto& cpu = document["cpu_clock"];
  EXPECT_EQ(cpu["kernel_clocksource"], "tsc");
  EXPECT_EQ(cpu["ticks_per_second"], 2.5e9);
  EXPECT_EQ(cpu["error_ppm"], 42);
  EXPECT_EQ(cpu["calibration_notes"], json({"a note"}));
  EXPECT_EQ(cpu["test_outcome"], "passed");
  EXPECT_EQ(cpu["drift_ppm"], -0.5);
  EXPECT_EQ(cpu["drift_bound_ppm"], 0.004);
  EXPECT_EQ(cpu["drift_over_s"], 12);
  EXPECT_EQ(document["choice"]["clocksource"], "cpu");
  EXPECT_EQ(document["choice"]["reason"], "the reason");
  ASSERT_EQ(document["sources"].size(), 3u);
  EXPECT_EQ(document["sources"][0]["chosen"], true);
  EXPECT_EQ(document["sources"][1]["chosen"], false);
  EXPECT_EQ(document["sources"][0]["cost_ns"]["p50"], 11.25);
  EXPECT_EQ(document["sources"][0]["cost_ticks"]["p99"], 31);
  EXPECT_EQ(document["sources"][0]["backward_steps"], 3);
}

}  // namespace
}  // namespace fathom::cli::clock_commands
