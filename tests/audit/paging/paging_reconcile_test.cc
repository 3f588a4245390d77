// Lies and their clean twins, with made-up counts: each lie is named, and its twin is silent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/paged_run.h"

namespace fathom::audit::paging {
namespace {

using result::Verdict;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

double pages(double n) { return n * 4096; }

// The terms and what was seen add up.
void expect_adds_up(const result::AuditWitness& w) {
  double terms = 0, explained = 0;
  for (const auto& t : w.terms) terms += t.bytes;
  for (const auto& t : w.explained) explained += t.bytes;
  EXPECT_EQ(terms, w.expected_bytes) << w.source;
  if (w.verdict == Verdict::disagrees) return;
  EXPECT_LE(std::abs(w.seen_bytes - w.expected_bytes - explained), w.tolerance_bytes) << w.source;
}

TEST(ReconcilePaging, ACleanRunAgreesInOneLine) {
  auto a = paged();
  const auto audit = a.audit();
  EXPECT_EQ(audit.verdict, Verdict::agrees);
  EXPECT_EQ(audit.line,
            "agrees: 200000 major faults; threads +0.00 % major, +0.00 % minor; memory.stat +0.00 %; vmstat +0.00 %; "
            "swap-ins +0.00 %; swap zram7 +0.00 % read, +0.00 % write; device time zram7 +0.00 % read, +0.00 % write");
  EXPECT_THAT(a.ids(), IsEmpty());
  for (const auto& w : audit.witnesses) expect_adds_up(w);
}

struct Lie {
  const char* name;
  void (*plant)(Paged&);
  const char *source, *direction;
  Verdict verdict;
  const char* diagnosis;
};

constexpr std::uint64_t kOnePercent = kMajors / 100;

const Lie kLies[] = {
    {"faults that no access has", [](Paged& a) { a.thread().kernel_major += kOnePercent; }, "getrusage", "major",
     Verdict::disagrees, "unseen_faults"},
    {"second faults of an access",
     [](Paged& a) {
       a.thread().kernel_major += kOnePercent;
       a.thread().extra_faults = kOnePercent;
       a.paging().vmstat["pgmajfault"] += kOnePercent;
       a.paging().memcg["pgmajfault"] += kOnePercent;
       a.paging().vmstat["swpin_zero"] += kOnePercent;
     },
     "getrusage", "major", Verdict::explained, "further_faults"},
    {"the tool's own faults",
     [](Paged& a) {
       a.thread().kernel_minor += 400;
       a.thread().own_faults = 400;
     },
     "getrusage", "minor", Verdict::explained, "further_faults"},
    {"hits called major", [](Paged& a) { fill_latency(a.thread().latency[2][0], 9'000, kOnePercent); }, "getrusage",
     "major", Verdict::disagrees, "class_count"},
    {"a cgroup that somebody else is in", [](Paged& a) { a.paging().memcg["pgmajfault"] += 5 * kOnePercent; },
     "memory.stat", "major", Verdict::disagrees, "foreign_faults"},
    {"a cgroup that the threads are not in", [](Paged& a) { a.paging().memcg["pgmajfault"] = 0; }, "memory.stat",
     "major", Verdict::disagrees, "missing_faults"},
    {"faults that waited", [](Paged& a) { a.paging().memcg["pgmajfault"] -= kOnePercent; }, "memory.stat", "major",
     Verdict::explained, "waited"},
    {"others on the machine", [](Paged& a) { a.paging().vmstat["pgmajfault"] += 30 * kOnePercent; }, "vmstat", "major",
     Verdict::explained, "foreign_faults"},
    {"faults unknown to the machine", [](Paged& a) { a.paging().vmstat["pgmajfault"] = kMajors / 2; }, "vmstat",
     "major", Verdict::disagrees, "missing_faults"},
    {"pages that nobody asked for", [](Paged& a) { a.paging().vmstat["pswpin"] += 5 * kOnePercent; }, "swap-ins",
     "read", Verdict::disagrees, "foreign_swap"},
    {"faults that swap did not serve", [](Paged& a) { a.paging().vmstat["pswpin"] -= 5 * kOnePercent; }, "swap-ins",
     "read", Verdict::disagrees, "missing_io"},
    {"a device that moved more", [](Paged& a) { set_count(a.counts, "zram7", "read_sectors", pages(kMajors * 1.02)); },
     "block", "read", Verdict::disagrees, "foreign_io"},
    {"a device that moved less", [](Paged& a) { set_count(a.counts, "zram7", "write_sectors", pages(kOuts * 0.97)); },
     "block", "write", Verdict::disagrees, "missing_io"},
    {"sectors that are pages", [](Paged& a) { set_count(a.counts, "zram7", "read_sectors", 512.0 * kMajors / 2); },
     "block", "read", Verdict::disagrees, "unit_error_1_16"},
    {"requests that were not timed", [](Paged& a) { a.paging().devices[0].read_bytes /= 2; }, "device_time", "read",
     Verdict::disagrees, "missing_io"},
    {"events that were lost",
     [](Paged& a) {
       a.paging().devices[0].read_bytes -= 2000 * kPageBytes_u;
       a.paging().devices[0].lost = 2001;
     },
     "device_time", "read", Verdict::explained, "lost_events"},
    {"a disk that was taken away", [](Paged& a) { a.counts[0].lost_at_s = 3.5; }, "block", "read", Verdict::no_witness,
     "lost"},
};

TEST(ReconcilePaging, EachDiscrepancyIsNamed) {
  for (const auto& lie : kLies) {
    auto a = paged();
    lie.plant(a);
    const auto audit = a.audit();
    const auto w = witness_of(audit, lie.source, lie.direction);
    EXPECT_EQ(w.verdict, lie.verdict) << lie.name << ": " << w.cause;
    EXPECT_EQ(w.diagnosis, lie.diagnosis) << lie.name;
    EXPECT_FALSE(w.cause.empty()) << lie.name;
    expect_adds_up(w);
    EXPECT_GE(audit.verdict, lie.verdict) << lie.name;
    EXPECT_THAT(audit.line, HasSubstr(lie.verdict == Verdict::no_witness ? "lost at 3.5 s" : lie.diagnosis))
        << lie.name;
    const auto ids = a.ids();
    EXPECT_EQ(std::count(ids.begin(), ids.end(), "audit.disagrees") > 0, lie.verdict == Verdict::disagrees) << lie.name;
  }
}

TEST(ReconcilePaging, HalfAPerMilleIsTolerated) {
  auto a = paged();
  a.thread().kernel_major += kMajors / 2000;
  a.paging().vmstat["pswpin"] -= kMajors / 2000;
  set_count(a.counts, "zram7", "read_sectors", pages(kMajors * 1.0005));
  EXPECT_EQ(a.audit().verdict, Verdict::agrees) << a.audit().line;
}

TEST(ReconcilePaging, ReadAheadZeroPagesAndZswapExplainSwapIns) {
  auto a = paged();
  auto& vmstat = a.paging().vmstat;
  vmstat["swap_ra"] = 60'000;
  vmstat["swpin_zero"] = 10'000;
  vmstat["zswpin"] = 30'000;
  vmstat["pswpin"] = kMajors + 20'000;
  set_count(a.counts, "zram7", "read_sectors", pages(kMajors + 20'000));
  a.paging().devices[0].read_bytes = (kMajors + 20'000) * kPageBytes_u;
  const auto audit = a.audit();
  EXPECT_EQ(audit.verdict, Verdict::agrees) << audit.line;
  EXPECT_EQ(witness_of(audit, "swap-ins", "read").terms.size(), 4u);
  vmstat["swap_ra"] = 0;
  EXPECT_EQ(a.audit().verdict, Verdict::disagrees) << "twin without the term";
}

TEST(ReconcilePaging, ForeignFaultsExplainForeignSwapIns) {
  auto a = paged();
  a.paging().vmstat["pgmajfault"] += 9'000;
  a.paging().vmstat["pswpin"] += 9'000;
  const auto w = witness_of(a.audit(), "swap-ins", "read");
  EXPECT_EQ(w.verdict, Verdict::explained);
  EXPECT_EQ(w.explained.at(0).bytes, pages(9'000));
}

// A swap file's disk serves others too: what it moved beside the swap is no lie, what it did not move is.
TEST(ReconcilePaging, TheDiskUnderASwapFileMayServeOthers) {
  auto a = paged();
  auto& swap = a.paging().pressure.swaps[0];
  swap.kind = "file";
  swap.path = "/var/tmp/swap";
  swap.disk = "vda";
  a.paging().devices[0].device = "vda";
  a.counts.clear();
  set_count(a.counts, "vda", "read_sectors", pages(kMajors * 1.5));
  set_count(a.counts, "vda", "write_sectors", pages(kOuts) + (2 << 20));
  auto audit = a.audit();
  EXPECT_EQ(witness_of(audit, "block", "read").diagnosis, "foreign_io");
  EXPECT_EQ(witness_of(audit, "block", "read").verdict, Verdict::explained);
  EXPECT_EQ(witness_of(audit, "block", "write").verdict, Verdict::agrees) << "under way at the window's edge";
  EXPECT_THAT(a.ids(), Contains("audit.foreign_io"));
  set_count(a.counts, "vda", "read_sectors", pages(kMajors * 0.9));
  EXPECT_EQ(witness_of(a.audit(), "block", "read").verdict, Verdict::disagrees);
}

// Half of the majors from either, all pages that went out to the first.
Paged on_two_swaps() {
  auto a = paged();
  auto other = a.paging().pressure.swaps[0];
  other.path = "/dev/zram8";
  other.disk = "zram8";
  a.paging().pressure.swaps.push_back(other);
  auto& devices = a.paging().devices;
  devices.push_back(devices[0]);
  devices[1].device = "zram8";
  devices[1].write_ns = {};
  devices[1].write_bytes = 0;
  for (auto& device : devices) device.read_bytes = kMajors / 2 * kPageBytes_u;
  set_count(a.counts, "zram7", "read_sectors", pages(kMajors / 2.0));
  set_count(a.counts, "zram7", "write_sectors", pages(kOuts));
  set_count(a.counts, "zram8", "read_sectors", pages(kMajors / 2.0));
  set_count(a.counts, "zram8", "write_sectors", 0);
  return a;
}

std::vector<Verdict> of_disk(const result::Audit& audit, const std::string& disk) {
  std::vector<Verdict> verdicts;
  for (const auto& w : audit.witnesses)
    if (w.source == "block" && w.subject == disk && w.direction == "read") verdicts.push_back(w.verdict);
  return verdicts;
}

TEST(ReconcilePaging, SeveralSwapsAreComparedInSumAndEach) {
  auto a = on_two_swaps();
  const auto audit = a.audit();
  EXPECT_EQ(audit.verdict, Verdict::agrees) << audit.line;
  EXPECT_THAT(audit.line, HasSubstr("swap zram7 + zram8 +0.00 % read, +0.00 % write; swap zram7 +0.00 % read"));
  EXPECT_EQ(of_disk(audit, "zram7"), std::vector{Verdict::agrees});
  EXPECT_EQ(of_disk(audit, "zram8"), std::vector{Verdict::agrees});
}

// The sum is right, and neither of them is.
TEST(ReconcilePaging, OneSwapsSurplusDoesNotExcuseTheOthersLack) {
  auto a = on_two_swaps();
  set_count(a.counts, "zram7", "read_sectors", pages(kMajors * 0.9));
  set_count(a.counts, "zram8", "read_sectors", pages(kMajors * 0.1));
  const auto audit = a.audit();
  EXPECT_EQ(audit.verdict, Verdict::disagrees) << audit.line;
  EXPECT_EQ(of_disk(audit, "zram7"), std::vector{Verdict::disagrees});
  EXPECT_EQ(of_disk(audit, "zram8"), std::vector{Verdict::disagrees});
}

TEST(ReconcilePaging, APartlyTracedSwapIsComparedInTheSumOnly) {
  auto a = on_two_swaps();
  a.paging().devices[1].seen_share = 0.3;
  const auto audit = a.audit();
  EXPECT_EQ(audit.verdict, Verdict::agrees) << audit.line;
  EXPECT_TRUE(of_disk(audit, "zram8").empty());
}

// Somebody turned a swap off in mid-run, and its device is gone: what was read from it until then is nobody's lie.
TEST(ReconcilePaging, ASwapTurnedOffDuringTheRunIsTolerated) {
  auto a = paged();
  result::DeviceTime gone;
  gone.device = "zram8";
  gone.by = "bios";
  a.paging().devices.push_back(gone);
  set_count(a.counts, "zram7", "read_sectors", pages(kMajors * 0.8));
  set_count(a.counts, "zram8", "read_sectors", pages(kMajors * 0.1));
  set_count(a.counts, "zram8", "write_sectors", 0);
  a.counts[2].lost_at_s = 3;
  const auto w = witness_of(a.audit(), "block", "read");
  EXPECT_EQ(w.verdict, Verdict::no_witness);
  EXPECT_EQ(w.subject, "zram7 + zram8");
}

TEST(ReconcilePaging, AMissingSwapDeviceIsReported) {
  auto a = paged();
  a.counts.clear();
  a.paging().devices.clear();
  EXPECT_THAT(a.audit().line, HasSubstr("no swap device"));
  a.paging().memory = "file_shared";
  const auto audit = a.audit();
  for (const auto& w : audit.witnesses) EXPECT_NE(w.source, "swap-ins");
  EXPECT_THAT(audit.line, HasSubstr("no device's bytes"));
}

TEST(ReconcilePaging, ARunWithoutClassesAgreesWithoutGetrusage) {
  auto a = paged();
  a.paging().classified = false;
  for (const auto& w : a.audit().witnesses) EXPECT_NE(w.source, "getrusage");
  EXPECT_EQ(a.audit().verdict, Verdict::agrees);
}

TEST(ReconcilePaging, ARunWithoutFaultsAgrees) {
  auto a = paged();
  for (auto& w : a.paging().workers) {
    w.kernel_major = 0;
    w.latency[2] = {};
  }
  a.paging().vmstat = {{"pgmajfault", 0}, {"pswpin", 0}, {"pswpout", 0}};
  a.paging().memcg = {{"pgmajfault", 0}};
  a.paging().devices.clear();
  set_count(a.counts, "zram7", "read_sectors", 0);
  set_count(a.counts, "zram7", "write_sectors", 0);
  EXPECT_EQ(a.audit().line, "agrees: no major fault; threads +0.00 % minor");
}

TEST(ReconcilePaging, SampledDeviceTimesAreNoWitnessOfBytes) {
  auto a = paged();
  a.paging().devices[0].seen_share = 0.1;
  a.paging().devices[0].read_bytes /= 10;
  for (const auto& w : a.audit().witnesses) EXPECT_NE(w.source, "device_time");
}

TEST(ReconcilePaging, ARunWithoutPagingHasNoWitness) {
  EXPECT_EQ(reconcile_paging({}, {}).verdict, Verdict::no_witness);
  EXPECT_THAT(paging_findings({}), IsEmpty());
}

}  // namespace
}  // namespace fathom::audit::paging
