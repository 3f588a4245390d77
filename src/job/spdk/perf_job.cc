// The settings that make a job perf: random reads of 4 KiB, 128 in flight on every device, for ten seconds. There is no
// map of read blocks, and all available completions are reaped at once. If there is no completion, the worker polls
// until one arrives, so that this time counts as idle time.
#include "job/spdk/perf_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text/parse.h"
#include "options/source.h"

namespace fathom::job::spdk {
namespace {

using options::usage_error;

constexpr const char* kDefaultDepth = "128";

// Options of the job that perf sets itself: devices are named with --device.
constexpr std::string_view kOwn[] = {"name", "ioengine", "filename", "directory", "nrfiles", "thread"};
// Options that end the job. With them, perf sets no run time.
constexpr std::string_view kEnds[] = {"runtime", "number_ios", "io_size", "io_limit", "verify", "loops"};

std::string_view option_of(std::string_view word) {
  if (!word.starts_with("--")) return {};
  return word.substr(2, word.find('=') == std::string_view::npos ? std::string_view::npos : word.find('=') - 2);
}

template <std::size_t N>
bool one_of(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// The last value of an option; nullopt: the option was not written.
std::optional<std::string> value_of(const Arguments& arguments, std::string_view name) {
  std::optional<std::string> value;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (option_of(arguments[i]) != name) continue;
    const auto equals = arguments[i].find('=');
    value = equals != std::string::npos ? arguments[i].substr(equals + 1)
            : i + 1 < arguments.size()  ? arguments[i + 1]
                                        : "";
  }
  return value;
}

bool mentions(const Arguments& arguments, std::string_view name) { return value_of(arguments, name).has_value(); }

struct Split {
  Arguments devices, rest;
};

base::Expected<Split> take_devices(std::span<const std::string> args) {
  Split split;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto option = option_of(args[i]);
    if (one_of(kOwn, option))
      return usage_error(fmt::format("--{}: perf sets it itself", option), "",
                         "name devices with `--device`; for any other job there is `fathom run`");
    if (option != "device") {
      split.rest.push_back(args[i]);
      continue;
    }
    const auto equals = args[i].find('=');
    if (equals == std::string::npos && i + 1 == args.size())
      return usage_error("--device: a value is missing", "", "write `--device=soft`");
    split.devices.push_back(equals == std::string::npos ? args[++i] : args[i].substr(equals + 1));
  }
  return split;
}

}  // namespace

base::Expected<Arguments> perf_job(std::span<const std::string> args, const JoinDevices& join) {
  auto split = take_devices(args);
  if (!split) return split.error();
  if (split->devices.empty()) split->devices.emplace_back("soft");
  const auto joined = join(split->devices);
  if (!joined) return joined.error();
  Arguments arguments{"--name=perf",
                      "--ioengine=nvme",
                      "--thread=1",
                      "--filename=" + *joined,
                      "--rw=randread",
                      "--bs=4k",
                      "--iodepth=" + std::string(kDefaultDepth),
                      "--depth_per_file=1",
                      "--group_reporting=1"};
  const bool verified = mentions(split->rest, "verify");
  if (!verified) arguments.emplace_back("--norandommap=1");
  const bool ends = std::any_of(std::begin(kEnds), std::end(kEnds),
                                [&](std::string_view name) { return mentions(split->rest, name); });
  if (!ends) arguments.emplace_back("--runtime=10s");
  if (!ends || (mentions(split->rest, "runtime") && !verified)) arguments.emplace_back("--time_based=1");
  const auto depth = base::text::parse_int(value_of(split->rest, "iodepth").value_or(kDefaultDepth));
  if (depth && *depth > 0) {
    const auto in_flight = *depth * static_cast<std::int64_t>(split->devices.size());
    arguments.push_back(fmt::format("--iodepth_batch={}", *depth));
    arguments.emplace_back("--iodepth_batch_complete_min=1");
    arguments.push_back(fmt::format("--iodepth_batch_complete_max={}", in_flight));
  }
  arguments.insert(arguments.end(), split->rest.begin(), split->rest.end());
  return arguments;
}

}  // namespace fathom::job::spdk
