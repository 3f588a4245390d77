// A line a thread: a thread that ran beside the others or not at all shows here and in no sum.
#include <fmt/format.h>

#include "report/paging_text_parts.h"
#include "report/paging_view.h"
#include "report/paging_words.h"

namespace fathom::report {
namespace {

std::string cpus_text(const std::vector<int>& cpus) {
  if (cpus.empty()) return "any";
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", cpus[i]);
    if (last > i) text += fmt::format("-{}", cpus[last]);
    i = last + 1;
  }
  return text;
}

std::string row(const result::Paging& paging, const result::PagingThread& worker) {
  const auto all = of_all(worker.latency);
  const auto numbers = pmbench_thread(paging, worker);
  const auto p = [&](double percentile) {
    return all.histogram_ns.empty() ? std::string("-") : short_time(percentile_ns(all, percentile));
  };
  const double seconds = static_cast<double>(worker.wall_ns) / 1e9;
  auto line = fmt::format("  {:<8}{:>8}{:>9}{:>9}{:>9}{:>8}{:>8}{:>9}{:>9}  {}",
                          fmt::format("{}.{}", worker.process, worker.thread), cpus_text(worker.cpus),
                          short_count(static_cast<double>(numbers.samples)),
                          short_count(seconds > 0 ? static_cast<double>(numbers.samples) / seconds : 0),
                          short_time(numbers.net_us * 1e3), p(50), p(99), worker.kernel_minor, worker.kernel_major,
                          worker.error == 0 ? "" : fmt::format("ended early: errno {}", worker.error));
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string paging_threads(const result::Paging& paging) {
  if (paging.workers.empty()) return "";
  std::string out = fmt::format("\n  {:<8}{:>8}{:>9}{:>9}{:>9}{:>8}{:>8}{:>9}{:>9}\n", "thread", "CPUs", "accesses",
                                "a second", "net mean", "p50", "p99", "minor", "major");
  std::uint64_t minor = 0, major = 0, own = 0, slow_hits = 0, extra = 0;
  for (const auto& worker : paging.workers) {
    out += row(paging, worker);
    minor += worker.kernel_minor;
    major += worker.kernel_major;
    own += worker.own_faults;
    slow_hits += worker.slow_hits;
    extra += worker.extra_faults;
  }
  if (!paging.classified || paging.access == "touch") return out;
  const auto classed = [&](result::AccessClass c) { return of_class(paging.latency, c).moments_ns.n; };
  return out +
         wrapped(fmt::format("faults: the kernel counted {} minor and {} major, the classes hold {} and {}; {} more "
                             "of one access, {} of the tool itself; {} slow accesses had none",
                             minor, major, classed(result::AccessClass::minor), classed(result::AccessClass::major),
                             extra, own, slow_hits),
                 "  ");
}

}  // namespace fathom::report
