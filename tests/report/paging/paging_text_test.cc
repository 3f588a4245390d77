// The text of `fathom paging` where something is missing, odd or huge: it must still say what is true, in 80
// characters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <tuple>

#include "report/paging/paging_text_parts.h"
#include "report/paging/paging_view.h"
#include "report/paging_formats.h"
#include "report/paging_run.h"

namespace fathom::report::paging {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

result::AccessLatency& at(result::Paging& p, result::AccessClass c, result::AccessDir d) {
  return p.latency[static_cast<std::size_t>(c)][static_cast<std::size_t>(d)];
}

std::size_t shown_width(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

TEST(PagingText, NoLineIsWiderThan80Columns) {
  auto breakdown = table2_run();
  auto imported = paging_run();
  imported.paging->imported.emplace();
  for (const auto& run : {paging_run(), breakdown, imported}) {
    std::istringstream lines(paging_text(run, {true, CountAxis::both, 80}));
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("  audit:") && !line.starts_with("  note [")) {
        EXPECT_LE(shown_width(line), 80u) << line;
      }
  }
}

TEST(PagingText, WhatWasNotPossibleIsSaidOnceBelowTheFirstLines) {
  auto run = paging_run();
  const std::string what = "without root: no limit of 64 MiB";
  run.paging->pressure.not_possible = {what};
  run.findings = {{"paging.not_root", result::Severity::warning, "", what, "run as root"}};
  const auto text = paging_text(run).substr(paging_brief(run).size());
  const auto first = text.find(what);
  ASSERT_NE(first, text.npos);
  EXPECT_EQ(text.find(what, first + 1), text.npos) << text;
}

TEST(PagingText, TimeSharesAreWeightedByLatency) {
  result::Paging p;
  p.access = "histogram";
  // 900 accesses of 1 us, 10 of 1 ms: 900 us of 10,900 us are short.
  auto& latency = at(p, result::AccessClass::hit, result::AccessDir::read);
  add(latency, 1'024, 900);
  add(latency, 1'048'576, 10);
  const auto rows = long_accesses(of_all(p.latency));
  EXPECT_EQ(rows[0].count, 910u);
  EXPECT_EQ(rows[1].count, 10u);
  EXPECT_EQ(rows[3].count, 10u);
  EXPECT_EQ(rows[4].count, 0u);
  EXPECT_NEAR(rows[2].time_percent, 91.9, 0.2);
  EXPECT_NEAR(rows[2].count_percent, 1.0989, 0.001);
  EXPECT_THAT(paging_thresholds(p), HasSubstr("91.9 % of the access time in accesses longer than 100 us"));
  // A run that did other things most of its time: of its own time they are far less.
  p.workers.resize(2);
  for (auto& worker : p.workers) worker.wall_ns = 50'000'000;
  EXPECT_THAT(paging_thresholds(p), HasSubstr("91.9 % of the access time, 10.6 % of the run time, in accesses longer"));
}

TEST(PagingText, ConditionsAreWrittenAsOptions) {
  auto run = paging_run();
  auto& p = *run.paging;
  p.pattern = "hot";
  p.fill = "compressible:70";
  p.conditions = {{"hot-access", "95"}, {"hot-move", "100ms"}, {"permute", ""}, {"thp", "never"}};
  const auto text = paging_text(run);
  EXPECT_THAT(text, HasSubstr("compressible:70\n"));
  EXPECT_THAT(text, HasSubstr("  with: --hot-access=95 --hot-move=100ms --permute --thp=never\n"));
  EXPECT_THAT(json(run), HasSubstr("\"hot-move\" : \"100ms\""));
  EXPECT_THAT(json(run), HasSubstr("\"permute\" : \"\""));
  EXPECT_THAT(paging_text(paging_run()), Not(HasSubstr("with:")));
}

TEST(PagingText, ATraceHasNoReadRatioAndWordFromOptions) {
  auto run = paging_run();
  auto& p = *run.paging;
  p.pattern = "trace";
  p.read_percent = -1;
  EXPECT_THAT(paging_text(run), HasSubstr("accesses: trace, reads, writes and words of the trace, 2 threads"));
  EXPECT_THAT(json(run), Not(HasSubstr("\"read_percent\"")));
  const auto xml = pmbench_xml(run);
  EXPECT_THAT(xml, HasSubstr("<ratio>50</ratio>"));  // 242,913 of 484,641
  EXPECT_THAT(xml, HasSubstr("<histogram type=\"read\">"));
  EXPECT_THAT(xml, HasSubstr("<histogram type=\"write\">"));
  EXPECT_THAT(pmbench_csv(run), HasSubstr("Write latencies,,Trial 1\n"));
}

// Lines are broken at 80 characters.
std::string unwrapped(const std::string& text) {
  std::istringstream words(text);
  std::string all;
  for (std::string word; words >> word;) all += word + " ";
  return all;
}

// Sets of pmbench's -y.
TEST(PagingText, UnequalThreadNumbersOfProcessesAreListed) {
  auto run = paging_run();
  auto& p = *run.paging;
  const auto worker = p.workers.at(0);
  p.workers.assign(4, worker);
  p.processes = 2;
  p.threads = 2;
  for (std::size_t i = 2; i < 4; ++i) p.workers[i].process = 1;
  EXPECT_THAT(unwrapped(paging_text(run)), HasSubstr(", 2 processes of 2 threads"));
  p.workers.pop_back();
  EXPECT_THAT(unwrapped(paging_text(run)), HasSubstr(", 2 processes of 2, 1 threads"));
  EXPECT_THAT(pmbench_xml(run), HasSubstr("<jobs>3</jobs>"));
}

// What the seed did not choose does not stand beside it.
TEST(PagingText, TheSeedIsShownOnlyBesideWhatItChose) {
  auto run = paging_run();
  auto& p = *run.paging;
  p.seed = 7;
  p.fill = "none";
  EXPECT_THAT(unwrapped(paging_text(run)), HasSubstr(", seed 7 "));
  p.pattern = "legacy:uniform";
  EXPECT_THAT(unwrapped(paging_text(run)), Not(HasSubstr("seed")));
  p.fill = "random";
  EXPECT_THAT(unwrapped(paging_text(run)), HasSubstr(", fill of seed 7 "));
}

TEST(PagingText, AProfilesReadPercentKeepsItsDecimals) {
  auto run = paging_run();
  run.paging->read_percent = 89.6;
  EXPECT_THAT(paging_text(run), HasSubstr("89.6 % reads"));
  EXPECT_THAT(pmbench_xml(run), HasSubstr("<ratio>90</ratio>"));
  run.paging->read_percent = 99.9;  // there are writes
  EXPECT_THAT(pmbench_xml(run), HasSubstr("<histogram type=\"write\">"));
}

TEST(PagingText, AFractionalDurationIsNotRoundedToSeconds) {
  auto run = paging_run();
  run.paging->interrupted = true;
  for (const auto& [s, shown, whole] : {std::tuple{0.2, "0.2", "1"}, {0.5, "0.5", "1"}, {1.6, "1.6", "2"}}) {
    run.paging->duration_s = s;
    EXPECT_THAT(paging_text(run), HasSubstr(std::string("(requested: ") + shown + " s)"));
    EXPECT_THAT(json(run), HasSubstr(std::string("\"duration_s\" : ") + shown));
    EXPECT_THAT(pmbench_xml(run), HasSubstr(std::string("<duration>") + whole + "</duration>"));
  }
}

TEST(PagingText, UnknownPressureOfAnImportedFileIsNotShown) {
  auto run = paging_run();
  run.paging->pressure = {};
  EXPECT_THAT(paging_text(run), HasSubstr("no memory limit, no swap active"));
  run.paging->pressure.known = false;
  run.host.memory_bytes = 0;
  EXPECT_THAT(paging_text(run), HasSubstr("pressure: not recorded in the file"));
  EXPECT_THAT(paging_text(run), Not(HasSubstr("no swap")));
  EXPECT_THAT(json(run), Not(HasSubstr("\"pressure\"")));
  EXPECT_THAT(pmbench_csv(run), HasSubstr("\nLinux 6.1.0,,,1024MiB,2,"));
}

TEST(PagingText, WithoutClassesAllAccessesAreOneRow) {
  auto run = paging_run();
  auto& p = *run.paging;
  p.classified = false;
  for (auto& worker : p.workers) {
    for (std::size_t d = 0; d < result::kAccessDirs; ++d) {
      auto all = of_dir(worker.latency, static_cast<result::AccessDir>(d));
      for (auto& c : worker.latency) c[d] = {};
      worker.latency[0][d] = all;
    }
  }
  set_workers(p, p.workers);
  const auto text = paging_text(run);
  EXPECT_THAT(text, HasSubstr("classes: not distinguished"));
  EXPECT_THAT(text, Not(HasSubstr("hit read")));
  EXPECT_THAT(text, HasSubstr("  all read  "));
  EXPECT_THAT(text, Not(HasSubstr("the classes contain")));
}

TEST(PagingText, AccessTouchHasCountsAndNoLatencies) {
  auto run = paging_run();
  auto& p = *run.paging;
  p.access = "touch";
  p.clock.stamps = "";
  for (auto& worker : p.workers) worker.latency = {};
  set_workers(p, p.workers);
  const auto text = paging_text(run);
  EXPECT_THAT(text, HasSubstr("classes: none, accesses are not stamped (touch)"));
  EXPECT_THAT(text, HasSubstr("242913 reads and 241728 writes, not stamped: no latencies"));
  EXPECT_THAT(text, HasSubstr("score: 193700 accesses/s"));
  EXPECT_THAT(text, Not(HasSubstr("by latency")));
  EXPECT_THAT(text, Not(HasSubstr("a major fault takes")));
  EXPECT_THAT(pmbench_xml(run), Not(HasSubstr("<statistics")));
  EXPECT_THAT(pmbench_xml(run), HasSubstr("<access>touch<"));
}

TEST(PagingText, ARunWithoutAnyDataRendersInEveryFormat) {
  result::Run run = empty_run();
  run.paging.emplace();
  run.paging->workers.emplace_back();
  for (const auto& format : paging_formats()) EXPECT_NE(format.render(run), "") << format.name;
  const auto text = paging_text(run);
  EXPECT_THAT(text, HasSubstr("no access was made"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf")));
  EXPECT_EQ(paging_text(empty_run()), "");
  EXPECT_EQ(pmbench_xml(empty_run()), "");
}

TEST(PagingText, ASingleMaximalLatencyRendersInEveryFormat) {
  result::Run run = empty_run();
  auto& p = run.paging.emplace();
  p.access = "histogram";
  add(at(p, result::AccessClass::major, result::AccessDir::write), std::numeric_limits<std::uint64_t>::max(), 1);
  p.workers.emplace_back();
  const auto text = paging_text(run, {true, CountAxis::both, 80});
  EXPECT_THAT(text, HasSubstr("major write"));
  EXPECT_THAT(text, HasSubstr("█"));
  add(at(p, result::AccessClass::hit, result::AccessDir::read), 0, 1);
  EXPECT_THAT(paging_text(run), HasSubstr("hit read"));
  EXPECT_THAT(pmbench_csv(run), HasSubstr("\n1073741824,4294967296,1\n"));
}

// pmbench has one bin below 256 ns: where in it a hit lay is not in its file.
TEST(PagingText, AnImportedRunsFirstBinIsAnUpperBound) {
  auto run = paging_run();
  auto& p = *run.paging;
  p.latency = {};
  add(at(p, result::AccessClass::hit, result::AccessDir::read), 128, 900);
  add(at(p, result::AccessClass::hit, result::AccessDir::read), 9'472, 100);
  EXPECT_THAT(paging_classes(p), HasSubstr("129ns"));
  p.imported.emplace();
  p.classified = false;
  EXPECT_THAT(paging_classes(p), HasSubstr(" <256ns"));
  EXPECT_THAT(paging_classes(p), Not(HasSubstr("129ns")));
  EXPECT_THAT(paging_classes(p), HasSubstr("9.47us")) << "what lies above it is known";
  p.latency = {};
  add(at(p, result::AccessClass::hit, result::AccessDir::read), 128, 900);
  EXPECT_THAT(paging_classes(p), Not(HasSubstr("12"))) << "nor are mean and maximum";
}

TEST(PagingText, TheAmbientCgroupLimitIsShown) {
  auto run = paging_run();
  auto& pressure = run.paging->pressure;
  pressure.ambient_limit_bytes = 100 << 20;
  pressure.ambient_group = "/box";
  const auto head = [&] {
    auto text = paging_head(run);  // wrapped
    for (auto at = text.find("\n  "); at != text.npos; at = text.find("\n  ")) text.replace(at, 3, " ");
    return text;
  };
  EXPECT_THAT(head(), HasSubstr(" within the limit 100 MiB of the inherited memory group /box"));
  pressure.limit_bytes = 0;
  EXPECT_THAT(head(), HasSubstr("pressure: limit 100 MiB of the inherited memory group /box"));
  EXPECT_THAT(head(), Not(HasSubstr("no memory limit")));
}

TEST(PagingText, TheDevicesShareOfAMajorFaultIsShown) {
  auto run = paging_run();
  const auto share = device_share(*run.paging);
  ASSERT_TRUE(share);
  EXPECT_NEAR(share->overhead_ns, share->major_mean_ns - 1'912, 10);
  EXPECT_NEAR(share->overhead_percent, 100 * share->overhead_ns / share->device_mean_ns, 1e-9);
  EXPECT_EQ(share->major_peak.begin_ns, 6'144u);
  run.paging->devices[0].read_ns = {};
  run.paging->devices[0].write_ns = {};
  run.paging->devices[0].cause = "tracefs is not mounted";
  EXPECT_FALSE(device_share(*run.paging));
  EXPECT_THAT(paging_devices(*run.paging), HasSubstr("device zram1: no device time: tracefs is not mounted"));
}

TEST(PagingText, EachOfSeveralDevicesHasTheShareThatItServed) {
  auto run = paging_run();
  auto& devices = run.paging->devices;
  devices.resize(1);
  devices[0].read_ns = {};
  add(devices[0].read_ns, 2'000, 3'000);
  devices[0].read_bytes = std::uint64_t{3'000} * 4096;
  devices[0].seen_share = 1;
  devices.push_back(devices[0]);
  devices[1].device = "vda";
  devices[1].read_ns = {};
  add(devices[1].read_ns, 100'000, 250);
  devices[1].read_bytes = std::uint64_t{250} * 4096;
  devices[1].seen_share = 0.25;
  const auto share = device_share(*run.paging);
  ASSERT_TRUE(share);
  EXPECT_NEAR(share->device_mean_ns, (3'000 * 2'000.0 + 1'000 * 100'000.0) / 4'000, 200) << "1000 in the whole time";
  EXPECT_NEAR(*served_percent(*run.paging, devices[0]), 75, 1e-9);
  const auto text = paging_devices(*run.paging);
  EXPECT_THAT(text, HasSubstr("served 25.0 %"));
  EXPECT_EQ(text.find("a major fault takes"), text.rfind("a major fault takes")) << text;
  devices[1].by = "direct reads";
  EXPECT_FALSE(device_share(*run.paging)) << "what each served is not known";
  EXPECT_FALSE(served_percent(*run.paging, devices[0]));
  devices[1] = {};
  devices[1].device = "vda";
  EXPECT_FALSE(device_share(*run.paging)) << "it may have served any part";
}

TEST(PagingText, WhatWatchingCostsIsShownByWatcher) {
  auto run = paging_run();
  result::WatcherCost of;
  of.watcher = "device time of zram0";
  of.job = "accesses";
  of.cost.by = result::CostBy::rate;
  of.cost.from = result::CostFrom::cost_run;
  of.cost.slices = 23;
  of.cost.rate = {0.003, 0.009};
  of.cost.p50 = {0.031, 0.004};
  of.cost.cpu_per_io = {120, 40};
  EXPECT_EQ(paging_watching(run), "");
  run.watching = {of, {"audit", "", 0, {}}};
  run.watching[1].cost.cause = "nobody looks";
  run.paging->devices[0].watching = of.cost;
  const auto text = paging_watching(run);
  EXPECT_EQ(text,
            "\n  watching cost accesses, device time of zram0: below 2 %: 0.3 +- 0.9 % of the\n"
            "  rate, the median major fault +3.1 +- 0.4 %, CPU 120 +- 40 ns per access, by 23\n"
            "  slices of a separate run\n"
            "  watching cost audit: not measured: nobody looks\n");
  EXPECT_THAT(report::paging_text(run), HasSubstr(text));
  EXPECT_THAT(paging_devices(*run.paging),
              HasSubstr("probe\n  overhead of the accesses: below 2 %: 0.3 +- 0.9 % of the rate"));
}

TEST(PagingText, AThreadsErrorAndUnlockedMemoryAreShown) {
  auto run = paging_run();
  run.paging->workers[1].error = 12;
  run.paging->locked = false;
  run.paging->locked_bytes_per_thread = 0;
  run.paging->interrupted = true;
  const auto text = paging_text(run);
  EXPECT_THAT(text, HasSubstr("ended early: errno 12"));
  EXPECT_THAT(text, HasSubstr("NOT locked"));
  EXPECT_THAT(text, HasSubstr("interrupted (requested: 3 s)"));
}

TEST(PagingText, Table2HasFiveRowsAndIntervals) {
  const auto text = paging_table2(*table2_run().paging);
  for (const char* row : {"1 mean of all accesses", "2 most frequent major", "3 mean of majors", "4 overhead of majors",
                          "5 overhead of media %"})
    EXPECT_THAT(text, HasSubstr(row));
  EXPECT_THAT(text, HasSubstr("11.7us ± 292ns"));
  EXPECT_THAT(paging_text_ascii(table2_run()), Not(HasSubstr("±")));
  auto once = table2_run();
  for (auto& row : once.paging->table2[0].rows) row.low = row.high = row.mean;
  once.paging->table2.resize(1);
  EXPECT_THAT(paging_table2(*once.paging), Not(HasSubstr("us ±")));
}

// pmbench's net average: whole time over accesses, less the cost of an address; ticks cut off.
TEST(PagingText, PmbenchAveragesSubtractTheAddressCost) {
  result::Paging p;
  p.clock.ticks_per_second = 2e9;
  result::PagingThread worker;
  worker.accesses[0] = 600;
  worker.accesses[1] = 400;
  worker.wall_ns = 75'250;
  worker.overhead_ns = 2.5;
  worker.warmup_accesses = 10;
  worker.warmup_ns = 1'000;
  const auto t = pmbench_thread(p, worker);
  EXPECT_EQ(t.samples, 1000u);
  EXPECT_NEAR(t.latency_us, 0.07525, 1e-9);
  EXPECT_NEAR(t.net_us, 0.07275, 1e-7);
  EXPECT_EQ(t.latency_clk, 150);
  EXPECT_EQ(t.net_clk, 145);
  EXPECT_EQ(t.overhead_clk, 5);
  EXPECT_NEAR(t.warmup_us, 0.1, 1e-12);
}

}  // namespace
}  // namespace fathom::report::paging
