// The formats are those of fio's stat.c.
#include "import/fio/controls.h"

#include <string>
#include <string_view>

#include "base/text/parse.h"
#include "import/fio/job_parts.h"

namespace fathom::import::fio {
namespace {

// The target is in microseconds before 2.99 and in nanoseconds since. The window is in microseconds in all versions.
void read_target(JsonDocument& in, const JsonNode& node, const Version& version, result::LatencyTarget& target) {
  JsonReader fio(in, node);
  result::LatencyTarget found;
  get(fio, "latency_target", found.target_ns);
  if (found.target_ns == 0) return;  // fio 3.42 writes all five keys without a target too
  get(fio, "latency_depth", found.depth), get(fio, "latency_percentile", found.percentile);
  get(fio, "latency_window", found.window_ns);
  constexpr std::uint64_t kMost_us = std::uint64_t{1} << 53;  // 285 years
  if (found.target_ns > kMost_us || found.window_ns > kMost_us)
    return in.fail(node, "\"latency_target\" or \"latency_window\" is out of range", "us");
  if (version.before(2, 99)) found.target_ns *= 1000;
  found.window_ns *= 1000;
  target = found;
}

// "0.150075%" or "12.5".
bool take_number(std::string_view text, double& value, bool& percent) {
  percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto number = base::text::parse_double(text);
  if (number) value = *number;
  return static_cast<bool>(number);
}

// "iops_slope:0.300000%"
bool take_rule(std::string_view text, result::SteadyState& steady) {
  constexpr std::string_view kSlope = "_slope";
  const auto colon = text.find(':');
  if (colon == text.npos) return false;
  auto of = text.substr(0, colon);
  steady.slope = of.ends_with(kSlope);
  if (steady.slope) of.remove_suffix(kSlope.size());
  steady.criterion = of;
  return (of == "iops" || of == "bw" || of == "lat") &&
         take_number(text.substr(colon + 1), steady.limit, steady.percent);
}

void read_steady_state(JsonDocument& in, const JsonNode& node, result::SteadyState& steady) {
  JsonReader fio(in, node);
  std::string rule, value;
  std::uint64_t attained = 0;
  get(fio, "ss", rule), get(fio, "criterion", value), get(fio, "attained", attained);
  get(fio, "duration", steady.duration_s);
  get(fio, "max_deviation", steady.max_deviation), get(fio, "slope", steady.slope_value);
  steady.attained = attained != 0;
  bool percent = false;
  if (!take_rule(rule, steady)) in.fail(node, "\"ss\" is not a rule of steadystate=", "it is \"" + rule + "\"");
  if (!take_number(value, steady.value, percent))
    in.fail(node, "\"criterion\" is not a number", "it is \"" + value + "\"");
  const auto* data = node.member("data");
  if (!data || in.failed()) return;
  JsonReader series(in, *data);
  if (series.there("iops", false)) series.numbers("iops", steady.iops);
  if (series.there("bw", false)) series.numbers("bw", steady.bytes_per_s);
  if (series.there("lat_ns", false)) series.numbers("lat_ns", steady.lat_ns);
}

}  // namespace

void read_controls(JsonDocument& in, const JsonNode& node, const Version& version, result::Job& job) {
  read_target(in, node, version, job.latency_target);
  const auto* steady = node.member("steadystate");
  if (steady && steady->is(JsonNode::Kind::object)) read_steady_state(in, *steady, job.steady_state.emplace());
}

}  // namespace fathom::import::fio
