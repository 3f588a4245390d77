// Limits that end a job or delay it: latencies, minimum rates, steady state, flows.
#include "base/text/parse.h"
#include "job/fields/flow.h"
#include "job/fields/latency_limits.h"
#include "job/fields/least_rate.h"
#include "job/fields/steady.h"
#include "job/fields/submit.h"
#include "job/option.h"

namespace fathom::job {
namespace {

constexpr std::uint64_t kHeaviest = 1000;

Outcome read_max_latency(fields::MaxLatency& limit, const Value& value) {
  auto ns = limit.ns;
  auto problem = for_each_direction(
      value.text, [&](std::size_t d, std::string_view part) { return read_number(value.part(part), ns[d]); });
  if (!problem) limit.ns = ns;
  return problem;
}

struct Criterion {
  std::string_view name;
  fields::SteadyOf of;
  bool slope;
};
constexpr Criterion kCriteria[] = {
    {"iops", fields::SteadyOf::iops, false}, {"iops_slope", fields::SteadyOf::iops, true},
    {"bw", fields::SteadyOf::bw, false},     {"bw_slope", fields::SteadyOf::bw, true},
    {"lat", fields::SteadyOf::lat, false},   {"lat_slope", fields::SteadyOf::lat, true},
};

constexpr Choice kSteady[] = {
    {"iops:", 0, "largest deviation of IOPS from their mean"},
    {"iops_slope:", 1, "slope of IOPS"},
    {"bw:", 2, "largest deviation of bytes per second"},
    {"bw_slope:", 3, "slope of bytes per second"},
    {"lat:", 4, "largest deviation of the mean completion latency"},
    {"lat_slope:", 5, "slope of the mean completion latency"},
};

// "0.5%", "100"; for bw also "1m", for lat also "10us".
Outcome read_limit(const Value& value, std::string_view text, fields::Steady& rule) {
  const auto not_a_limit = wrong("not a limit", "the limit is a number, or a percentage of the mean",
                                 "write for example " + value.with("iops_slope:0.3%"), text);
  rule.percent = text.ends_with('%');
  if (rule.percent) {
    const auto number = base::text::parse_double(text.substr(0, text.size() - 1));
    if (!number || *number < 0) return not_a_limit;
    rule.limit = *number;
  } else if (const auto plain = base::text::parse_double(text); plain && *plain >= 0) {
    rule.limit = *plain;
  } else if (rule.of == fields::SteadyOf::lat) {
    const auto ns = base::text::parse_duration_ns(text, 1);
    if (!ns) return not_a_limit;
    rule.limit = static_cast<double>(*ns);
  } else {
    const auto bytes = base::text::parse_bytes(text, value.kb_base);
    if (!bytes) return not_a_limit;
    rule.limit = static_cast<double>(*bytes);
  }
  return {};
}

Outcome read_steady(fields::Steady& steady, const Value& value) {
  const auto colon = value.text.find(':');
  const auto name = value.text.substr(0, colon);
  for (const auto& criterion : kCriteria) {
    if (criterion.name != name) continue;
    fields::Steady rule = steady;
    rule.of = criterion.of;
    rule.slope = criterion.slope;
    if (colon == std::string_view::npos)
      return wrong("steadystate threshold must be specified in addition to criterion", "a steady state needs a limit",
                   "write for example " + value.with(fmt::format("{}:0.3%", name)), name);
    if (auto problem = read_limit(value, value.text.substr(colon + 1), rule)) return problem;
    steady = rule;
    return {};
  }
  return wrong("not a criterion", "the criterion is iops, bw or lat, without or with _slope, and a limit",
               "write for example " + value.with("iops_slope:0.3%"), name);
}

constexpr Choice kSubmitModes[] = {{"inline", 0, "the job itself"},
                                   {"offload", 1, "iodepth threads of the job, each with one I/O at a time"}};
constexpr Choice kLocks[] = {
    {"none", int(fields::FileLock::none), "off"},
    {"exclusive", int(fields::FileLock::exclusive), "one I/O at a time"},
    {"readwrite", int(fields::FileLock::readwrite), "reads concurrently, all other I/Os exclusively"}};

// fio removed this option, and reports that.
Outcome read_watermark(Job& job, const Value& value) {
  std::uint64_t ignored = 0;
  if (auto problem = read_number(value, ignored)) return problem;
  job.notes.push_back("Option flow_watermark is deprecated");
  return {};
}

constexpr Row kControlRows[] = {
    special<read_max_latency>({"max_latency", "0", "An I/O that takes longer ends the job with an error; 0: none"},
                              Type::duration, 0, kMaxU64, kMicrosecond_ns, true),
    duration<&fields::LatencyTarget::target_ns>(
        {"latency_target", "0", "Find the largest depth, up to iodepth, at which I/Os meet this latency; 0: off"},
        kMicrosecond_ns),
    duration<&fields::LatencyTarget::window_ns>({"latency_window", "0", "Time over which latency_target is evaluated"},
                                                kMicrosecond_ns),
    percent<&fields::LatencyTarget::percentile>(
        {"latency_percentile", "100", "Share of the I/Os of a window that have to meet latency_target"}),
    boolean<&fields::LatencyTarget::whole_run>(
        {"latency_run", "0", "Search for the depth during the whole run; 0: end when the depth is found"}),
    bytes_per_direction<&fields::LeastRate::bytes_per_s>(
        {"rate_min ratemin", "0", "Bytes per second below which the job ends with an error"}, 0, kMaxU64),
    count_per_direction<&fields::LeastRate::iops>(
        {"rate_iops_min", "0", "End the job with an error below this rate, in I/Os per second"}, 0, kMaxU32),
    duration<&fields::LeastRate::cycle_ns>(
        {"rate_cycle ratecycle", "1000", "Time over which rate_min is evaluated; 0: the shortest, 1 ms"},
        kMillisecond_ns),
    special<read_steady>({"steadystate ss", "iops_slope:0.01%",
                          "End when this value is steady: iops, bw or lat, without or with _slope, and the "
                          "allowed deviation"},
                         Type::text, 0, 0, 0, false, kSteady),
    duration<&fields::Steady::duration_ns>(
        {"steadystate_duration ss_dur", "0", "Time over which steadystate is evaluated; 0: off"}, kSecond_ns),
    duration<&fields::Steady::ramp_ns>(
        {"steadystate_ramp_time ss_ramp", "0", "Time before the evaluation of steadystate starts"}, kSecond_ns),
    duration<&fields::Steady::interval_ns>(
        {"steadystate_check_interval ss_interval", "1", "Time between two values of steadystate"}, kSecond_ns,
        kSecond_ns),
    choice<&fields::Submit::offload>({"io_submit_mode", "inline", "Thread that submits the I/O"}, kSubmitModes),
    boolean<&fields::Submit::serialize>({"serialize_overlap", "0",
                                         "An I/O waits for overlapping I/Os in flight: of the job, if it writes; with "
                                         "io_submit_mode=offload of all such jobs"}),
    choice<&fields::Submit::lock>({"lockfile", "none", "Lock the file around each I/O, among the jobs of this run"},
                                  kLocks),
    count<&fields::Flow::weight>({"flow", "0", "Weight of the job among those of its flow_id; 0: none"}, 0, kHeaviest),
    special<read_watermark>({"flow_watermark", "", "Belonged to flow; accepted, ignored"}, Type::count, 0, kMaxU32),
    count<&fields::Flow::id>({"flow_id", "0", "Jobs with the same number divide their I/Os by their flow="}, 0,
                             kMaxU32 / 2),
    duration<&fields::Flow::sleep_ns>(
        {"flow_sleep", "0", "Time that a job ahead of its share sleeps; 0: the job spins"}, kMicrosecond_ns),
};

}  // namespace

std::span<const Row> control_options() { return kControlRows; }

}  // namespace fathom::job
