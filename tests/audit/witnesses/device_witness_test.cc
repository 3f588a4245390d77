// The device's own account, the PCIe counter and the link, with made-up counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/audited_run.h"
#include "audit/run_findings.h"

namespace fathom::audit::witnesses {
namespace {

using result::Verdict;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kUnit = 512'000;

Audited with_port(const char* pmu = "pcie_bdf_200") {
  auto a = audited();
  PortReach port;
  port.subject = pmu;
  port.port = "0000:00:02.0";
  port.disks = {"vda"};
  port.read_overhead_bytes = 25600 * 20;
  port.write_overhead_bytes = 12800 * 72;
  port.overhead_how = "38400 commands";
  a.facts.ports = {port};
  a.set("pcie_pmu", pmu, "read_Rx", 100 * kMiB_d + 25600 * 20);
  a.set("pcie_pmu", pmu, "write_Tx", 50 * kMiB_d + 12800 * 72);
  return a;
}

TEST(ReconcilePcie, PayloadAgreesWithAndWithoutCommandOverhead) {
  auto a = with_port();
  EXPECT_EQ(of(a.audit(), "pcie_pmu", "read").verdict, Verdict::agrees);
  EXPECT_EQ(of(a.audit(), "pcie_pmu", "read").terms.size(), 2u);
  a.set("pcie_pmu", "pcie_bdf_200", "read_Rx", 100 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "pcie_pmu", "read").verdict, Verdict::agrees);
  a.set("pcie_pmu", "pcie_bdf_200", "read_Rx", 98 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "pcie_pmu", "read").diagnosis, "missing_io");
}

TEST(ReconcilePcie, AUnitErrorOfSixteenAndItsInverseAreNamed) {
  auto a = with_port();
  a.set("pcie_pmu", "pcie_bdf_200", "read_Rx", 1600 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "pcie_pmu", "read").diagnosis, "unit_error_16");
  EXPECT_NE(of(a.audit(), "pcie_pmu", "read").cause.find("dwc_rootport_* counts bytes"), std::string::npos);
  a.set("pcie_pmu", "pcie_bdf_200", "read_Rx", 100 / 16.0 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "pcie_pmu", "read").diagnosis, "unit_error_1_16");
  EXPECT_NE(of(a.audit(), "pcie_pmu", "read").cause.find("pcie_bdf_* counts such units"), std::string::npos);
}

TEST(ReconcilePcie, APortWithoutTrafficDisagrees) {
  auto a = with_port();
  a.set("pcie_pmu", "pcie_bdf_200", "read_Rx", 4096);
  const auto w = of(a.audit(), "pcie_pmu", "read");
  EXPECT_EQ(w.verdict, Verdict::disagrees);
  EXPECT_EQ(w.diagnosis, "wrong_port");
  a.set("pcie_pmu", "pcie_bdf_300", "read_Rx", 100 * kMiB_d);
  EXPECT_THAT(of(a.audit(), "pcie_pmu", "read").cause, HasSubstr("pcie_bdf_300 counted 100 MiB"));
}

TEST(ReconcilePcie, AnIntervalThatHoldsTheTruthAgrees) {
  auto a = with_port();
  auto& c = a.count("pcie_pmu", "pcie_bdf_200", "read_Rx");
  c.value = 97 * kMiB_d;
  c.low = 94 * kMiB_d;
  c.high = 101 * kMiB_d;
  c.confidence = 0.99;
  EXPECT_EQ(of(a.audit(), "pcie_pmu", "read").verdict, Verdict::agrees);
  c.aliased = true;
  EXPECT_EQ(of(a.audit(), "pcie_pmu", "read").diagnosis, "aliased");
}

TEST(ReconcilePcie, ForeignTrafficOnASharedPortIsExplained) {
  auto a = with_port();
  a.set("pcie_pmu", "pcie_bdf_200", "read_Rx", 150 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "pcie_pmu", "read").verdict, Verdict::disagrees);
  a.facts.ports[0].shared = {"0000:01:00.1"};
  const auto w = of(a.audit(), "pcie_pmu", "read");
  EXPECT_EQ(w.verdict, Verdict::explained);
  EXPECT_THAT(w.cause, HasSubstr("0000:01:00.1"));
}

TEST(ReconcilePcie, TheIdleRateIsSubtractedOverTheRunsTime) {
  auto a = with_port();
  auto& c = a.count("pcie_pmu", "pcie_bdf_200", "read_Rx");
  c.value = c.low = c.high = c.value + 40 * kMiB_d;
  c.window_s = 2;
  a.set("idle_pcie", "pcie_bdf_200", "read_Rx", 20 * kMiB_d);
  a.count("idle_pcie", "pcie_bdf_200", "read_Rx").window_s = 1;
  EXPECT_EQ(of(a.audit(), "pcie_pmu", "read").diagnosis, "foreign_io") << "not settled: no idle window";
  EXPECT_EQ(of(a.audit(), "pcie_pmu", "read").verdict, Verdict::disagrees);
  a.run.settle.settled = true;
  const auto w = of(a.audit(), "pcie_pmu", "read");
  EXPECT_EQ(w.verdict, Verdict::explained);
  EXPECT_EQ(w.diagnosis, "foreign_io");
  EXPECT_EQ(explained_bytes(w), 40 * kMiB_d);
}

