// An underscore joins the name of a latency and a number of it, as in `repeated[]` of a result.
#include "compare/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/nearest.h"
#include "base/text/parse.h"

namespace fathom::compare {
namespace {

constexpr std::array<std::string_view, 4> kLatencies = {"intended_lat", "slat", "clat", "lat"};
constexpr std::array<std::string_view, 4> kAccesses = {"access", "hit", "minor", "major"};
constexpr std::array<std::string_view, 2> kRates = {"iops", "bw"};
constexpr std::string_view kAccessRate = "accesses_per_s";

constexpr std::array<std::string_view, 10> kOfJobs = {
    "iops",       "bw",      "lat_mean", "clat_p50",  "clat_p99",
    "clat_p99.9", "lat_p50", "lat_p99",  "lat_p99.9", "intended_lat_p99"};
constexpr std::array<std::string_view, 9> kOfPaging = {"access_mean", "accesses_per_s", "access_p50",
                                                       "access_p99",  "access_p99.9",   "hit_mean",
                                                       "minor_mean",  "major_mean",     "major_p99"};

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

base::Error usage(std::string what, std::string cause, std::string help) {
  base::Error error;
  error.what = std::move(what), error.cause = std::move(cause), error.help = std::move(help);
  return error;
}

base::Error no_metric(std::string_view name) {
  std::vector<std::string_view> known(kOfJobs.begin(), kOfJobs.end());
  known.insert(known.end(), kOfPaging.begin(), kOfPaging.end());
  return usage(fmt::format("no metric `{}`", name), "",
               base::did_you_mean(name, known,
                                  "iops, bw, accesses_per_s, or a latency's mean or percentile: lat_mean, clat_p99, "
                                  "intended_lat_p99.9, access_mean, major_p50"));
}

std::optional<double> percentile_in(std::string_view text) {
  if (!text.starts_with('p')) return std::nullopt;
  const auto value = base::text::parse_double(text.substr(1));
  return value && *value > 0 && *value <= 100 ? std::optional(*value) : std::nullopt;
}

}  // namespace

std::string Metric::unit() const {
  if (!latency.empty()) return "ns";
  return name == "bw" ? "bytes/s" : "1/s";
}

base::Expected<Metric> metric_named(std::string_view name) {
  if (is_in(kRates, name) || name == kAccessRate) return Metric{std::string(name), "", std::nullopt};
  const auto end = name.rfind('_');
  if (end == std::string_view::npos) return no_metric(name);
  const auto latency = name.substr(0, end), number = name.substr(end + 1);
  const auto percentile = percentile_in(number);
  if (!(is_in(kLatencies, latency) || is_in(kAccesses, latency)) || !(percentile || number == "mean"))
    return no_metric(name);
  return Metric{std::string(name), std::string(latency), percentile};
}

bool is_of(const Metric& metric, Kind kind) {
  const bool accesses = metric.name == kAccessRate || is_in(kAccesses, metric.latency);
  return accesses == (kind == Kind::paging);
}

std::span<const std::string_view> usual_metrics(Kind kind) {
  if (kind == Kind::paging) return kOfPaging;
  return kOfJobs;
}

base::Expected<FailIf> fail_if(std::string_view text) {
  const auto sign = text.find_first_of("<>");
  const auto wrong = [&](std::string cause) {
    return usage(fmt::format("--fail-if: `{}` is not a condition", text), std::move(cause),
                 "write a metric, `>` or `<`, and a change in percent: 'clat_p99>+5%', 'iops<-5%'");
  };
  if (sign == std::string_view::npos) return wrong("neither `>` nor `<` found");
  auto metric = metric_named(base::text::trim(text.substr(0, sign)));
  if (!metric) return metric.error();
  auto number = base::text::trim(text.substr(sign + 1));
  if (!number.ends_with('%')) return wrong("the change has no `%`");
  number.remove_suffix(1);
  if (number.starts_with('+')) number.remove_prefix(1);
  const auto percent = base::text::parse_double(number);
  if (!percent || *percent <= -100 || number.starts_with('+')) return wrong("the change is not a number above -100");
  return FailIf{std::string(text), std::move(*metric), text[sign] == '>', *percent};
}

}  // namespace fathom::compare
