// The split in the text: rows, a part that is not covered, shares that add up, and a cause where there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/normal_parts.h"
#include "report/parts/breakdown_rows.h"

namespace fathom::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

result::PartLatency part(std::uint64_t ns) {
  result::PartLatency p;
  p.covered = true;
  for (int i = 0; i < 200; ++i) {
    p.moments_ns.add(ns);
    p.histogram_ns.add(ns);
  }
  return p;
}

result::Run bios() {
  result::Breakdown b;
  b.asked = true;
  b.devices = {"zram0 (bios)"};
  b.tracepoints = {"block:block_bio_queue"};
  b.events_by = "BPF programs";
  b.mode = result::BreakdownMode::all;
  b.seen_share = 0.09;
  result::BreakdownClass c;
  c.job = "t";
  c.direction = "read";
  c.ios = 203;
  c.matched = 200;
  c.of(result::Undivided::contested) = {2, 8000};
  c.of(result::Undivided::lost) = {1, 4000};
  c.parts[0] = part(1000);
  c.parts[2] = part(2000);
  c.parts[3] = part(1000);
  c.whole = part(4000);
  b.classes.push_back(c);
  result::Run run;
  run.breakdown = b;
  return run;
}

TEST(BreakdownLines, HaveOneTablePerDirection) {
  const auto text = breakdown_lines(bios());
  EXPECT_THAT(
      text,
      HasSubstr(
          "breakdown t read: 203 I/Os traced, 200 matched\n    the parts explain 98.5 % of the time of all I/Os\n"));
  EXPECT_THAT(text, HasSubstr("    device             2.00        2.0"));
  EXPECT_THAT(text, HasSubstr("    50.0%       200\n"));
  EXPECT_THAT(text, HasSubstr("    queue                 -           -           -           -         -         -\n"));
  EXPECT_THAT(text, HasSubstr("breakdown by block:block_bio_queue (BPF programs) on zram0 (bios)"));
  EXPECT_THAT(text, HasSubstr("not divided: 2 I/Os, 1.0 % of the time, mean 4.00 us: overlapping another I/O"));
  EXPECT_THAT(text, Not(HasSubstr("uncovered")));
  EXPECT_THAT(text, Not(HasSubstr("flush")));
  EXPECT_THAT(text, Not(HasSubstr("breakdown lost")));
}

TEST(BreakdownLines, OfAllIosShowPartsThatFewHaveAndTheLimit) {
  auto run = bios();
  run.breakdown->io_limits = {"io.max of /database: 253:0 riops=500"};
  auto& c = run.breakdown->classes[0];
  c.parts[static_cast<std::size_t>(result::Part::held)] = part(500);
  c.parts[static_cast<std::size_t>(result::Part::flush)] = part(700);
  c.flushes = 200;
  const auto text = breakdown_lines(run);
  EXPECT_LT(text.find("    submit "), text.find("    held "));
  EXPECT_LT(text.find("    held "), text.find("    device "));
  EXPECT_LT(text.find("    device "), text.find("    flush "));
  EXPECT_LT(text.find("    flush "), text.find("    completion "));
  EXPECT_THAT(text, HasSubstr("breakdown I/O limit active: io.max of /database: 253:0 riops=500\n"));
  EXPECT_THAT(text, Not(HasSubstr("compl.+flush")));
  EXPECT_THAT(text, Not(HasSubstr("handed")));
  EXPECT_THAT(text, Not(HasSubstr("FUA")));
  c.fua = 12;
  EXPECT_THAT(breakdown_lines(run), HasSubstr("    12 I/Os wrote through the device's cache (FUA), within `device`\n"));
  EXPECT_THAT(text, HasSubstr("breakdown cost t read while traced: not measured"));
}

