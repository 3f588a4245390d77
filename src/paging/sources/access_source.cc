// The table of patterns: the permitted options of each, and the function that makes it. To add a pattern, add a row and
// a function.
#include "paging/sources/access_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/nearest.h"
#include "base/prng.h"
#include "paging/sources/profile.h"
#include "paging/sources/sources_drawn.h"
#include "paging/sources/sources_legacy.h"
#include "paging/sources/sources_pages.h"
#include "paging/sources/trace_source.h"
#include "pattern/draws/bounded_pareto.h"
#include "pattern/draws/irwin_hall.h"
#include "pattern/draws/normal.h"
#include "pattern/permutation.h"

namespace fathom::paging::sources {
namespace {

using Made = base::Expected<std::unique_ptr<AccessSource>>;

struct Order {
  const PatternPlan& plan;
  double shape;
  std::uint64_t pages;  // in the set
  unsigned worker, workers;
};

// All threads share one seed for the positions of the hot pages. Each thread has a separate seed for the order of
// accesses.
std::uint64_t place_seed(const PatternPlan& plan) {
  std::uint64_t state = plan.seed;
  return base::splitmix64(state);
}
std::uint64_t draw_seed(const Order& order) {
  std::uint64_t state = place_seed(order.plan) + order.worker;
  return base::splitmix64(state);
}

template <class Pages>
Made drawn(const Order& order, Pages pages, std::uint64_t warmup, double read_percent) {
  const InPage in_page(order.plan.offset_words, read_percent);
  const std::uint64_t seed = draw_seed(order);
  std::unique_ptr<AccessSource> source;
  if (order.plan.permute) {
    const pattern::Permutation scatter(order.pages, place_seed(order.plan));
    source = std::make_unique<DrawnSource<Pages, pattern::Permutation>>(pages, scatter, in_page, seed, warmup);
  } else {
    source = std::make_unique<DrawnSource<Pages, InPlace>>(pages, InPlace{}, in_page, seed, warmup);
  }
  return source;
}
template <class Pages>
Made drawn(const Order& order, Pages pages, std::uint64_t warmup) {
  return drawn(order, pages, warmup, order.plan.read_percent);
}

// Uniform pages are uniform in any order, so there is nothing to permute.
Made uniform(const Order& order) {
  const InPage in_page(order.plan.offset_words, order.plan.read_percent);
  std::unique_ptr<AccessSource> source = std::make_unique<DrawnSource<UniformPages, InPlace>>(
      UniformPages{order.pages}, InPlace{}, in_page, draw_seed(order), 4 * order.pages);
  return source;
}

// The threads share the round: each begins at its part.
Made linear(const Order& order) {
  const auto first = static_cast<std::uint64_t>(static_cast<unsigned __int128>(order.pages) * order.worker /
                                                std::max(order.workers, 1u));
  const auto stride = static_cast<std::uint64_t>(order.shape);
  return drawn(order, LinearPages{pattern::Stride(stride, order.pages, std::min(first, order.pages - 1))}, order.pages);
}

Made normal(const Order& order) {
  const pattern::draws::Normal law(order.shape * 100 / static_cast<double>(order.pages), order.pages);
  return drawn(order, RankPages<pattern::draws::Normal>{law}, order.pages);
}

Made normal_ih(const Order& order) {
  return drawn(order, RankPages<pattern::draws::IrwinHall>{pattern::draws::IrwinHall(order.pages)}, order.pages - 1);
}

Made pareto(const Order& order) {
  const pattern::draws::BoundedPareto law(order.shape, order.pages);
  return drawn(order, RankPages<pattern::draws::BoundedPareto>{law}, 8 * order.pages);
}

Made zipf(const Order& order) {
  return drawn(order, RankPages<pattern::draws::Zipf>{pattern::draws::Zipf(order.shape, order.pages)}, 8 * order.pages);
}

Made hot(const Order& order) {
  const PatternPlan& plan = order.plan;
  const pattern::HotSet set(plan.hot_access_percent, plan.hot_set_percent, order.pages, place_seed(plan));
  return drawn(order, HotPages{set, MoveTimer(plan.hot_move_s)}, 8 * order.pages);
}

double reads_of(const PatternPlan& plan, const Profile& learnt) {
  return plan.read_percent_given || learnt.read_percent < 0 ? plan.read_percent : learnt.read_percent;
}

Made profile(const Order& order) {
  const auto learnt = read_profile(order.plan.file);
  if (!learnt) return learnt.error();
  const std::uint64_t pages = std::clamp<std::uint64_t>(learnt->working_set_bytes >> kPageShift, 1, order.pages);
  const auto step = static_cast<std::uint64_t>(std::llround(learnt->hot_move_share * static_cast<double>(pages)));
  const ProfilePages played{pattern::draws::Zipf(std::max(learnt->zipf_theta, 0.0), pages),
                            pattern::MovingWindow(pages, order.pages, step), MoveTimer(learnt->hot_move_s)};
  return drawn(order, played, 8 * pages, reads_of(order.plan, *learnt));
}

Made trace(const Order& order) { return make_trace_source(order.plan, order.pages); }

template <class Pages>
Made legacy_source(const Order& order, Pages pages, std::uint64_t warmup) {
  std::unique_ptr<AccessSource> source =
      std::make_unique<LegacySource<Pages>>(pages, order.plan, order.worker + 1, warmup);
  return source;
}
Made legacy_linear(const Order& order) {
  return legacy_source(order, pattern::Stride(static_cast<std::uint64_t>(order.shape), order.pages), order.pages);
}
template <class Pages, std::uint64_t (*warmup)(std::uint64_t pages)>
Made legacy_random(const Order& order) {
  return legacy_source(order, Pages(order.pages, order.shape, order.worker + 1), warmup(order.pages));
}
template <int factor>
constexpr std::uint64_t times(std::uint64_t pages) {
  return factor * pages;
}
constexpr std::uint64_t all_but_one(std::uint64_t pages) { return pages - 1; }

// The meaning of --shape for a pattern.
struct Shape {
  const char* what = nullptr;  // nullptr: no shape
  double low = 0, high = 0;    // high < 0: the number of pages in the set
  double standard = 0;         // < 0: the set's pages divided by -standard
};
constexpr Shape kNoShape{};
constexpr Shape kStride{"a stride in pages", 1, -1, 1};
constexpr Shape kDeviation{"a standard deviation in pages", 0.01, -1, -8};
constexpr Shape kExponent{"an exponent", 0.01, 20, 0.99};
constexpr Shape kParetoExponent{"an exponent", 0.01, 20, 1.00001};
constexpr Shape kIgnored{"a number that this pattern ignores", -1e9, 1e9, 1.00001};
constexpr Shape kLegacyDeviation{"a standard deviation in whole pages", 0, 1e9, 1.00001};

struct PatternRow {
  std::string_view name;
  Shape shape;
  bool ranks;  // can be permuted
  bool file;   // needs a profile or a trace
  std::uint64_t least_pages;
  Made (*make)(const Order&);
};
constexpr PatternRow kPatternRows[] = {
    {"uniform", kNoShape, true, false, 1, uniform},
    {"linear", kStride, true, false, 1, linear},
    {"normal", kDeviation, true, false, 1, normal},
    {"normal_ih", kNoShape, true, false, 1, normal_ih},
    {"pareto", kParetoExponent, true, false, 1, pareto},
    {"zipf", kExponent, true, false, 1, zipf},
    {"hot", kNoShape, true, false, 2, hot},
    {"profile", kNoShape, true, true, 1, profile},
    {"trace", kNoShape, false, true, 1, trace},
    {"legacy:linear", kStride, false, false, 1, legacy_linear},
    {"legacy:uniform", kIgnored, false, false, 1, legacy_random<sources::Uniform, times<4>>},
    {"legacy:normal", kLegacyDeviation, false, false, 1, legacy_random<sources::Normal, times<1>>},
    {"legacy:normal_ih", kIgnored, false, false, sources::kSmallestSet, legacy_random<sources::NormalIh, all_but_one>},
    {"legacy:pareto", kParetoExponent, false, false, 1, legacy_random<sources::Pareto, times<8>>},
    {"legacy:zipf", kParetoExponent, false, false, 1, legacy_random<sources::Pareto, times<8>>},
};

base::Error usage(std::string what, std::string cause = {}, std::string help = {}) {
  return {base::ErrorKind::usage, std::move(what), std::move(cause), std::move(help), {}};
}

base::Expected<const PatternRow*> find_row(const std::string& name) {
  std::vector<std::string> known;
  for (const PatternRow& row : kPatternRows) {
    if (row.name == name) return &row;
    known.emplace_back(row.name);
  }
  return usage(fmt::format("unknown pattern `{}`", name), fmt::format("known: {}", fmt::join(known, ", ")),
               base::did_you_mean(name, known, ""));
}

base::Expected<double> shape_of(const PatternRow& row, const PatternPlan& plan, std::uint64_t pages) {
  const Shape& shape = row.shape;
  if (shape.what == nullptr && plan.shape)
    return usage(fmt::format("pattern {}: the pattern has no shape", row.name), {}, "omit the shape");
  const double of_set = static_cast<double>(pages);
  if (!plan.shape) return shape.standard < 0 ? std::max(of_set / -shape.standard, shape.low) : shape.standard;
  const double high = shape.high < 0 ? of_set : shape.high;
  if (*plan.shape >= shape.low && *plan.shape < (shape.high < 0 ? high + 1 : high + 1e-9)) return *plan.shape;
  return usage(fmt::format("pattern {}: shape {} is out of range", row.name, *plan.shape),
               fmt::format("the shape is {}, {} to {}{}", shape.what, shape.low, high,
                           shape.high < 0 ? ", the pages of the set" : ""));
}

base::Expected<void> check_numbers(const PatternRow& row, const PatternPlan& plan) {
  const auto within = [](double x, double low, double high) { return x >= low && x <= high; };
  if (!within(plan.read_percent, 0, 100))
    return usage(fmt::format("read percentage {}: not 0 to 100", plan.read_percent));
  if (plan.offset_words > 1023)
    return usage(fmt::format("offset {}: not 0 to 1023, in words of 4 bytes", plan.offset_words));
  if (row.name == "hot") {
    if (!within(plan.hot_access_percent, 0, 100))
      return usage(fmt::format("pattern hot: {} % of the accesses: not 0 to 100", plan.hot_access_percent));
    if (!(plan.hot_set_percent > 0 && plan.hot_set_percent < 100))
      return usage(fmt::format("pattern hot: {} % of the set: not above 0 and below 100", plan.hot_set_percent));
    if (plan.hot_move_s != 0 && !within(plan.hot_move_s, 0.001, 1e6))
      return usage(fmt::format("pattern hot: moves every {} s: not 0, or 1 ms to 1000000 s", plan.hot_move_s));
  }
  return {};
}

base::Expected<const PatternRow*> checked_row(const PatternPlan& plan, std::uint64_t pages) {
  const auto row = find_row(plan.name);
  if (!row) return row.error();
  const PatternRow& found = **row;
  if (pages < found.least_pages)
    return usage(fmt::format("pattern {}: a set of {} pages is too small", found.name, pages), {},
                 fmt::format("use a set of {} KiB or more", found.least_pages * 4));
  if (plan.permute && !found.ranks)
    return usage(fmt::format("pattern {}: its pages cannot be permuted", found.name),
                 "the trace, or pmbench, determines their places", "omit the permutation");
  if (found.file && plan.file.empty())
    return usage(fmt::format("pattern {}: the file name is missing", found.name), {},
                 fmt::format("write {}:FILE", found.name));
  if (auto numbers = check_numbers(found, plan); !numbers) return numbers.error();
  return *row;
}

}  // namespace

base::Expected<std::unique_ptr<AccessSource>> make_source(const PatternPlan& plan, std::uint64_t set_bytes,
                                                          unsigned worker, unsigned workers) {
  const std::uint64_t pages = set_bytes >> kPageShift;
  const auto row = checked_row(plan, pages);
  if (!row) return row.error();
  const auto shape = shape_of(**row, plan, pages);
  if (!shape) return shape.error();
  return (*row)->make({plan, *shape, pages, worker, workers});
}

base::Expected<void> check_pattern(const PatternPlan& plan, std::uint64_t set_bytes) {
  const std::uint64_t pages = set_bytes >> kPageShift;
  const auto row = checked_row(plan, pages);
  if (!row) return row.error();
  if (const auto shape = shape_of(**row, plan, pages); !shape) return shape.error();
  if ((*row)->name == "trace") return check_trace(plan, pages);
  if ((*row)->name != "profile") return {};
  const auto learnt = read_profile(plan.file);
  if (!learnt) return learnt.error();
  return {};
}

base::Expected<PatternFacts> pattern_facts(const PatternPlan& plan, std::uint64_t set_bytes) {
  const std::uint64_t pages = set_bytes >> kPageShift;
  const auto row = checked_row(plan, pages);
  if (!row) return row.error();
  const auto shape = shape_of(**row, plan, pages);
  if (!shape) return shape.error();
  const bool ignored = (*row)->shape.what == kIgnored.what && !plan.shape;
  PatternFacts facts{ignored ? 0 : *shape, static_cast<double>(plan.read_percent), 0};
  if ((*row)->name == "trace") facts.read_percent = -1;
  if ((*row)->name != "profile") return facts;
  const auto learnt = read_profile(plan.file);
  if (!learnt) return learnt.error();
  facts.read_percent = reads_of(plan, *learnt);
  facts.profile_bytes = learnt->working_set_bytes;
  facts.profile_theta = learnt->zipf_theta;
  facts.profile_error = learnt->zipf_error;
  return facts;
}

}  // namespace fathom::paging::sources
