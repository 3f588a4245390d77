// A run whose witnesses agree, made up: one job of 100 MiB direct reads and 50 MiB direct writes of a file on vda, 2 s.
// Tests change one number and look at what the audit makes of it.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "audit/witnesses/reconcile.h"
#include "driven_by.h"

namespace fathom::audit {

inline constexpr double kMiB_d = 1 << 20;

struct Audited {
  result::Run run;
  std::vector<result::Count> counts;
  witnesses::Facts facts;

  result::Audit audit() const { return witnesses::reconcile(run, counts, facts); }
  result::Count& count(const std::string& source, const std::string& subject, const std::string& name) {
    for (auto& c : counts)
      if (c.source == source && c.subject == subject && c.name == name) return c;
    result::Count c;
    c.source = source;
    c.subject = subject;
    c.name = name;
    c.direction = name.starts_with("read") || name.ends_with("read") ? "read" : "write";
    c.unit = "bytes";
    return counts.emplace_back(c);
  }
  void set(const std::string& source, const std::string& subject, const std::string& name, double bytes) {
    auto& c = count(source, subject, name);
    c.value = c.low = c.high = bytes;
  }
  result::Job& job() { return run.jobs[0]; }
  void buffered() { facts.jobs[0].direct = false; }
};

inline Audited audited() {
  Audited a;
  result::Job job;
  job.name = "t";
  drive_by("io_uring", job);
  job.bs_max[0] = job.bs_max[1] = 4096;
  job.elapsed_s = 2;
  job.dirs[0].moved_bytes = 100 << 20;
  job.dirs[0].moved_ios = 25600;
  job.dirs[1].moved_bytes = 50 << 20;
  job.dirs[1].moved_ios = 12800;
  job.process_io = {true, 0, 0, 100 << 20, 50 << 20, 0};
  a.run.jobs = {job};
  witnesses::JobReach reach;
  reach.disks = {"vda"};
  reach.direct = true;
  reach.files = 1;
  a.facts.jobs = {reach};
  a.set("block", "vda", "read_sectors", 100 * kMiB_d);
  a.set("block", "vda", "write_sectors", 50 * kMiB_d);
  a.set("memory", "page cache", "dirty_begin", 0);
  a.set("memory", "page cache", "dirty_end", 0);
  a.set("others", "all", "read_bytes", 0);
  a.set("others", "all", "write_bytes", 0);
  a.set("others", "unreadable", "processes", 0);
  return a;
}

inline result::AuditWitness of(const result::Audit& audit, const std::string& source, const std::string& direction) {
  for (const auto& w : audit.witnesses)
    if (w.source == source && w.direction == direction) return w;
  ADD_FAILURE() << "no witness " << source << " " << direction;
  return {};
}

inline double explained_bytes(const result::AuditWitness& w) {
  double sum = 0;
  for (const auto& term : w.explained) sum += term.bytes;
  return sum;
}

}  // namespace fathom::audit