TEST(BreakdownLines, OfSlicesShowHowSureTheSharesAre) {
  auto run = bios();
  run.breakdown->mode = result::BreakdownMode::slices;
  run.breakdown->seen_share = 0.1;
  auto& c = run.breakdown->classes[0];
  c.slices = 20;
  c.share_half_width[0] = 0.012;
  const auto text = breakdown_lines(run);
  EXPECT_THAT(text, HasSubstr(" 25.0%       200  23.8-26.2%\n"));
  EXPECT_THAT(text, HasSubstr("95 % confidence interval of the share, from 20 slices\n"));
  EXPECT_THAT(text, HasSubstr("breakdown by sampling: 10 % of the time"));
  c.slices = 2;
  EXPECT_THAT(breakdown_lines(run), HasSubstr("from 2 slices: too few for an interval\n"));
}

// Bands of a class whose parts are submit, device and completion, the last band seen by too few.
void give_bands(result::BreakdownClass& c) {
  const double shares[] = {0.4, 0.3, 0.1, 0.2};
  for (std::size_t b = 0; b < stats::kBands; ++b) {
    auto& band = c.bands.emplace_back();
    band.name = stats::kBandNames[b];
    band.from_ns = 1000.0 * static_cast<double>(b + 1);
    band.ios = 100 - b;
    band.time_share = shares[b];
    band.told = b < 3;
    if (!band.told) continue;
    band.share[0] = 0.25;
    band.share[2] = 0.55 - 0.1 * static_cast<double>(b);
    band.share[3] = 0.2 + 0.1 * static_cast<double>(b);
  }
}

TEST(BreakdownLines, HaveASecondTableByLatency) {
  auto run = bios();
  give_bands(run.breakdown->classes[0]);
  const auto text = breakdown_lines(run);
  EXPECT_THAT(text, HasSubstr("the parts explain 98.5 % of the time of all I/Os\n"));
  EXPECT_THAT(text, HasSubstr("    by latency          p0-50       p50-99     p99-99.9  above p99.9\n"));
  EXPECT_THAT(text, HasSubstr("    from us              1.00         2.00         3.00         4.00\n"));
  EXPECT_THAT(text, HasSubstr("    I/Os                  100           99           98           97\n"));
  EXPECT_THAT(text, HasSubstr("    of all time         40.0%        30.0%        10.0%        20.0%\n"));
  EXPECT_THAT(text, HasSubstr("    device              55.0%        45.0%        35.0%            -\n"));
  EXPECT_THAT(text, HasSubstr("    completion          20.0%        30.0%        40.0%            -\n"));
  EXPECT_THAT(text, Not(HasSubstr("held")));
  EXPECT_THAT(text, HasSubstr("breakdown cost t read while traced: not measured\n"));
  EXPECT_THAT(text, HasSubstr("    part            mean us      p50 us      p99 us    p99.9 us     share      I/Os\n"));
  EXPECT_THAT(text, HasSubstr("    whole              4.00        4.00        4.00        4.00    100.0%       200\n"));
  EXPECT_THAT(text, Not(HasSubstr("unattributed")));
}

TEST(BreakdownLines, LeaveOutRowsOfZerosAndNameThem) {
  auto run = bios();
  auto& c = run.breakdown->classes[0];
  c.parts[static_cast<std::size_t>(result::Part::queue)] = part(0);
  c.parts[static_cast<std::size_t>(result::Part::flush)].covered = true;
  give_bands(c);
  const auto text = breakdown_lines(run);
  EXPECT_THAT(text, Not(HasSubstr("\n    queue ")));
  EXPECT_THAT(text, Not(HasSubstr("\n    flush ")));
  EXPECT_THAT(text, HasSubstr("\n    no time in: queue, flush\n"));
  EXPECT_THAT(text, HasSubstr("\n    device             2.00"));
  c.parts[static_cast<std::size_t>(result::Part::queue)] = part(30);
  EXPECT_THAT(breakdown_lines(run), HasSubstr("\n    queue              0.03"));
  EXPECT_THAT(breakdown_lines(run), HasSubstr("\n    no time in: flush\n"));
}

