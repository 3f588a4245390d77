// The findings of a paging run. If the run already has a finding with the same id, the new one is omitted. measure()
// and the setup add some findings.
#include <fmt/format.h>

#include <algorithm>

#include "audit/checks.h"
#include "audit/paging/paging_case.h"
#include "audit/paging/paging_checks.h"
#include "audit/paging/paging_stops.h"
#include "audit/run_findings.h"
#include "audit/text.h"
#include "result/findings/rows.h"
#include "result/sums/cost_words.h"

namespace fathom::audit::paging {
namespace {

using result::AccessClass;
using Findings = std::vector<result::Finding>;

constexpr double kClassShare = 1e-3;       // classes compared with getrusage
constexpr double kFewestForP999 = 10'000;  // major faults: ten of them are beyond p99.9
constexpr double kSlowHit_ns = 100'000;    // a hit alone is always shorter
constexpr double kSlowHitShare = 0.05;     // of the run's time

void add(Findings& out, const char* id, result::findings::Found what) {
  out.push_back(result::findings::found(id, std::move(what)));
}

std::string setting(const result::Paging& p, std::string_view name) {
  for (const auto& [key, value] : p.pressure.settings)
    if (key == name) return value;
  return {};
}

const result::PagingSwap* first_zram(const result::Paging& p) {
  const auto at = std::find_if(p.pressure.swaps.begin(), p.pressure.swaps.end(),
                               [](const auto& s) { return s.kind == "zram" || s.disk.starts_with("zram"); });
  return at == p.pressure.swaps.end() ? nullptr : &*at;
}

void check_classes(const PagingCase& c, Findings& out) {
  if (!c.paging.classified || c.paging.access == "touch") return;
  const double in_classes = c.classes[1] + c.classes[2] + c.extra + c.own, kernel = c.kernel_minor + c.kernel_major;
  const double apart = std::abs(in_classes - kernel);
  if (apart <= kClassShare * kernel + kEdgeFaults * c.threads) return;
  add(out, "paging.classes_differ",
      {.values = {{"classified_faults", in_classes},
                  {"kernel_faults", kernel},
                  {"difference", percent_text(in_classes, kernel)}}});
}

void check_own_faults(const PagingCase& c, Findings& out) {
  if (c.own <= 0) return;
  add(out, "paging.own_faults", {.values = {{"faults", c.own}}});
}

void check_locked(const PagingCase& c, Findings& out) {
  if (c.paging.locked || c.paging.workers.empty()) return;
  add(out, "paging.not_locked",
      {.values = {{"needed_bytes", c.paging.measurement_bytes_per_thread},
                  {"locked_bytes", c.paging.locked_bytes_per_thread}}});
}

void check_swaps(const PagingCase& c, Findings& out) {
  const auto& swaps = c.paging.pressure.swaps;
  const auto own = std::count_if(swaps.begin(), swaps.end(), [](const auto& s) { return s.kind != "current"; });
  if (swaps.size() < 2 || own == 0) return;
  std::vector<std::string> names;
  names.reserve(swaps.size());
  for (const auto& s : swaps) names.push_back(s.path);
  add(out, "paging.other_swap", {.values = {{"swaps", swaps.size()}, {"names", joined(names)}}});
}

void check_fill(const PagingCase& c, Findings& out) {
  const auto* zram = first_zram(c.paging);
  const bool reached = c.paging.memory != "file_shared" && c.paging.fill != "random" && c.kernel_major > 0;
  if (zram == nullptr || !reached) return;
  const double ratio = zram->compressed_bytes > 0
                           ? static_cast<double>(zram->stored_bytes) / static_cast<double>(zram->compressed_bytes)
                           : 0;
  const double zero = c.vmstat("swpin_zero");
  add(out, "paging.compressible",
      {.values = {{"fill", c.paging.fill},
                  {"device", zram->disk},
                  {"ratio", ratio > 0 ? fmt::format(" ({:.1f} to 1 at the end)", ratio) : ""},
                  {"zero", zero > 0 ? fmt::format("; {:.0f} pages were all zero and never reached it", zero) : ""}}});
}

// Patterns with a warm-up that touches the whole set.
bool leaves_no_page(const std::string& pattern) { return pattern == "linear" || pattern == "legacy:linear"; }

void check_fill_faults(const PagingCase& c, Findings& out) {
  if (c.paging.fill != "none" || c.classes[1] <= 0 || c.file_backed) return;
  if (!c.paging.cold) {  // a random warm-up misses some pages
    if (leaves_no_page(c.paging.pattern)) return;
    add(out, "paging.first_touch",
        {.variant = "warm", .values = {{"minor_faults", c.classes[1]}, {"pattern", c.paging.pattern}}});
    return;
  }
  add(out, "paging.first_touch", {.values = {{"minor_faults", c.classes[1]}}});
}

void check_majors(const PagingCase& c, Findings& out) {
  const auto& p = c.paging;
  if (c.kernel_major > 0 || p.workers.empty()) return;
  if (c.file_backed) {
    add(out, "paging.no_major", {.variant = "file", .values = {{"set_bytes", static_cast<double>(p.set_bytes)}}});
    return;
  }
  const auto& pressure = p.pressure;
  const auto both = std::minmax(pressure.limit_bytes, pressure.ambient_limit_bytes);
  const auto set = static_cast<double>(p.set_bytes);
  const auto limit = static_cast<double>(both.first > 0 ? both.first : both.second);
  const bool fits = limit == 0 || set <= limit;
  add(out, "paging.no_major",
      {.values = {{"set_bytes", set},
                  {"why", limit == 0 ? "without a limit fits into memory"
                          : fits     ? "fits into the limit of " + bytes_text(limit)
                                     : "was not paged to swap"}}});
}

void check_length(const PagingCase& c, Findings& out) {
  const double s = static_cast<double>(c.paging.window_ns) * 1e-9;
  if (!c.paging.workers.empty() && s < kShortest_s) add(out, "paging.too_short", {.values = {{"run_s", s}}});
  if (c.kernel_major > 0 && c.kernel_major < kFewestForP999)
    add(out, "paging.short_tail",
        {.values = {{"major_faults", c.kernel_major},
                    {"tail_faults", c.kernel_major / 1000},
                    {"fewest_faults", kFewestForP999}}});
}

// Hits so slow that the thread cannot have had the CPU.
void check_slow_hits(const PagingCase& c, Findings& out) {
  double slow_ns = 0, slow = 0, all_ns = 0;
  for (std::size_t k = 0; k < result::kAccessClasses; ++k)
    for (const auto& one : c.paging.latency[k]) {
      all_ns += static_cast<double>(one.moments_ns.sum);
      if (k != static_cast<std::size_t>(AccessClass::hit)) continue;
      for (const auto& bin : one.histogram_ns.bins()) {
        const double value = static_cast<double>(stats::bucket_value(bin.bucket));
        if (value < kSlowHit_ns) continue;
        slow += static_cast<double>(bin.count);
        slow_ns += value * static_cast<double>(bin.count);
      }
    }
  if (!c.paging.classified || all_ns <= 0 || slow_ns < kSlowHitShare * all_ns) return;
  add(out, "paging.slow_hits",
      {.values = {{"slow_hits", slow}, {"slow_us", kSlowHit_ns / 1000}, {"time_percent", 100 * slow_ns / all_ns}},
       .effect = result::Effect{result::EffectOn::time, slow_ns / all_ns}});
}

void check_device_time(const PagingCase& c, Findings& out) {
  const bool asked = c.run.audit || !c.paging.devices.empty();  // --audit=off: device times were not requested
  if (!asked || c.kernel_major == 0 || c.file_backed || !has_swap(c.paging)) return;
  std::string cause;
  bool needs_privilege = true;
  for (const auto& d : c.paging.devices) {
    if (d.read_ns.moments_ns.n > 0) return;
    if (!d.cause.empty()) cause = d.device + ": " + d.cause, needs_privilege = d.needs_privilege;
  }
  add(out, "paging.no_device_time",
      {.variant = needs_privilege ? "" : "kernel", .values = {{"cause", cause.empty() ? "" : " (" + cause + ")"}}});
}

// Requests to a device in memory are so short that their timing lengthens them noticeably.
void check_timing_cost(const PagingCase& c, Findings& out) {
  for (const auto& d : c.paging.devices) {
    const auto& reads = d.read_ns.moments_ns;
    if (d.by == "direct reads" || reads.n == 0 || reads.mean() >= result::kShortRequest_ns) continue;
    add(out, "paging.timing_cost",
        {.values = {{"device", d.device}, {"read_us", reads.mean() / 1e3}, {"cost_us", result::kTimingCost_ns / 1e3}}});
    return;
  }
}

void check_thp(const PagingCase& c, Findings& out) {
  if (c.file_backed || c.paging.page_bytes != 4096) return;
  double seen = 0;
  for (const char* name : {"thp_fault_alloc", "thp_split_page", "thp_swpout", "thp_collapse_alloc"})
    seen += c.vmstat(name);
  if (seen <= 0) return;
  add(out, "paging.thp", {.values = {{"huge_pages", seen}, {"enabled", setting(c.paging, "thp.enabled")}}});
}

// "64kB: 120 made, 30 swapped out".
std::string mthp_text(const std::map<std::string, std::uint64_t>& counts) {
  struct Word {
    std::string_view counter;
    const char* text;
  };
  constexpr Word kWords[] = {{"anon_fault_alloc", "made"}, {"shmem_alloc", "made of shared memory"},
                             {"swpout", "swapped out"},    {"swpin", "swapped in"},
                             {"zswpout", "to zswap"},      {"split", "split"}};
  std::map<std::string, std::string> of_size;
  for (const auto& [name, count] : counts) {
    const auto dot = name.find('.');
    const auto counter = std::string_view(name).substr(dot + 1);
    const auto word =
        std::find_if(std::begin(kWords), std::end(kWords), [&](const Word& w) { return w.counter == counter; });
    if (dot == name.npos || word == std::end(kWords) || count == 0) continue;
    auto& text = of_size[name.substr(0, dot)];
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, word->text);
  }
  std::vector<std::string> texts;
  texts.reserve(of_size.size());
  for (const auto& [size, text] : of_size) texts.push_back(fmt::format("{}: {}", size, text));
  return joined(texts, "; ");
}

// The set is filled before the measured interval, so the counts begin before the map was created. They cover the whole
// machine and may include pages of other processes. If no size is enabled, no page belongs to the run.
void check_mthp(const PagingCase& c, Findings& out) {
  const auto text = mthp_text(c.paging.mthp);
  if (text.empty() || c.paging.memory == "hugetlb") return;
  add(out, "paging.mthp", {.values = {{"used", text}}});
}

void check_stopped(const PagingCase& c, Findings& out) {
  if (!c.paging.interrupted) return;
  add(out, "run.interrupted",
      {.variant = "paging",
       .values = {{"run_s", static_cast<double>(c.paging.window_ns) * 1e-9},
                  {"requested_s", fmt::format("{}", c.paging.duration_s)}},
       .effect = result::Effect{result::EffectOn::time,
                                1 - std::min(1.0, static_cast<double>(c.paging.window_ns) * 1e-9 /
                                                      std::max(1e-9, static_cast<double>(c.paging.duration_s)))}});
}

void check_paging_audit(const PagingCase& c, Findings& out) {
  if (!c.run.audit) return;
  for (const auto& w : c.run.audit->witnesses) {
    const bool foreign = w.verdict == result::Verdict::explained &&
                         (w.diagnosis == "foreign_faults" || w.diagnosis == "foreign_io") &&
                         w.seen_bytes > (1 + 0.02) * w.expected_bytes;
    const result::findings::Found what{
        .variant = "faults",
        .values = {{"diagnosis", w.diagnosis},
                   {"witness", fmt::format("{} {} {}", w.source, w.subject, w.direction)},
                   {"expected_bytes", w.expected_bytes},
                   {"seen_bytes", w.seen_bytes},
                   {"difference", percent_text(w.seen_bytes, w.expected_bytes)},
                   {"cause", w.cause}}};
    if (w.verdict == result::Verdict::disagrees)
      add(out, "audit.disagrees", what);
    else if (foreign)
      add(out, w.diagnosis == "foreign_io" ? "audit.foreign_io" : "audit.foreign_faults", what);
    else if (w.diagnosis == "lost")
      add(out, "audit.lost", what);
  }
}

// Reports a cost only if it is certainly above the limit, as for every probe.
void check_watching_cost(const PagingCase& c, Findings& out) {
  const auto terms = result::sums::terms_of(c.paging);
  for (const auto& device : c.paging.devices)
    if (result::verdict(device.watching) == result::CostVerdict::above)
      add(out, "watching.cost",
          {.variant = "device_time",
           .values = {{"device", device.device},
                      {"cost", result::sums::cost_number(device.watching, terms) +
                                   result::sums::cpu_words(device.watching, terms) +
                                   result::sums::slices_words(device.watching)},
                      {"most_percent", 100 * result::kMostCost},
                      {"watched_percent", 100 * device.seen_share}}});
}

void check_watchers(const PagingCase& c, Findings& out) { check_watching(c.run, out); }

constexpr void (*kChecks[])(const PagingCase&, Findings&) = {
    check_stopped,     check_classes, check_own_faults,   check_locked,        check_swaps,       check_fill,
    check_fill_faults, check_majors,  check_length,       check_slow_hits,     check_device_time, check_timing_cost,
    check_thp,         check_mthp,    check_paging_audit, check_watching_cost, check_watchers,    check_stops};

}  // namespace

std::vector<result::Finding> paging_findings(const result::Run& run) {
  Findings all, fresh;
  if (!run.paging) return all;
  const witnesses::Counts none;
  const auto c = paging_case(run, run.audit ? run.audit->counts : none);
  for (const auto check : kChecks) check(c, all);
  for (auto& f : all) {
    const bool said =
        std::any_of(run.findings.begin(), run.findings.end(), [&](const auto& old) { return old.id == f.id; });
    if (!said) fresh.push_back(std::move(f));
  }
  return fresh;
}

}  // namespace fathom::audit::paging
