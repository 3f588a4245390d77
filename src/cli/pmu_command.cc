// The actions of `fathom pmu`, a row each.
#include "cli/pmu_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "base/nearest.h"
#include "cli/exit_codes.h"
#include "cli/pmu_list.h"
#include "cli/pmu_stat.h"
#include "cli/show_error.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"

namespace fathom::cli {
namespace {

struct Row {
  std::string_view name, summary;
  int (*run)(std::span<const std::string> args);
};
constexpr Row kRows[] = {
    {"list", "PMUs, their events, and which of them tells the bytes of a PCIe port", pmu_list},
    {"stat", "count events while a command runs: perf stat's names and layout, with bytes and MB/s", pmu_stat},
};

std::string overview() {
  std::string out =
      "usage: fathom pmu ACTION [options]\n\n"
      "Reads the counters of the processor, of PCIe ports and of the kernel through perf events.\n\n";
  for (const auto& row : kRows) out += fmt::format("  {:<5} {}\n", row.name, row.summary);
  return out + "\n`fathom pmu ACTION --help` lists the options of one.\n";
}

int unknown(const std::string& word) {
  std::vector<std::string_view> names;
  for (const auto& row : kRows) names.push_back(row.name);
  show_error(usage_error("no action `pmu " + word + "`", "",
                         base::did_you_mean(word, names, "`fathom pmu --help` lists them", "fathom pmu ")),
             "fathom pmu");
  return kUsage;
}

}  // namespace

int pmu_command(std::span<const std::string> args) {
  if (args.empty()) return write_text(stderr, overview()), kUsage;
  for (const auto& row : kRows)
    if (row.name == args[0]) return row.run(args.subspan(1));
  if (args[0] != "--help" && args[0] != "-h" && args[0] != "help") return unknown(args[0]);
  return print_out(overview(), "fathom pmu");
}

}  // namespace fathom::cli
