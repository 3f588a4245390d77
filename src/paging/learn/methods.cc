// See methods.h. Kernels differ: Debian's 6.1 has only soft-dirty bits, its 6.12 has DAMON too, and many cloud kernels
// have neither. Idle page tracking is rarely enabled.
#include "paging/learn/methods.h"

#include <unistd.h>

#include "paging/learn/learn.h"
#include "paging/learn/observe/damon_sysfs.h"

namespace fathom::paging::learn {
namespace {

constexpr char kIdleBitmap[] = "/sys/kernel/mm/page_idle/bitmap";
constexpr char kNoFrames[] = "page frames are hidden (CAP_SYS_ADMIN is needed)";

std::optional<std::string> against_idle() {
  if (access(kIdleBitmap, F_OK) != 0) return std::string("no ") + kIdleBitmap + " (kernel without IDLE_PAGE_TRACKING)";
  if (access(kIdleBitmap, R_OK | W_OK) != 0) return std::string("no permission for ") + kIdleBitmap;
  if (!observe::frames_are_shown()) return kNoFrames;
  return {};
}
std::optional<std::string> against_damon_vaddr() { return observe::Damon().cause_against("fvaddr"); }
std::optional<std::string> against_damon_paddr() {
  if (auto cause = observe::Damon().cause_against("paddr")) return cause;
  if (!observe::frames_are_shown()) return kNoFrames;
  return {};
}
std::optional<std::string> against_soft_dirty() {
  if (!observe::kernel_has_soft_dirty()) return "the kernel keeps no soft-dirty bits (built without MEM_SOFT_DIRTY)";
  return {};
}
std::optional<std::string> against_referenced() {
  if (access("/proc/self/clear_refs", F_OK) != 0) return "no /proc/PID/clear_refs (kernel without PROC_PAGE_MONITOR)";
  return {};
}

constexpr char kWritesToo[] =
    "writes, where the kernel keeps no soft-dirty bits; touches that the TLB serves between two samples";
constexpr MethodRow kRows[] = {
    {"idle pages", 65536, "which pages were touched in an interval; with soft-dirty bits which were written",
     kWritesToo, against_idle, [](const observe::Scene& s) { return observe::observe_idle(s, kIdleBitmap); }, 4, false},
    {"DAMON vaddr", 2048, "in how many samples each page was touched; with soft-dirty bits which were written",
     kWritesToo, against_damon_vaddr,
     [](const observe::Scene& s) { return observe::observe_damon(s, "fvaddr", observe::kDamonFolder); }, 16, false},
    {"DAMON paddr", 2048, "in how many samples each page was touched; with soft-dirty bits which were written",
     "writes, where the kernel keeps no soft-dirty bits; pages that move to another frame in that time",
     against_damon_paddr,
     [](const observe::Scene& s) { return observe::observe_damon(s, "paddr", observe::kDamonFolder); }, 16, false},
    {"soft-dirty", 65536, "which pages were written in an interval, and how many were touched",
     "which pages were only read: exponent and hot set are those of the writes", against_soft_dirty,
     observe::observe_soft_dirty, 4, false},
    {"referenced", 0, "how many pages were touched over time; the exponent from that curve, if the law is Zipf's",
     "which pages: no writes, no hot set that moves", against_referenced, observe::observe_referenced, 7, true},
};

base::Error unknown(const std::string& name) {
  base::Error error;
  error.what = name + ": no such method";
  for (const MethodRow& row : kRows) error.help += (error.help.empty() ? "one of: " : ", ") + std::string(row.name);
  return error;
}

}  // namespace

std::span<const MethodRow> method_rows() { return kRows; }

base::Expected<const MethodRow*> choose_method(const std::string& name) {
  base::Error none;
  none.kind = base::ErrorKind::privilege;
  none.what =
      name.empty() ? "this kernel offers no way to observe a process" : "method " + name + " cannot be used here";
  bool known = name.empty();
  for (const MethodRow& row : kRows) {
    if (!name.empty() && name != row.name) continue;
    known = true;
    const auto cause = row.cause_against();
    if (!cause) return &row;
    none.cause += (none.cause.empty() ? "" : "; ") + *cause;
  }
  return known ? none : unknown(name);
}

std::vector<MethodState> methods() {
  std::vector<MethodState> out;
  for (const MethodRow& row : kRows) {
    const auto cause = row.cause_against();
    out.push_back({row.name, !cause, cause.value_or(""), row.tells, row.cannot_tell});
  }
  return out;
}

}  // namespace fathom::paging::learn
