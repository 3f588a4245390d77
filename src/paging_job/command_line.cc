// Checks that need the whole command line: sizes that depend on each other, and options that exclude each other.
#include "paging_job/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/text/parse.h"
#include "options/command_line.h"
#include "paging_job/conflicts.h"
#include "paging_job/rows.h"
#include "paging_job/values.h"
#include "result/findings/rows.h"

namespace fathom::paging_job {
namespace {

using Done = base::Expected<void>;  // of checks that need the whole line
using options::Given, options::usage_error;
using paging::Fill;

constexpr std::uint64_t kDefaultMap_bytes = 256ull << 20;
constexpr double kDefaultDuration_s = 10;

Done check_sizes(Request& o) {
  auto& region = o.plan.region;
  if (!o.map_given) region.map_bytes = std::max(kDefaultMap_bytes, o.set_given ? region.set_bytes : 0);
  if (!o.set_given) region.set_bytes = std::max<std::uint64_t>(4096, region.map_bytes / 2 / 4096 * 4096);
  if (region.set_bytes <= region.map_bytes) return {};
  return usage_error(fmt::format("--set: larger than the map ({} of {} bytes)", region.set_bytes, region.map_bytes), "",
                     "write a smaller --set or a larger --map: the set is a part of the map");
}

// Options that contradict each other.
Done check_together(Request& o) {
  if (auto ok = check_sizes(o); !ok) return ok;
  const auto& region = o.plan.region;
  if (region.initial_node >= 0 && region.fill == Fill::none)
    return usage_error("--initial-node: nothing is placed without a fill", "", "add `--fill=zero` or `--fill=random`");
  if (region.initial_node >= 0 && !region.memory_nodes.empty())
    return usage_error("--initial-node: bound memory cannot move", "", "omit --membind");
  return {};
}

Done check_run(Request& o) {
  if (auto ok = check_together(o); !ok) return ok;
  if (o.swaps.size() > 1)
    return usage_error("--swap: a run has one swap", "", "use `fathom paging breakdown` to compare several");
  if (!o.swaps.empty()) o.pressure.swap = o.swaps[0];
  return {};
}

// The seed of a pmbench generator depends only on the thread's number.
void find_same_draws(Request& o) {
  const auto& pattern = o.plan.pattern.name;
  if (o.repeat < 2 || !pattern.starts_with("legacy:")) return;
  o.findings.push_back(
      result::findings::found("paging.same_draws", {.values = {{"pattern", pattern}, {"repetitions", o.repeat}}}));
}

// The load of the paper's Table 2, as defaults for what the user wrote. The sizes fit a laptop.
Request breakdown_defaults() {
  Request o;
  o.plan.region.fill = Fill::random;
  o.plan.threads = 2;
  o.plan.warmup = false;
  o.plan.duration_s = 20;
  o.repeat = 3;
  o.settle = true;
  o.pressure.limit_bytes = 512ull << 20;
  return o;
}

Done check_breakdown(Request& o) {
  auto& region = o.plan.region;
  if (o.swaps.empty())
    return usage_error("--swap is missing", "a breakdown compares several swaps",
                       "write for example `--swap=zram:2G,file:/var/tmp/fathom.swap:2G`");
  if (!o.map_given) region.map_bytes = o.set_given ? region.set_bytes : 2 * o.pressure.limit_bytes;
  if (!o.set_given) region.set_bytes = region.map_bytes;
  o.map_given = o.set_given = true;
  const bool clustered = std::any_of(o.pressure.settings.begin(), o.pressure.settings.end(),
                                     [](const auto& s) { return s.first == "vm.page-cluster"; });
  if (!clustered) o.pressure.settings.emplace_back("vm.page-cluster", "0");
  return check_together(o);
}

Done take(Action action, const Given& given, Request& o) {
  if (!given.arguments.empty())
    return usage_error(fmt::format("`{}` is not an option", given.arguments[0]), "",
                       base::text::parse_duration_ns(given.arguments[0], 1'000'000'000)
                           ? fmt::format("write the duration as `--duration={}`", given.arguments[0])
                           : "write options with a leading --");
  o.map_given = given.has("map");
  o.set_given = given.has("set");
  o.stamps_given = given.has("stamps");
  o.plan.pattern.read_percent_given = given.has("read-ratio");
  o.plan.region.seed = o.plan.pattern.seed;
  if (auto ok = check_conflicts(action, given, o); !ok) return ok;
  if (o.plan.duration_s == 0) o.plan.duration_s = kDefaultDuration_s;
  find_same_draws(o);
  if (const char* devices = std::getenv("FATHOM_ALLOW_DESTRUCTIVE"))
    for (auto& device : split(devices, ',')) o.pressure.allow_destructive.push_back(std::move(device));
  return action == Action::run ? check_run(o) : check_breakdown(o);
}

}  // namespace

const options::Manual& run_manual() {
  static const options::Manual manual{
      .command = "fathom paging",
      .usage = "[run] [options]",
      .about = "Touches memory page by page and times each access: a hit, a minor or a major fault.\n",
      .groups = run_rows()};
  return manual;
}

const options::Manual& breakdown_manual() {
  static const options::Manual manual{
      .command = "fathom paging breakdown",
      .usage = "--swap=WHERE[,WHERE...] [options]",
      .about =
          "Measures the cost of a major fault for each swap, divided into device and kernel (Table 2 of the pmbench\n"
          "paper). Defaults: uniform, set = map = 2 x limit, limit 512M, 50 % reads, random fill, no warm-up, 2 "
          "threads,\n"
          "page-cluster 0, 20 s, 3 repetitions in turns, each when the machine is idle.\n",
      .groups = breakdown_rows()};
  return manual;
}

base::Expected<Command> parse_command(Action action, std::span<const std::string> args) {
  Command command;
  if (action == Action::breakdown) command.request = breakdown_defaults();
  const auto given =
      options::read_command_line(action == Action::run ? run_manual() : breakdown_manual(), args, targets_of(command));
  if (!given) return given.error();
  command.help = given->help;
  if (command.help) return command;
  auto& report = command.report;
  if (!given->has("output-format") && report.output.ends_with(".html")) report.formats = {"html"};
  if (auto ok = take(action, *given, command.request); !ok) return given->placed(ok.error());
  return command;
}

}  // namespace fathom::paging_job