result::Run of_slices() {
  auto run = bios();
  run.breakdown->mode = result::BreakdownMode::slices;
  run.breakdown->seen_share = 0.1;
  auto& c = run.breakdown->classes[0];
  c.slices = 20;
  c.others = part(3700);
  give_bands(c);
  c.share.fill(0);
  c.share[0] = 0.2, c.share[2] = 0.4, c.share[3] = 0.2;
  c.share_half_width[2] = 0.012;
  c.watching.by = result::CostBy::rate;
  c.watching.slices = 19;
  c.watching.added_ns = 200;
  return run;
}

TEST(BreakdownLines, OfSlicesWeighByAllIosAndTellWhatIsNot) {
  const auto text = breakdown_lines(of_slices());
  EXPECT_THAT(text, HasSubstr("the parts explain 98.5 % of the time of the traced I/Os\n"));
  EXPECT_THAT(text, HasSubstr("     40.0%       200  38.8-61.2%\n")) << "what is not told may be any part's";
  EXPECT_THAT(text, HasSubstr(" p99.9 us     share      I/Os  from-to\n"));
  EXPECT_THAT(text, HasSubstr("from 20 slices, and the unattributed share may belong to any part\n"));
  EXPECT_THAT(text, HasSubstr("    unattributed          -           -           -           -     20.0%         -\n"));
  EXPECT_THAT(text, HasSubstr("    unattributed: latency bands with fewer than 10 slices or 100 I/Os\n"));
  EXPECT_THAT(text, HasSubstr("    watching           0.20           -           -           -      5.0%         -\n"));
  EXPECT_THAT(text, HasSubstr("within a latency band I/Os outside the slices are like those inside\n"));
}

TEST(BreakdownLines, SayBelowTwoPercentOnlyWhereTheWholeIntervalIs) {
  auto run = of_slices();
  auto& cost = run.breakdown->classes[0].watching;
  const auto text = [&](double share, double half_width) {
    cost.rate = {share, half_width};
    return breakdown_lines(run);
  };
  EXPECT_THAT(text(0.01, 0.009), HasSubstr("breakdown cost t read while traced: below 2 %: 1.0 +- 0.9 % of the rate, "
                                           "by 19 slices; 10 % of the time is traced\n"));
  EXPECT_THAT(text(0.01, 0.011), HasSubstr("1.0 +- 1.1 % of the rate: too noisy to tell whether it is below 2 %, by"));
  EXPECT_THAT(text(0.01, 0.011), Not(HasSubstr(": below 2 %")));
  EXPECT_THAT(text(0.03, 0.011), HasSubstr("3.0 +- 1.1 % of the rate: too noisy"));
  EXPECT_THAT(text(0.13, 0.01), HasSubstr("while traced: 13.0 +- 1.0 % of the rate, by 19 slices"));
  EXPECT_THAT(text(0.01, -1), HasSubstr("not known: fewer than three slices"));
  cost.by = result::CostBy::p50;
  cost.p50 = {0.005, 0.01};
  EXPECT_THAT(breakdown_lines(run), HasSubstr("below 2 %: 0.5 +- 1.0 % of the median latency"));
  cost = {};
  EXPECT_THAT(breakdown_lines(run), HasSubstr("while traced: not measured\n"));
}

TEST(WatcherLines, AreOnesAWatcherAndJob) {
  result::WatcherCost of;
  of.watcher = "tracepoints";
  of.job = "t";
  of.cost.by = result::CostBy::rate;
  of.cost.from = result::CostFrom::cost_run;
  of.cost.rate = {0.393, 0.087};
  of.cost.cpu_per_io = {1040, 101};
  of.cost.slices = 14;
  result::WatcherCost none;
  none.watcher = "PCIe PMU";
  none.cost.cause = "this machine has none that counts a port's bytes";
  EXPECT_EQ(parts::watcher_lines({of, none}),
            "  watching cost t, tracepoints: 39.3 +- 8.7 % of the rate, CPU 1040 +- 101 ns per I/O, by 14 slices of a "
            "separate run\n"
            "  watching cost PCIe PMU: not measured: this machine has none that counts a port's bytes\n");
  EXPECT_EQ(parts::watcher_lines({}), "");
}