// Two controllers of our own driver behind two ports: each port carries its own device's bytes.
TEST(ReconcilePcie, EachPortIsComparedWithItsOwnDevicesBytes) {
  auto a = with_port();
  auto other = a.job();
  other.job_number = 1;
  a.run.jobs.push_back(other);
  a.facts.jobs.push_back(a.facts.jobs[0]);
  a.facts.jobs[1].job_number = 1;
  a.facts.jobs[0].disks.clear();
  a.facts.jobs[1].disks.clear();
  a.facts.jobs[0].devices = {"0000:01:00.0"};
  a.facts.jobs[1].devices = {"soft:"};
  a.facts.ports[0].disks.clear();
  a.facts.ports[0].devices = {"0000:01:00.0"};
  EXPECT_EQ(of(a.audit(), "pcie_pmu", "read").verdict, Verdict::agrees);
  a.facts.ports[0].disks = {"vda"};  // a disk of the kernel's behind the same port
  a.set("pcie_pmu", "pcie_bdf_200", "read_Rx", 200 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "pcie_pmu", "read").verdict, Verdict::agrees);
  a.facts.jobs[0].devices.push_back("0000:05:00.0");  // behind another port
  EXPECT_EQ(of(a.audit(), "pcie_pmu", "read").verdict, Verdict::no_witness);
}

TEST(ReconcilePcie, AVanishedCounterIsNoWitness) {
  auto a = with_port();
  a.count("pcie_pmu", "pcie_bdf_200", "read_Rx").lost_at_s = 0.75;
  const auto w = of(a.audit(), "pcie_pmu", "read");
  EXPECT_EQ(w.verdict, Verdict::no_witness);
  EXPECT_THAT(w.cause, HasSubstr("lost at 0.8 s"));
}

Audited on_own_driver() {
  auto a = audited();
  a.facts.jobs[0].disks.clear();
  a.facts.jobs[0].devices = {"soft:"};
  a.counts.clear();
  a.set("driver", "soft:", "data_units_read", 205 * kUnit);
  a.count("driver", "soft:", "data_units_read").direction = "read";
  a.set("driver", "soft:", "data_units_written", 103 * kUnit);
  return a;
}

TEST(ReconcileDriver, DataUnitsAgreeToOneUnitAtEitherEnd) {
  auto a = on_own_driver();
  EXPECT_EQ(a.audit().verdict, Verdict::agrees);
  a.set("driver", "soft:", "data_units_read", 208 * kUnit);
  EXPECT_EQ(of(a.audit(), "driver", "read").verdict, Verdict::explained);
  a.set("driver", "soft:", "data_units_read", 202 * kUnit);
  EXPECT_EQ(of(a.audit(), "driver", "read").diagnosis, "missing_io");
}

TEST(ReconcileDriver, QueuePairsThatCompletedLessThanTheJobCountsDisagree) {
  auto a = on_own_driver();
  auto& job = a.job();
  job.bs_min[0] = job.bs_min[1] = 4096;
  job.dirs[0].bytes = 100 << 20;
  job.dirs[1].bytes = 50 << 20;
  job.iodepth = 8;
  job.queue.emplace();
  job.queue->queue_pairs = 1;
  job.queue->completions = 38400;
  EXPECT_EQ(of(a.audit(), "queues", "").verdict, Verdict::agrees);
  job.queue->completions = 38000;
  EXPECT_EQ(of(a.audit(), "queues", "").verdict, Verdict::disagrees);
  job.queue->split = 1;
  for (const auto& w : a.audit().witnesses) EXPECT_NE(w.source, "queues");
}

result::Count link(const char* name, const char* unit, double then, double now) {
  result::Count c;
  c.source = "link";
  c.subject = "0000:01:00.0";
  c.name = name;
  c.unit = unit;
  c.low = then;
  c.value = now;
  return c;
}

std::vector<std::string> link_ids(Audited& a) {
  a.run.audit = a.audit();
  std::vector<std::string> ids;
  for (const auto& f : run_findings(a.run)) ids.push_back(f.id);
  return ids;
}

TEST(LinkFindings, AThrottledLinkIsRaisedAndAFullOneIsNot) {
  auto a = audited();
  a.run.findings.clear();
  a.counts.push_back(link("current_link_speed", "GT/s", 2.5, 2.5));
  a.counts.push_back(link("max_link_speed", "GT/s", 16, 16));
  EXPECT_THAT(link_ids(a), ::testing::Contains("link.degraded"));
  ASSERT_EQ(a.run.audit->link.size(), 1u);
  EXPECT_EQ(a.run.audit->link[0].cause, "2.5 of 16 GT/s");
  EXPECT_EQ(a.run.audit->verdict, Verdict::agrees);  // no byte is missing
  a.counts[a.counts.size() - 2] = link("current_link_speed", "GT/s", 16, 16);
  EXPECT_THAT(link_ids(a), ::testing::Not(::testing::Contains("link.degraded")));
}

TEST(LinkFindings, AChangeDuringTheRunAndErrorsAreRaisedWithTheirNumbers) {
  auto a = audited();
  a.counts.push_back(link("current_link_width", "lanes", 4, 1));
  a.counts.push_back(link("max_link_width", "lanes", 4, 4));
  a.counts.push_back(link("aer_dev_correctable/BadTLP", "count", 0, 17));
  const auto ids = link_ids(a);
  EXPECT_THAT(ids, ::testing::IsSupersetOf({"link.degraded", "link.errors"}));
  EXPECT_EQ(a.run.audit->link[0].cause, "changed from 4 to 1 lanes during the run");
  EXPECT_THAT(a.run.audit->line, HasSubstr("link 0000:01:00.0: current_link_width"));
}

}  // namespace
}  // namespace fathom::audit::witnesses
