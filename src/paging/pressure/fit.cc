// Refuses only what certainly does not fit. Memory that the kernel may drop (clean file pages, the shared zero page)
// counts only if the plan writes it. The message has the sums, so that the user sees which term to change.
#include "paging/pressure/fit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/text/unit_text.h"
#include "host/proc/proc_text.h"
#include "paging/pressure/pressure.h"
#include "paging/pressure/undo.h"
#include "result/findings/rows.h"

namespace fathom::paging::pressure {
namespace {

// Measured: what a measuring process has charged in addition to its set, with a margin
// (tests/paging_pressure/command_test.py).
constexpr std::uint64_t kProcessBytes = 8 << 20, kThreadBytes = 512 << 10;
constexpr std::uint64_t kTableEntryBytes = 8;

struct Swap {
  std::uint64_t bytes = 0;
  std::string text;  // "swap 1 GiB (zram:1G) + /dev/vda2 2 GiB"
};

// Incompressible pages take as much memory in zram as before, on the same machine: nothing is gained.
double zram_gain(const Plan& plan) {
  if (plan.region.fill == Fill::random) return 0;
  if (plan.region.fill == Fill::legacy) return 0.75;  // the one random byte of four stays
  if (plan.region.fill == Fill::compressible) return std::clamp(plan.region.fill_percent / 100, 0.0, 1.0);
  return 1;
}

std::uint64_t own_swap_bytes(const PressurePlan& p, const FitFacts& facts) {
  if (p.swap.kind == SwapPlan::Kind::device) return facts.swap_device_bytes;
  return p.swap.kind == SwapPlan::Kind::zram || p.swap.kind == SwapPlan::Kind::file ? p.swap.size_bytes : 0;
}

Swap swap_of(const PressurePlan& p, const FitFacts& facts) {
  Swap swap{own_swap_bytes(p, facts), ""};
  if (swap.bytes > 0) swap.text = fmt::format("swap {} ({})", base::text::size_text(swap.bytes), p.swap.text);
  const bool others_stay = !p.only || p.swap.kind == SwapPlan::Kind::current;
  const bool kept_from_swap = p.swap.kind == SwapPlan::Kind::none;
  for (const swap::ActiveSwap& active : facts.active) {
    const bool counted_already = p.swap.kind == SwapPlan::Kind::device && active.path == facts.swap_device_active;
    if (!others_stay || kept_from_swap || counted_already) continue;
    const std::uint64_t free_bytes = active.size_bytes - std::min(active.used_bytes, active.size_bytes);
    swap.bytes += free_bytes;
    swap.text +=
        fmt::format("{}{} {} free", swap.text.empty() ? "" : " + ", active.path, base::text::size_text(free_bytes));
  }
  if (swap.text.empty()) swap.text = "no swap";
  return swap;
}

std::string threads_text(const Plan& plan) {
  const auto some = [](int n, const char* one, const char* many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  if (!plan.process_threads.empty()) return fmt::format("{} threads in {} processes", plan.workers(), plan.processes);
  const std::string threads = some(plan.threads, "thread", "threads");
  return plan.processes <= 1 ? threads : threads + " in each of " + some(plan.processes, "process", "processes");
}

// pmbench -i: fills beyond the set.
bool fills_more(const Plan& plan) { return plan.region.touched_bytes() != plan.region.set_bytes; }

std::string needs_text(const Plan& plan, std::uint64_t needed) {
  const char* what = fills_more(plan) ? "filled map" : "set";
  if (plan.processes <= 1) return fmt::format("the {} of {}", what, base::text::size_text(needed));
  return fmt::format("{} {}s of {} = {}", plan.processes, what, base::text::size_text(plan.region.touched_bytes()),
                     base::text::size_text(needed));
}

std::string set_that_fits(const Plan& plan, std::uint64_t room) {
  constexpr std::uint64_t kMiB = 1 << 20;
  const std::uint64_t each = room / static_cast<std::uint64_t>(std::max(plan.processes, 1)) / kMiB;
  if (each == 0) return "";
  return fills_more(plan) ? fmt::format("--map {0}M (pmbench: -m {0}) or less, or ", each)
                          : fmt::format("--set {}M or less, or ", each);
}

base::Error does_not_fit(const Plan& plan, std::uint64_t needed, std::uint64_t room, const std::string& sum) {
  return {base::ErrorKind::usage,
          fmt::format("{} does not fit into {}", needs_text(plan, needed), base::text::size_text(room)),
          sum,
          fmt::format("write {}a larger --swap or --limit; --force runs it anyway (the kernel may kill it)",
                      set_that_fits(plan, room)),
          {},
          0};
}

// The lower of the run's own limit and the limit of a group that contains fathom.
struct Bound {
  std::uint64_t bytes = 0;  // 0: no limit
  std::string text;         // "limit 512 MiB"
  bool ambient = false;
};

Bound bound_of(const PressurePlan& p, const EffectiveLimit& ambient) {
  const bool own = p.limit_bytes > 0 && p.limit_bytes <= ambient.memory_bytes;
  if (own) return {p.limit_bytes, "limit " + base::text::size_text(p.limit_bytes), false};
  if (ambient.memory_bytes == kNoLimit) return {};
  const std::string text = fmt::format("limit {} of the memory group {} that fathom is started in",
                                       base::text::size_text(ambient.memory_bytes), ambient.group);
  return {ambient.memory_bytes, text, true};
}

base::Error below_own_needs(const Plan& plan, const Bound& bound, std::uint64_t least) {
  return {base::ErrorKind::usage,
          fmt::format("{} is less than the measurement itself needs",
                      bound.ambient ? "the " + bound.text : "limit of " + base::text::size_text(bound.bytes)),
          fmt::format("{} for {}", base::text::size_text(least), threads_text(plan)),
          bound.ambient ? std::string("start fathom in a group with more memory")
                        : fmt::format("write --limit {}M or more", (least >> 20) + 1),
          {},
          0};
}

base::Expected<void> judge_limit(const Plan& plan, const Bound& bound, const Swap& swap,
                                 const EffectiveLimit& ambient) {
  const std::uint64_t own = own_bytes(plan, plan.region.memory == Memory::hugetlb ? 2 << 20 : 4096);
  const std::uint64_t least = own_bytes(plan, UINT64_MAX);
  if (bound.bytes < least) return below_own_needs(plan, bound, least);
  const std::uint64_t needed = needed_bytes(plan);
  const std::uint64_t swap_bytes = std::min(swap.bytes, ambient.swap_bytes);
  const std::uint64_t all = std::min(bound.bytes + swap_bytes, ambient.both_bytes);
  const std::uint64_t room = all - std::min(all, own);
  if (needed <= room) return {};
  std::string sum = bound.text + " + " + swap.text;
  if (swap_bytes < swap.bytes)
    sum += fmt::format(", {} of it available to the memory cgroup", base::text::size_text(swap_bytes));
  if (all < bound.bytes + swap_bytes) sum += ", reduced by the memory group's limit of memory and swap together";
  return does_not_fit(plan, needed, room,
                      fmt::format("{} = {}, less {} for the measurement itself", sum, base::text::size_text(all),
                                  base::text::size_text(own)));
}

// The measuring side is locked, so it must fit into memory.
base::Expected<void> judge_own(const Plan& plan, const FitFacts& facts) {
  const std::uint64_t least = own_bytes(plan, UINT64_MAX);
  if (least <= facts.ram_bytes) return {};
  return base::Error{base::ErrorKind::usage,
                     fmt::format("the measurement itself needs {}, more than the memory of {}",
                                 base::text::size_text(least), base::text::size_text(facts.ram_bytes)),
                     fmt::format("for {}: locked memory", threads_text(plan)),
                     "write fewer --threads or --processes",
                     {},
                     0};
}

base::Expected<void> judge_machine(const Plan& plan, const PressurePlan& p, const FitFacts& facts, const Swap& swap) {
  const std::uint64_t needed = needed_bytes(plan);
  const bool zram = p.swap.kind == SwapPlan::Kind::zram;
  const auto gained = static_cast<std::uint64_t>(static_cast<double>(p.swap.size_bytes) * zram_gain(plan));
  const std::uint64_t swap_bytes = zram ? swap.bytes - p.swap.size_bytes + gained : swap.bytes;
  const std::uint64_t room = facts.ram_bytes + swap_bytes;
  if (needed <= room) return {};
  std::string sum = fmt::format("memory {} + {}", base::text::size_text(facts.ram_bytes), swap.text);
  if (zram && gained < p.swap.size_bytes) {
    sum += fmt::format(", {} of it usable: pages that do not compress stay in memory", base::text::size_text(gained));
  }
  return does_not_fit(plan, needed, room, sum);
}

FitFacts facts_of_machine(const PressurePlan& p) {
  LiveMachine machine;
  FitFacts facts;
  facts.ram_bytes = host::proc::meminfo_bytes(machine.read("/proc/meminfo").value_or(""), "MemTotal");
  facts.active = active_swaps(machine);
  facts.ambient = ambient_limit(machine, find_memory_controller(machine));
  if (p.swap.kind == SwapPlan::Kind::device) {
    facts.swap_device_bytes = block_device_bytes(machine, p.swap.path);
    if (const auto active = active_swap_at(machine, p.swap.path)) facts.swap_device_active = active->path;
  }
  return facts;
}

}  // namespace

std::uint64_t own_bytes(const Plan& plan, std::uint64_t page_bytes) {
  const auto processes = static_cast<std::uint64_t>(std::max(plan.processes, 1));
  const auto threads = static_cast<std::uint64_t>(std::max(plan.workers(), 1));
  const std::uint64_t tables = plan.region.touched_bytes() / page_bytes * kTableEntryBytes;
  return processes * (kProcessBytes + tables) + threads * kThreadBytes;
}

std::uint64_t needed_bytes(const Plan& plan) {
  const auto processes = static_cast<std::uint64_t>(std::max(plan.processes, 1));
  const bool only_read = plan.pattern.read_percent == 100 && plan.region.fill == Fill::none;
  switch (plan.region.memory) {
    case Memory::anonymous:
    case Memory::file_private:
      return only_read ? 0 : plan.region.touched_bytes() * processes;
    case Memory::memfd:
      return plan.region.touched_bytes() * processes;
    case Memory::file_shared:
    case Memory::hugetlb:
      return 0;
  }
  return 0;
}

base::Expected<void> judge_fit(const Plan& plan, const PressurePlan& pressure, const FitFacts& facts) {
  if (auto ok = judge_own(plan, facts); !ok) return ok;
  const Swap swap = swap_of(pressure, facts);
  if (const Bound bound = bound_of(pressure, facts.ambient); bound.bytes > 0) {
    const auto fits = judge_limit(plan, bound, swap, facts.ambient);
    const bool too_small = bound.bytes < own_bytes(plan, UINT64_MAX);
    if (!fits && (too_small || !pressure.force)) return fits;
  }
  if (pressure.force) return {};
  return judge_machine(plan, pressure, facts, swap);
}

base::Expected<void> check_fit(const Plan& plan, const PressurePlan& pressure) {
  return judge_fit(plan, pressure, facts_of_machine(pressure));
}

std::vector<result::Finding> fit_findings(const Plan& plan, const PressurePlan& pressure) {
  std::vector<result::Finding> findings;
  const bool presses = pressure.limit_bytes > 0 || pressure.swap.kind != SwapPlan::Kind::current;
  if (plan.region.memory == Memory::hugetlb && presses) {
    findings.push_back(result::findings::found("paging.hugetlb_not_swapped", {}));
  }
  if (pressure.swap.kind == SwapPlan::Kind::zram && plan.region.fill == Fill::random) {
    findings.push_back(result::findings::found(
        "paging.zram_takes_memory", {.values = {{"size", base::text::size_text(pressure.swap.size_bytes)}}}));
  }
  return findings;
}

}  // namespace fathom::paging::pressure
