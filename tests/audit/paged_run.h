// A paging run whose witnesses agree, made up: 60 s, two threads, 400,000 accesses, half of them major faults, on a
// zram of its own. Tests change one number and look at what the audit makes of it.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "audit/paging/paging_checks.h"

namespace fathom::audit {

inline void fill_latency(result::AccessLatency& l, std::uint64_t ns, std::uint64_t times) {
  l.moments_ns.add_many(ns, times);
  l.histogram_ns.add(ns, times);
}

inline void set_count(std::vector<result::Count>& counts, const std::string& disk, const std::string& name,
                      double bytes) {
  for (auto& c : counts)
    if (c.subject == disk && c.name == name) {
      c.value = c.low = c.high = bytes;
      return;
    }
  result::Count c;
  c.source = "block";
  c.subject = disk;
  c.name = name;
  c.direction = name.starts_with("read") ? "read" : "write";
  c.unit = "bytes";
  c.value = c.low = c.high = bytes;
  counts.push_back(c);
}

struct Paged {
  result::Run run;
  std::vector<result::Count> counts;

  result::Paging& paging() { return *run.paging; }
  result::PagingThread& thread() { return run.paging->workers[0]; }
  result::Audit audit() const { return paging::reconcile_paging(run, counts); }
  std::vector<std::string> ids() {
    run.audit = audit();
    std::vector<std::string> found;
    for (const auto& f : paging::paging_findings(run)) {
      found.push_back(f.id);
      EXPECT_FALSE(f.evidence.empty()) << f.id;
      EXPECT_FALSE(f.remedy.empty()) << f.id;
    }
    return found;
  }
};

inline constexpr std::uint64_t kMajors = 200'000, kOuts = 190'000, kPageBytes_u = 4096;

inline Paged paged() {
  Paged a;
  a.run.host.cpus_online = 2;
  result::Paging p;
  p.duration_s = 60;
  p.window_ns = 60'000'000'000;
  p.map_bytes = p.set_bytes = 1ull << 30;
  p.memory = "anonymous";
  p.access = "histogram";
  p.fill = "random";
  p.threads = 2;
  p.locked = true;
  p.clock.slow_ns = 1200;
  for (int t = 0; t < 2; ++t) {
    result::PagingThread w;
    w.thread = t;
    fill_latency(w.latency[0][0], 500, 100'000);
    fill_latency(w.latency[1][0], 2'000, 500);
    fill_latency(w.latency[2][0], 7'000, kMajors / 4);
    fill_latency(w.latency[2][1], 7'000, kMajors / 4);
    w.accesses[0] = 150'500;
    w.accesses[1] = kMajors / 4;
    w.kernel_minor = 500;
    w.kernel_major = kMajors / 2;
    w.wall_ns = p.window_ns;
    for (std::size_t k = 0; k < result::kAccessClasses; ++k)
      for (std::size_t d = 0; d < result::kAccessDirs; ++d) {
        p.latency[k][d].moments_ns.merge(w.latency[k][d].moments_ns);
        p.latency[k][d].histogram_ns.merge(w.latency[k][d].histogram_ns);
      }
    p.workers.push_back(w);
  }
  p.vmstat = {{"pgmajfault", kMajors}, {"pswpin", kMajors}, {"pswpout", kOuts}};
  p.memcg = {{"pgmajfault", kMajors}};
  p.pressure.limit_bytes = 512 << 20;
  result::PagingSwap swap;
  swap.kind = "zram";
  swap.path = "/dev/zram7";
  swap.disk = "zram7";
  p.pressure.swaps = {swap};
  result::DeviceTime time;
  time.device = "zram7";
  time.by = "bios";
  fill_latency(time.read_ns, 20'000, kMajors);
  fill_latency(time.write_ns, 4'000, kOuts);
  time.read_bytes = kMajors * kPageBytes_u;
  time.write_bytes = kOuts * kPageBytes_u;
  p.devices = {time};
  a.run.paging = p;
  set_count(a.counts, "zram7", "read_sectors", static_cast<double>(kMajors * kPageBytes_u));
  set_count(a.counts, "zram7", "write_sectors", static_cast<double>(kOuts * kPageBytes_u));
  return a;
}

inline result::AuditWitness witness_of(const result::Audit& audit, const std::string& source,
                                       const std::string& direction) {
  for (const auto& w : audit.witnesses)
    if (w.source == source && w.direction == direction) return w;
  ADD_FAILURE() << "no witness " << source << " " << direction;
  return {};
}

}  // namespace fathom::audit
