// Options of `fathom paging`, a row each: reading, help and errors come from the rows. A mistake is shown under the
// very word that holds it.
#include "cli/paging_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/parse.h"
#include "cli/nvme_flags.h"
#include "cli/paging_conflicts.h"
#include "cli/paging_rows.h"
#include "cli/paging_values.h"

namespace fathom::cli {
namespace {

using Outcome = base::Expected<void>;
using paging::Fill;

constexpr std::uint64_t kDefaultMap_bytes = 256ull << 20;
constexpr double kDefaultDuration_s = 10;

const std::vector<PagingRow>& rows() {
  static const std::vector<PagingRow> all = [] {
    const auto load = paging_load_rows(), machine = paging_machine_rows();
    std::vector<PagingRow> both(load.begin(), load.end());
    both.insert(both.end(), machine.begin(), machine.end());
    return both;
  }();
  return all;
}

const std::vector<Flag>& flags() {
  static const std::vector<Flag> all = [] {
    std::vector<Flag> of_rows;
    for (const auto& row : rows()) of_rows.push_back(row.flag);
    return of_rows;
  }();
  return all;
}

Manual manual_of(PagingAction action) {
  if (action == PagingAction::run)
    return {"fathom paging", "[run] [options]",
            "Touches memory page by page and measures how long each access takes: a hit, a minor or a major fault.\n",
            flags()};
  return {"fathom paging breakdown", "--swap=WHERE[,WHERE...] [options]",
          "The paper's Table 2: for each swap, what a major fault costs, what of it is the device's and what the "
          "kernel's.\n"
          "Unless you say otherwise: uniform, set = map = 2 x limit, limit 512M, half reads, random fill, no warm-up,\n"
          "2 threads, page-cluster 0, 20 s, 3 repetitions in turns, each after waiting for quiet.\n",
          flags()};
}

// The options as one line, and under it the word that holds the mistake.
base::SourcePlace place_in(std::span<const std::string> args, const std::string& what) {
  base::SourcePlace place{"<command line>", 1, 1, "", 1};
  const std::string flag = what.substr(0, what.find_first_of("=: "));
  const auto mentions = [&](const std::string& arg) {
    return arg == flag || (flag.size() > 2 && arg.starts_with(flag + "=")) ||
           what.find("`" + arg.substr(0, arg.find('=')) + "`") != std::string::npos;
  };
  bool found = false;
  for (const auto& arg : args) {
    if (!found && mentions(arg)) {
      found = true;
      place.column = static_cast<int>(place.line_text.size()) + 1;
      place.length = static_cast<int>(arg.size());
    }
    place.line_text += (place.line_text.empty() ? "" : " ") + arg;
    if (found && place.column > 1 && place.line_text[static_cast<std::size_t>(place.column) - 1] == ' ') ++place.column;
  }
  if (!found) place.line_text.clear();
  return place;
}

Outcome check_sizes(PagingOptions& o) {
  auto& region = o.plan.region;
  if (!o.map_given) region.map_bytes = std::max(kDefaultMap_bytes, o.set_given ? region.set_bytes : 0);
  if (!o.set_given) region.set_bytes = std::max<std::uint64_t>(4096, region.map_bytes / 2 / 4096 * 4096);
  if (region.set_bytes <= region.map_bytes) return {};
  return usage_error(fmt::format("--set: larger than the map ({} of {} bytes)", region.set_bytes, region.map_bytes), "",
                     "the set is a part of the map: write a smaller --set or a larger --map");
}

// What one half of a command line asks and the other takes back.
Outcome check_together(PagingOptions& o) {
  if (auto ok = check_sizes(o); !ok) return ok;
  const auto& region = o.plan.region;
  if (region.initial_node >= 0 && region.fill == Fill::none)
    return usage_error("--initial-node: nothing is placed without a fill", "", "add `--fill=zero` or `--fill=random`");
  if (region.initial_node >= 0 && !region.memory_nodes.empty())
    return usage_error("--initial-node: memory that is bound cannot move", "", "leave --membind out");
  return {};
}

Outcome check_run(PagingOptions& o) {
  if (auto ok = check_together(o); !ok) return ok;
  if (o.swaps.size() > 1)
    return usage_error("--swap: a run has one swap", "", "`fathom paging breakdown` compares several");
  if (!o.swaps.empty()) o.pressure.swap = o.swaps[0];
  return {};
}

// Seeds of pmbench's generators come from the thread's number, and nothing else.
void find_same_draws(PagingOptions& o) {
  const auto& pattern = o.plan.pattern.name;
  if (o.repeat < 2 || !pattern.starts_with("legacy:")) return;
  o.findings.push_back({"paging.same_draws", result::Severity::warning, "",
                        fmt::format("{} draws the same accesses in each of the {} repetitions, as pmbench does: the "
                                    "luck of the draw is not in their interval",
                                    pattern, o.repeat),
                        "patterns without legacy: draw with the next seed each time"});
}

// The load of the paper's Table 2 under what the user wrote; sizes that fit a laptop.
PagingOptions breakdown_defaults() {
  PagingOptions o;
  o.plan.region.fill = Fill::random;
  o.plan.threads = 2;
  o.plan.warmup = false;
  o.plan.duration_s = 20;
  o.repeat = 3;
  o.settle = true;
  o.pressure.limit_bytes = 512ull << 20;
  return o;
}

Outcome check_breakdown(PagingOptions& o) {
  auto& region = o.plan.region;
  if (o.swaps.empty())
    return usage_error("--swap is missing", "a breakdown compares swaps",
                       "`--swap=zram:2G,file:/var/tmp/fathom.swap:2G`");
  if (!o.map_given) region.map_bytes = o.set_given ? region.set_bytes : 2 * o.pressure.limit_bytes;
  if (!o.set_given) region.set_bytes = region.map_bytes;
  o.map_given = o.set_given = true;
  const bool clustered = std::any_of(o.pressure.settings.begin(), o.pressure.settings.end(),
                                     [](const auto& s) { return s.first == "vm.page-cluster"; });
  if (!clustered) o.pressure.settings.emplace_back("vm.page-cluster", "0");
  return check_together(o);
}

Outcome take(PagingAction action, const Given& given, PagingOptions& o) {
  if (!given.words.empty())
    return usage_error(fmt::format("`{}` is no option", given.words[0]), "",
                       base::parse_duration_ns(given.words[0], 1'000'000'000)
                           ? fmt::format("the duration is written `--duration={}`", given.words[0])
                           : "options begin with --");
  for (const auto& [name, value] : given.flags) {
    const auto row =
        std::find_if(rows().begin(), rows().end(), [&name = name](const PagingRow& r) { return r.flag.name == name; });
    if (auto ok = row->read(o, value); !ok) return ok;
  }
  if (auto ok = check_conflicts(action, given, o); !ok) return ok;
  if (o.plan.duration_s == 0) o.plan.duration_s = kDefaultDuration_s;
  find_same_draws(o);
  if (const char* devices = std::getenv("FATHOM_ALLOW_DESTRUCTIVE"))
    for (auto& device : split(devices, ',')) o.pressure.allow_destructive.push_back(std::move(device));
  return action == PagingAction::run ? check_run(o) : check_breakdown(o);
}

}  // namespace

base::Expected<PagingOptions> read_paging_options(PagingAction action, std::span<const std::string> args) {
  PagingOptions options = action == PagingAction::run ? PagingOptions{} : breakdown_defaults();
  auto given = read_flags(manual_of(action), args);
  Outcome outcome = given ? Outcome{} : Outcome{given.error()};
  if (outcome && given->help) return options.help = true, options;
  if (outcome) outcome = take(action, *given, options);
  if (outcome) return options;
  auto error = outcome.error();
  if (!error.place) error.place = place_in(args, error.what);
  return error;
}

namespace {

// What a breakdown chooses otherwise than a run; breakdown_defaults() and check_breakdown() do so.
struct OtherHelp {
  std::string_view flag, help;  // "": not an option of a breakdown
};
constexpr OtherHelp kBreakdownHelp[] = {
    {"--map", "memory that is mapped (the set, or 2 x limit)"},
    {"--set", "its first part, in which accesses fall (the map)"},
    {"--fill", "before the run: none, zero, random (default), compressible:PERCENT, legacy"},
    {"--threads", "threads of each process (2)"},
    {"--duration", "of the measured window (20s)"},
    {"--cold", "no warm-up before the window (default)"},
    {"--warmup", "a warm-up of pmbench's length"},
    {"--repeat", "measure each swap N times, in turns (3)"},
    {"--settle", "before each repetition wait until the machine and the swap device are idle (default)"},
    {"--no-settle", "do not"},
    {"--access", ""},
    {"--no-classify", ""},
    {"--limit", "memory of the measuring processes, by a memory cgroup (512M)"},
    {"--swap", "one or more, by commas: zram:SIZE[:ALGORITHM], file:PATH:SIZE, dev:/dev/x, current, none"},
    {"--page-cluster", "pages read at once from swap, as a power of two: vm.page-cluster (0)"},
    {"--output-format", "text, text-ascii, json, json+, csv (as pmbench's GUI exports)"},
    {"--import", ""},
};

std::string_view help_of(PagingAction action, const Flag& flag) {
  if (action == PagingAction::breakdown)
    for (const auto& other : kBreakdownHelp)
      if (other.flag == flag.name) return other.help;
  return flag.help;
}

}  // namespace

std::string paging_help(PagingAction action) {
  const auto manual = manual_of(action);
  const auto head = [](const Flag& f) {
    return f.value.empty() ? std::string(f.name) : fmt::format("{}={}", f.name, f.value);
  };
  std::size_t width = 0;
  for (const auto& row : rows()) width = std::max(width, head(row.flag).size());
  std::string out = fmt::format("usage: {} {}\n\n{}", manual.command, manual.usage, manual.about);
  for (const auto& row : rows()) {
    if (!row.group.empty()) out += fmt::format("\n{}\n", row.group);
    if (const auto help = help_of(action, row.flag); !help.empty())
      out += fmt::format("  {:<{}}  {}\n", head(row.flag), width, help);
  }
  return out;
}

}  // namespace fathom::cli
