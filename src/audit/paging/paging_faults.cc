// Compares the faults by class with the kernel's counts for each thread, for the cgroup and for the machine. A thread's
// count (mm_account_fault in the kernel's mm/memory.c) includes as major every fault that had to be taken twice. That
// includes a fault that only waited for a page already being read or written for another task. pgmajfault counts the
// faults that started a read. So the thread's count may be slightly above the other two. The difference is largest with
// read-ahead, or if several threads share a mapping.
#include <fmt/format.h>

#include <algorithm>

#include "audit/paging/paging_case.h"

namespace fathom::audit::paging {
namespace {

using result::AccessClass;
using result::Verdict;

witnesses::Witness fault_witness(std::string source, std::string subject, const char* direction, double expected,
                                 double seen, std::string how) {
  witnesses::Witness w;
  w.source = std::move(source);
  w.subject = std::move(subject);
  w.direction = direction;
  w.rule = "faults x 4096 bytes";
  witnesses::expect(w, std::string(direction) + " faults", expected * kFaultBytes, std::move(how));
  witnesses::see(w, seen * kFaultBytes);
  return w;
}

void judge_class(const PagingCase& c, const char* direction, double in_class, double kernel,
                 witnesses::Witnesses& out) {
  witnesses::Witness w =
      fault_witness("getrusage", "threads", direction, in_class, kernel, fmt::format("{:.0f} accesses", in_class));
  w.tolerance_bytes = witnesses::kNegligible * w.expected_bytes + kEdgeFaults * c.threads * kFaultBytes;
  const double more = kernel - in_class;
  if (witnesses::within(w)) {
    witnesses::conclude(w, Verdict::agrees, "", "");
  } else if (more > 0 && more <= c.extra + c.own + w.tolerance_bytes / kFaultBytes) {
    witnesses::explain(w, "further faults", more * kFaultBytes,
                       fmt::format("{:.0f} second faults of an access, {:.0f} outside of any", c.extra, c.own));
    witnesses::conclude(w, Verdict::explained, "further_faults",
                        fmt::format("{:.0f} faults were the second of an access, or faults of fathom itself", more));
  } else if (more > 0) {
    witnesses::conclude(
        w, Verdict::disagrees, "unseen_faults",
        fmt::format("the kernel charged {:.0f} more {} faults to the threads than were classified: faults faster "
                    "than {} ns are not classified",
                    more, direction, c.paging.clock.slow_ns));
  } else {
    witnesses::conclude(
        w, Verdict::disagrees, "class_count",
        fmt::format("{:.0f} more accesses were classified {} than the kernel charged faults for", -more, direction));
  }
  out.push_back(std::move(w));
}

// Major faults of a thread that no other counter includes.
bool conclude_waited(const PagingCase& c, witnesses::Witness& w) {
  const double waited = -witnesses::rest(w) / kFaultBytes;
  const double at_most = kWaitedShare * c.kernel_major + c.vmstat("swap_ra_hit") + c.vmstat("swap_ra");
  if (waited <= 0 || waited > at_most + w.tolerance_bytes / kFaultBytes) return false;
  witnesses::explain(
      w, "waited for another's read", -waited * kFaultBytes,
      fmt::format("at most {:.0f}: pages read ahead, and {:.0f} % of the faults", at_most, 100 * kWaitedShare));
  witnesses::conclude(w, Verdict::explained, "waited",
                      fmt::format("{:.0f} faults waited for a page that was already being read or written", waited));
  return true;
}

void judge_memory_stat(const PagingCase& c, witnesses::Witnesses& out) {
  const auto at = c.paging.memcg.find("pgmajfault");
  if (at == c.paging.memcg.end()) return;
  witnesses::Witness w =
      fault_witness("memory.stat", "cgroup", "major", c.kernel_major, static_cast<double>(at->second),
                    fmt::format("{:.0f} by getrusage(2) of the threads", c.kernel_major));
  const double cpus = std::max<double>(2, c.run.host.cpus_online);
  w.tolerance_bytes =
      witnesses::kNegligible * w.expected_bytes + (kMemcgBatch * cpus + kEdgeFaults * c.threads) * kFaultBytes;
  if (witnesses::within(w)) {
    witnesses::conclude(w, Verdict::agrees, "", "");
  } else if (!conclude_waited(c, w)) {
    const double more = witnesses::rest(w) / kFaultBytes;
    witnesses::conclude(
        w, Verdict::disagrees, more > 0 ? "foreign_faults" : "missing_faults",
        more > 0 ? fmt::format("{:.0f} major faults in the cgroup do not belong to the test threads", more)
                 : fmt::format("the threads had {:.0f} major faults that their cgroup did not count", -more));
  }
  out.push_back(std::move(w));
}

void judge_vmstat(const PagingCase& c, witnesses::Witnesses& out) {
  const auto at = c.paging.vmstat.find("pgmajfault");
  if (at == c.paging.vmstat.end()) return;
  witnesses::Witness w = fault_witness("vmstat", "machine", "major", c.kernel_major, static_cast<double>(at->second),
                                       fmt::format("{:.0f} by getrusage(2) of the threads", c.kernel_major));
  w.tolerance_bytes = witnesses::kNegligible * w.expected_bytes + kEdgeFaults * c.threads * kFaultBytes;
  const double more = foreign_faults(c);
  if (witnesses::within(w)) {
    witnesses::conclude(w, Verdict::agrees, "", "");
  } else if (more > 0) {
    witnesses::explain(w, "others' faults", more * kFaultBytes, "from all other processes of the machine");
    witnesses::conclude(w, Verdict::explained, "foreign_faults",
                        fmt::format("other processes had {:.0f} major faults during the run", more));
  } else if (!conclude_waited(c, w)) {
    witnesses::conclude(
        w, Verdict::disagrees, "missing_faults",
        fmt::format("the threads had {:.0f} major faults that /proc/vmstat did not count", waited_faults(c)));
  }
  out.push_back(std::move(w));
}

}  // namespace

void judge_fault_classes(const PagingCase& c, witnesses::Witnesses& out) {
  if (!c.paging.classified || c.paging.access == "touch") return;
  judge_class(c, "major", c.classes[static_cast<int>(AccessClass::major)], c.kernel_major, out);
  judge_class(c, "minor", c.classes[static_cast<int>(AccessClass::minor)], c.kernel_minor, out);
}

void judge_fault_counters(const PagingCase& c, witnesses::Witnesses& out) {
  judge_memory_stat(c, out);
  judge_vmstat(c, out);
}

}  // namespace fathom::audit::paging