TEST(BreakdownLines, NameLostEvents) {
  auto run = bios();
  run.breakdown->events_lost = 5;
  EXPECT_THAT(breakdown_lines(run), HasSubstr("breakdown lost: 5 events, the table was full\n"));
}

TEST(BreakdownLines, NameEveryReasonWhyAnIoIsUndivided) {
  auto run = bios();
  auto& c = run.breakdown->classes[0];
  c.of(result::Undivided::unplaced) = {4, 20'000};
  c.of(result::Undivided::cut) = {3, 9000};
  c.outside = 2;
  c.outside_max_ns = 1500;
  const auto text = breakdown_lines(run);
  EXPECT_THAT(text, HasSubstr("mean 5.00 us: with an unknown location on the disk\n"));
  EXPECT_THAT(text, HasSubstr("3 I/Os, 1.1 % of the time, mean 3.00 us: still under way when tracing was"));
  EXPECT_THAT(text, HasSubstr("1 I/O, 0.5 % of the time, mean 4.00 us: with events missing"));
  EXPECT_THAT(text, HasSubstr("2 I/Os have events before the issue or after the reap, by 1.50 us at most"));
}

TEST(BreakdownLines, HaveNoTableWhenThePartsExplainLittleOfTheTime) {
  auto run = bios();
  auto& c = run.breakdown->classes[0];
  c.direct = true;
  c.ios += 20;
  c.of(result::Undivided::unplaced) = {20, 2'000'000'000};
  const auto text = breakdown_lines(run);
  EXPECT_THAT(text, HasSubstr("the parts explain 0.0 % of the time of all I/Os\n    no table"));
  EXPECT_THAT(text, HasSubstr("not divided: 20 I/Os, 99.9 % of the time, mean 100000.00 us: with an unknown location"));
  EXPECT_THAT(text, Not(HasSubstr("p99 us")));
  EXPECT_THAT(text, Not(HasSubstr("page cache")));
}

TEST(BreakdownLines, HaveNoTableForFewerThan100Ios) {
  auto run = bios();
  auto& c = run.breakdown->classes[0];
  c.ios = c.matched = 99;
  for (auto& rest : c.undivided) rest = {};
  EXPECT_THAT(breakdown_lines(run), HasSubstr("the parts explain 100.0 % of the time of all I/Os\n    no table"));
  c.ios = c.matched = 100;
  EXPECT_THAT(breakdown_lines(run), HasSubstr("p99 us"));
}

TEST(BreakdownLines, NeverCallAnIoOfADirectJobCached) {
  auto run = bios();
  auto& c = run.breakdown->classes[0];
  for (const bool direct : {false, true}) {
    c.direct = direct;
    std::string text;
    for (std::size_t i = 0; i < result::kUndivided; ++i) {
      c.undivided[i] = {1, 1000};
      text += breakdown_lines(run);
    }
    EXPECT_EQ(text.find("page cache") == text.npos, direct);
  }
}

TEST(BreakdownLines, LabelCompletionPlusFlushWhenWritesFlush) {
  auto run = bios();
  run.breakdown->classes[0].flushes = 7;
  const auto text = breakdown_lines(run);
  EXPECT_THAT(text, HasSubstr("    compl.+flush       1.00"));
  EXPECT_THAT(text, HasSubstr("waits for a flush after its data (sync=; 7 flushes were seen)"));
}

TEST(BreakdownLines, HaveTheCauseWhenThereIsNoSplit) {
  result::Run run;
  EXPECT_EQ(breakdown_lines(run), "");
  run.breakdown.emplace();
  run.breakdown->asked = true;
  run.breakdown->cause = "tracefs is not mounted";
  EXPECT_EQ(breakdown_lines(run), "  breakdown: none: tracefs is not mounted\n");
}

}  // namespace
}  // namespace fathom::report
