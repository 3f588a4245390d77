// See describe.h. A moving hot set changes which pages are hot, so movement is determined first. If something moves,
// the exponent is fitted to separate windows, otherwise to sums of windows.
#include "paging/learn/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "paging/learn/fit/hot_set.h"
#include "paging/learn/fit/write_share.h"
#include "paging/learn/fit/zipf_fit.h"
#include "result/findings/rows.h"

namespace fathom::paging::learn {
namespace {

using result::findings::Found;

constexpr unsigned kMostSummedIntervals = 256;  // of summed windows: more take longer and give no more information
constexpr double kNotTheLaw = 0.08;             // distance of distributions from which the law is not Zipf
// The same for curves: root mean square of the relative distance. Zipf curves stay below it (docs/dev/validation.md).
constexpr double kOffTheCurve = 0.01;
// The shortest access on any machine: three independent loads per cycle at more than 3 GHz.
constexpr double kLeastAccess_s = 1e-10;
// Error of curves for known loads, as a share of the exponent, beyond twice their standard error. Bursts, and
// translations that stay in a TLB, make a law look steeper than it is (docs/dev/validation.md).
constexpr double kCurveBias = 0.1;
double curve_interval(const fit::GrowthFit& fit) { return 2 * fit.error + kCurveBias * fit.theta; }
constexpr double kMuchSaturated = 0.35, kMuchLooking = 0.2, kMuchHuge = 0.05;
constexpr unsigned kFewestSeen = 50;  // to determine an exponent
constexpr double kWorkingSet_s = 1;

void find(Learnt& out, const char* id, Found what = {}) {
  out.findings.push_back(result::findings::found(id, std::move(what)));
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// One kind of bit over all windows.
struct Series {
  fit::WindowCounts counts;
  std::vector<unsigned> intervals;
  double interval_s = 0, window_s = 0;
};
Series series(const std::vector<observe::Window>& windows, observe::Counts observe::Window::*kind) {
  Series out;
  std::vector<double> lengths, steps;
  for (const observe::Window& window : windows) {
    const observe::Counts& counts = window.*kind;
    if (counts.intervals == 0) continue;
    out.counts.push_back(counts.pages);
    out.intervals.push_back(counts.intervals);
    lengths.push_back(counts.interval_s);
  }
  for (std::size_t i = 1; i < windows.size(); ++i) steps.push_back(windows[i].begin_s - windows[i - 1].begin_s);
  out.interval_s = median(lengths);
  out.window_s = median(steps);
  return out;
}

std::vector<std::uint32_t> sum(const Series& all, std::size_t begin, std::size_t end, unsigned& intervals) {
  std::vector<std::uint32_t> pages;
  intervals = 0;
  for (std::size_t w = begin; w < end; ++w) {
    pages.resize(std::max(pages.size(), all.counts[w].size()));
    for (std::size_t p = 0; p < all.counts[w].size(); ++p) pages[p] += all.counts[w][p];
    intervals += all.intervals[w];
  }
  return pages;
}

// together: number of windows to sum before the fit.
fit::ZipfFit fit_windows(const Series& all, std::size_t together) {
  const unsigned a_window = all.intervals.empty() ? 1 : *std::max_element(all.intervals.begin(), all.intervals.end());
  const std::size_t step =
      std::clamp<std::size_t>(kMostSummedIntervals / a_window, 1, std::max<std::size_t>(1, together));
  fit::SeenCounts counts;
  unsigned groups = 0, usual = 0;
  for (std::size_t w = 0; w + step <= all.counts.size(); w += step) {
    unsigned intervals = 0;
    const auto pages = sum(all, w, w + step, intervals);
    if (groups == 0) usual = intervals, counts.assign(intervals + 1, 0);
    if (intervals != usual) continue;  // a shortened window
    for (const std::uint32_t count : pages) ++counts[std::min(count, usual)];
    ++groups;
  }
  return fit::fit_zipf(counts, std::max(1u, groups));
}

void say_movement(const fit::HotMovement& movement, Learnt& out) {
  out.evidence.emplace_back(
      "hot set",
      fmt::format("{} moves; adjacent windows share {:.2f} of it (Jaccard {:.2f}), at the least Jaccard {:.2f}",
                  movement.moves, movement.noise_overlap, movement.jaccard_noise, movement.jaccard_least));
  if (movement.faster_than_seen)
    find(out, "learn.moves_too_fast");
  else if (!movement.known)
    find(out, "learn.movement_unknown",
         {.values = {{"shared_share", movement.noise_overlap}, {"chance_share", fit::kHotShare}}});
  if (!movement.known || movement.moves == 0) return;
  out.profile.hot_move_s = movement.every_s;
  out.profile.hot_move_share = movement.share;
  if (movement.moves == 1) find(out, "learn.one_move", {.values = {{"stays_s", movement.every_s}}});
}

// The pattern then accesses the profile's pages equally often.
void no_exponent(Learnt& out, const char* id, Found why) {
  out.profile.zipf_theta = -1;
  find(out, id, std::move(why));
}

// Writes only an exponent with a sufficiently small error. False: it was not written.
bool take_exponent(double theta, double error, const char* by, Learnt& out) {
  const double rounded = std::round(theta * 1000) / 1000, its_error = std::ceil(error * 1000) / 1000;
  if (!sources::exponent_is_known(rounded, its_error)) {
    no_exponent(out, "learn.theta_uncertain", {.variant = by, .values = {{"theta", theta}, {"error", error}}});
    return false;
  }
  out.profile.zipf_theta = rounded;
  out.profile.zipf_error = its_error;
  return true;
}

void say_fit(const fit::ZipfFit& fit, const Observed& observed, const char* of, Learnt& out) {
  out.evidence.emplace_back(
      "exponent", fmt::format("{:.3f} ± {:.3f} (95 %) of {} over {:.0f} pages; distance from the law {:.3f}, {:.0f} % "
                              "of pages in every interval",
                              fit.theta, 2 * fit.error, of, fit.pages, fit.misfit, 100 * fit.saturated_share));
  if (!fit.valid)
    return no_exponent(out, "learn.theta_unknown",
                       {.variant = fit.seen < kFewestSeen ? "few" : "", .values = {{"pages", fit.seen}}});
  if (fit.misfit > kNotTheLaw) return no_exponent(out, "learn.not_zipf", {.values = {{"distance", fit.misfit}}});
  if (!take_exponent(fit.theta, 2 * fit.error, "", out)) return;
  if (fit.saturated_share > kMuchSaturated)
    find(out, "learn.saturated",
         {.values = {{"saturated_percent", 100 * fit.saturated_share}, {"interval_ms", 1e3 * observed.interval_s}}});
}

void say_writes(const fit::WriteShare& writes, const std::string& how, Learnt& out) {
  if (!writes.known) {
    find(out, "learn.no_read_share", {.values = {{"cause", how}}});
    return;
  }
  out.profile.read_percent = 100 * (1 - writes.share);
  out.evidence.emplace_back("reads",
                            fmt::format("{:.1f} % ± {:.1f}, {}", out.profile.read_percent, 100 * writes.error, how));
}

// Median of the pages touched within one second (or within the whole time, if shorter), scaled to all resident pages.
double pages_in_a_second(const Series& all, double followed_share) {
  const auto step = static_cast<std::size_t>(std::max(1.0, std::round(kWorkingSet_s / std::max(all.window_s, 1e-6))));
  std::vector<double> found;
  for (std::size_t w = 0; w < all.counts.size(); w += step) {
    const std::size_t end = std::min(w + step, all.counts.size());
    if (end - w < step && !found.empty()) break;
    unsigned intervals = 0;
    const auto pages = sum(all, w, end, intervals);
    found.push_back(static_cast<double>(std::count_if(pages.begin(), pages.end(), [](auto n) { return n > 0; })));
  }
  return median(found) / followed_share;
}

void say_working_set(double pages, const std::string& how, Learnt& out) {
  out.profile.working_set_bytes = static_cast<std::uint64_t>(pages) * observe::kPageBytes;
  out.evidence.emplace_back("working set", fmt::format("{:.0f} pages, {}", pages, how));
}

std::size_t windows_of_a_place(const fit::HotMovement& movement, const Series& all) {
  if (movement.faster_than_seen) return 1;
  if (movement.moves == 0) return all.counts.size();
  return std::max<std::size_t>(1, static_cast<std::size_t>(movement.every_s / std::max(all.window_s, 1e-6) / 4));
}

// Idle pages and DAMON: touches per page, and writes per page if known.
void describe_touches(const Observed& observed, Learnt& out) {
  const Series touched = series(observed.windows, &observe::Window::touched),
               written = series(observed.windows, &observe::Window::written);
  const unsigned a_window = touched.intervals.front();
  const fit::HotMovement movement =
      fit::find_movement(touched.counts, touched.window_s, fit::expected_overlap(fit_windows(touched, 1), a_window));
  say_movement(movement, out);
  say_fit(fit_windows(touched, windows_of_a_place(movement, touched)), observed, "touches", out);
  say_working_set(pages_in_a_second(touched, observed.followed_share), "touched within a second, median", out);
  if (written.counts.empty()) return say_writes({}, "the kernel keeps no soft-dirty bits", out);
  unsigned touched_intervals = 0, written_intervals = 0;
  const auto t = sum(touched, 0, touched.counts.size(), touched_intervals);
  const auto w = sum(written, 0, written.counts.size(), written_intervals);
  const fit::WriteShare share =
      fit::share_of_pages(t, touched_intervals, touched.interval_s, w, written_intervals, written.interval_s);
  say_writes(share,
             share.known ? "from the rates of touches and writes of the same pages"
                         : "too few pages are neither idle nor always busy",
             out);
}

// Soft-dirty: writes per page, but only the number of touched pages.
void describe_writes(const Observed& observed, Learnt& out) {
  const Series written = series(observed.windows, &observe::Window::written);
  const unsigned a_window = written.intervals.front();
  const fit::HotMovement movement =
      fit::find_movement(written.counts, written.window_s, fit::expected_overlap(fit_windows(written, 1), a_window));
  say_movement(movement, out);
  const fit::ZipfFit fit = fit_windows(written, windows_of_a_place(movement, written));
  say_fit(fit, observed, "writes", out);
  std::vector<double> pages, lengths;
  for (const observe::Window& window : observed.windows)
    if (window.touched_intervals > 0)
      pages.push_back(window.touched_pages), lengths.push_back(window.touched_interval_s);
  const double touched = median(pages) * observed.followed_share;
  const double spread =
      pages.empty() ? 0 : (*std::max_element(pages.begin(), pages.end()) - median(pages)) * observed.followed_share;
  const fit::WriteShare share =
      fit::share_of_totals(fit, touched, spread / std::sqrt(std::max<std::size_t>(1, pages.size())),
                           median(lengths) / std::max(written.interval_s, 1e-9));
  say_writes(share,
             share.known ? "from the number of pages touched besides writes, assuming the same share in all"
                         : "all pages are touched in every interval, or none is written",
             out);
  if (!fit.valid)
    return say_working_set(pages_in_a_second(written, observed.followed_share), "written within a second", out);
  const double longer =
      kWorkingSet_s / std::max(written.interval_s, 1e-9) / (share.known ? std::max(share.share, 1e-3) : 1);
  say_working_set(fit::expected_pages(fit, longer) / observed.followed_share,
                  share.known ? "touched within a second, from the fit" : "written within a second, from the fit", out);
}

// A curve that only looks like Zipf shows one of two signs. It differs from every curve of the law. Or the law needs
// more accesses than fit into the process's CPU time.
std::optional<Found> why_no_zipf(const fit::GrowthFit& fit, double cpu_share) {
  if (fit.misfit > kOffTheCurve) return Found{.variant = "off", .values = {{"off_percent", 100 * fit.misfit}}};
  const double most_per_s = cpu_share / kLeastAccess_s;
  if (cpu_share < 0 || fit.accesses_per_s <= most_per_s) return std::nullopt;
  return Found{
      .variant = "too_many",
      .values = {{"accesses_per_s", fit.accesses_per_s}, {"cpu_percent", 100 * cpu_share}, {"most_per_s", most_per_s}}};
}

// Referenced: only numbers of pages.
void describe_curves(const Observed& observed, Learnt& out) {
  std::vector<fit::GrowthCurve> curves;
  std::vector<double> last;
  for (const observe::Window& window : observed.windows)
    curves.push_back(window.growth), last.push_back(window.growth.back().pages);
  const fit::GrowthFit fit = fit::fit_growth(curves, static_cast<double>(observed.resident_pages));
  const double reach_s = curves.empty() ? 0 : curves.front().back().time_s;
  say_working_set(median(last), fmt::format("touched within {:.0f} ms, median", 1e3 * reach_s), out);
  say_writes({}, "this method sees no writes", out);
  find(out, "learn.movement_unknown", {.variant = "curves"});
  if (!fit.valid)
    return no_exponent(out, "learn.theta_unknown", {.variant = "curves", .values = {{"curves", curves.size()}}});
  out.evidence.emplace_back(
      "exponent",
      fmt::format(
          "{:.3f} ± {:.3f} (95 %) from {} curves of touched pages, {:.0f} pages, {:.3g} accesses/s; {:.2f} % off the "
          "curve",
          fit.theta, curve_interval(fit), curves.size(), fit.pages, fit.accesses_per_s, 100 * fit.misfit));
  if (auto why = why_no_zipf(fit, observed.cpu_share)) return no_exponent(out, "learn.not_zipf", std::move(*why));
  if (take_exponent(fit.theta, curve_interval(fit), "curves", out)) find(out, "learn.from_curve");
}

void say_conditions(const Observed& observed, Learnt& out) {
  double look = 0, time = 0;
  std::size_t looks = 0;
  for (const observe::Window& w : observed.windows) {
    look += w.look_s, time += w.end_s - w.begin_s;
    looks += std::max<std::size_t>({w.touched.intervals, w.written.intervals, w.growth.size()});
  }
  out.evidence.emplace_back(
      "observation",
      fmt::format("{} windows, {} readings of {:.2f} ms, {:.1f} % of the windows' time; interval {:.2f} ms",
                  observed.windows.size(), looks, 1e3 * look / std::max<std::size_t>(looks, 1),
                  100 * look / std::max(time, 1e-9), 1e3 * observed.interval_s));
  if (look > kMuchLooking * time) find(out, "learn.overhead", {.values = {{"looking_percent", 100 * look / time}}});
  if (observed.ended && observed.duration_s < 0.9 * observed.asked_s)
    find(out, "learn.ended_early", {.values = {{"observed_s", observed.duration_s}, {"asked_s", observed.asked_s}}});
  const double resident = static_cast<double>(observed.resident_pages * observe::kPageBytes);
  if (static_cast<double>(observed.huge_bytes) > kMuchHuge * resident)
    find(out, "learn.huge_pages",
         {.values = {{"huge_percent", 100 * static_cast<double>(observed.huge_bytes) / resident}}});
  if (observed.followed_share < 1)
    out.evidence.emplace_back(
        "sample", fmt::format("{:.2f} % of {} resident pages", 100 * observed.followed_share, observed.resident_pages));
}

// People read profiles too, so this keeps only significant digits.
void round_off(sources::Profile& profile) {
  const auto to = [](double& value, double parts) { value = std::round(value * parts) / parts; };
  for (double* value : {&profile.hot_move_s, &profile.hot_move_share}) to(*value, 1000);
  for (double* value : {&profile.read_percent, &profile.observed_s}) to(*value, 100);
}

}  // namespace

void describe(const Observed& observed, Learnt& out) {
  out.profile.method = observed.method;
  out.profile.observed_s = observed.duration_s;
  out.profile.mapped_bytes = observed.mapped_bytes;
  say_conditions(observed, out);
  if (observed.windows.empty()) return;
  const observe::Window& first = observed.windows.front();
  if (!first.growth.empty())
    describe_curves(observed, out);
  else if (first.touched.intervals > 0)
    describe_touches(observed, out);
  else
    describe_writes(observed, out);
  round_off(out.profile);
}

}  // namespace fathom::paging::learn
