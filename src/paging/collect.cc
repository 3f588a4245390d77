// Converts records to the result. Every finding has its numbers.
#include "paging/collect.h"
#include "result/findings/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace fathom::paging {
namespace {

constexpr double kMostDifference = 0.001;
constexpr std::uint64_t kEdgeFaults = 2;  // per thread: its first and last access are at the interval's edges

sources::ThreadPhase phase_of(const sources::ThreadHead& head) {
  return static_cast<sources::ThreadPhase>(head.live.phase.load(std::memory_order_acquire));
}
// The counts of a killed thread end with its last lookup.
FaultCounts kernel_counts(const sources::ThreadHead& head) {
  if (phase_of(head) < sources::ThreadPhase::ended) return head.ledger.counted();
  return {head.kernel_end.minor - head.kernel_begin.minor, head.kernel_end.major - head.kernel_begin.major};
}

std::uint64_t wall_ns(const sources::ThreadHead& head) {
  if (phase_of(head) < sources::ThreadPhase::measuring) return 0;
  const std::uint64_t last = head.live.last.load(std::memory_order_relaxed);
  return last > head.in.begin ? head.in.conversion.to_ns({last - head.in.begin}).v : 0;
}

void merge(result::AccessLatency& into, const result::AccessLatency& from) {
  into.moments_ns.merge(from.moments_ns);
  into.histogram_ns.merge(from.histogram_ns);
}

bool agree(std::uint64_t classed, std::uint64_t counted) {
  const std::uint64_t apart = classed > counted ? classed - counted : counted - classed;
  return apart <= kEdgeFaults || class_difference(classed, counted) <= kMostDifference;
}

template <class Sum>
void for_each_latency(Sum sum) {
  for (std::size_t c = 0; c < result::kAccessClasses; ++c)
    for (std::size_t d = 0; d < result::kAccessDirs; ++d) sum(c, d);
}

}  // namespace

void note_memory(std::span<const workers::ProcessRecord> processes, result::Paging& paging) {
  std::uint64_t most = 0, least_locked = ~std::uint64_t{0};
  for (const auto& p : processes) {
    most = std::max(most, p.thread_bytes);
    least_locked = std::min(least_locked, touch::locked_bytes(p.locked, p.thread_bytes));
  }
  paging.measurement_bytes_per_thread = most;
  paging.locked_bytes_per_thread = std::min(most, least_locked);
  paging.locked = most > 0 && least_locked >= most;
}

result::PagingThread collect_thread(const Plan& plan, const sources::ThreadRecord& record, int process, int thread) {
  const sources::ThreadHead& head = record.head;
  result::PagingThread t;
  t.process = process;
  t.thread = thread;
  t.tid = head.tid;
  for_each_latency([&](std::size_t c, std::size_t d) {
    auto& latency = t.latency[c][d];
    latency.histogram_ns = stats::Histogram(record.histograms[c][d].raw);
    latency.moments_ns = head.sums[c][d].moments(latency.histogram_ns.total());
    t.accesses[d] += latency.histogram_ns.total();
  });
  for (std::size_t d = 0; d < result::kAccessDirs; ++d) t.accesses[d] += head.touched[d];
  t.wall_ns = wall_ns(head);
  t.overhead_ns = head.overhead_ns;
  t.overhead_accesses = head.overhead_accesses;
  t.warmup_accesses = head.live.warmup_accesses.load(std::memory_order_relaxed);
  t.warmup_ns = head.warmup_ns;
  const FaultCounts kernel = kernel_counts(head);
  t.kernel_minor = kernel.minor;
  t.kernel_major = kernel.major;
  t.lookups = head.ledger.lookups();
  t.slow_hits = head.ledger.slow_hits();
  t.extra_faults = head.ledger.extra();
  t.own_faults = head.ledger.own();
  if (!plan.thread_cpus.empty()) {
    const auto worker = static_cast<std::size_t>(plan.first_worker(process)) + static_cast<std::size_t>(thread);
    t.cpus = plan.thread_cpus[worker % plan.thread_cpus.size()];
  }
  return t;
}

void collect(const Plan& plan, std::span<const workers::ProcessRecord> processes,
             std::span<const sources::ThreadRecord> threads, result::Paging& paging) {
  std::uint64_t begin_ns = ~std::uint64_t{0}, end_ns = 0;
  int process = 0;
  for (int i = 0; i < static_cast<int>(threads.size()); ++i) {
    while (i >= plan.first_worker(process + 1)) ++process;
    const auto& record = threads[static_cast<std::size_t>(i)];
    paging.workers.push_back(collect_thread(plan, record, process, i - plan.first_worker(process)));
    const auto& worker = paging.workers.back();
    for_each_latency([&](std::size_t c, std::size_t d) { merge(paging.latency[c][d], worker.latency[c][d]); });
    const sources::ThreadHead& head = record.head;
    if (phase_of(head) < sources::ThreadPhase::measuring) continue;
    begin_ns = std::min(begin_ns, head.begin_ns);
    end_ns = std::max(end_ns, head.begin_ns + worker.wall_ns);
  }
  paging.window_ns = end_ns > begin_ns ? end_ns - begin_ns : 0;
  note_memory(processes, paging);
  for (const auto& p : processes) {
    if (p.page_bytes != 0) paging.page_bytes = p.page_bytes;
  }
}

std::vector<result::Finding> judge_workers(const Plan& plan, std::span<const workers::ProcessRecord> processes,
                                           std::span<const sources::ThreadRecord> threads,
                                           const result::Paging& paging) {
  using result::Severity, result::findings::found;
  std::vector<result::Finding> findings;
  for (const auto& p : processes) {
    if (p.mapped_ns == 0 || p.locked == touch::Locked::all) continue;
    findings.push_back(
        found("paging.not_locked",
              {.variant = "refused",
               .values = {{"cause", std::strerror(p.lock_errno)}, {"locked", std::string(name(p.locked))}},
               .severity = p.locked == touch::Locked::none ? Severity::warning : Severity::note}));
    break;
  }
  for (const auto& t : threads) {
    if (t.head.bind_errno == 0) continue;
    findings.push_back(found("paging.not_bound", {.values = {{"thread", fmt::format("{}", t.head.tid)},
                                                             {"cause", std::strerror(t.head.bind_errno)}}}));
    break;
  }
  std::uint64_t own = 0;
  for (const auto& w : paging.workers) own += w.own_faults;
  if (own > 0)
    findings.push_back(found("paging.own_faults",
                             {.variant = "unseen", .values = {{"faults", own}, {"slow_ns", paging.clock.slow_ns}}}));
  if (plan.touch.mode == AccessMode::touch || !plan.touch.classify) return findings;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const auto& ledger = threads[i].head.ledger;
    const auto& w = paging.workers[i];
    if (agree(ledger.minors(), w.kernel_minor) && agree(ledger.majors(), w.kernel_major)) continue;
    // All faults missing in the classes are second faults of accesses that were counted.
    if (w.kernel_minor >= ledger.minors() && w.kernel_major >= ledger.majors() &&
        agree(ledger.minors() + ledger.majors() + w.extra_faults, w.kernel_minor + w.kernel_major))
      continue;
    findings.push_back(found("paging.class_totals", {.values = {{"thread", fmt::format("{}", w.tid)},
                                                                {"minor_accesses", ledger.minors()},
                                                                {"major_accesses", ledger.majors()},
                                                                {"kernel_minor", w.kernel_minor},
                                                                {"kernel_major", w.kernel_major},
                                                                {"extra_faults", w.extra_faults},
                                                                {"own_faults", w.own_faults}}}));
  }
  return findings;
}

}  // namespace fathom::paging
