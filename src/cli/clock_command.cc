// The subcommands of `fathom clock`, a row each.
#include "cli/clock_command.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/clock_sources.h"
#include "cli/clock_test.h"
#include "cli/exit_codes.h"
#include "cli/show_error.h"
#include "cli/terminal.h"

namespace fathom::cli {
namespace {

struct Row {
  std::string_view name, summary;
  int (*run)(std::span<const std::string> args);
};
constexpr Row kRows[] = {
    {"test", "whether the counters of the CPUs agree, and how small a disagreement would show", clock_test_command},
    {"sources", "what every clock of this machine costs and resolves, which one a run uses, and why",
     clock_sources_command},
};

std::string overview() {
  std::string out = "usage: fathom clock SUBCOMMAND [options]\n\n";
  for (const auto& r : kRows) out += fmt::format("  {:<8} {}\n", r.name, r.summary);
  return out + "\n`fathom clock SUBCOMMAND --help` lists the options of one.\n";
}

}  // namespace

int clock_command(std::span<const std::string> args) {
  if (!args.empty())
    for (const auto& r : kRows)
      if (r.name == args[0]) return r.run(args.subspan(1));
  const bool asked = !args.empty() && (args[0] == "--help" || args[0] == "-h" || args[0] == "help");
  if (!asked && !args.empty()) {
    base::Error e;
    e.what = "no subcommand `clock " + args[0] + "`";
    e.help = "`fathom clock --help` lists them";
    show_error(e, "fathom clock");
    return kUsage;
  }
  write_text(asked ? stdout : stderr, overview());
  return asked ? kOk : kUsage;
}

}  // namespace fathom::cli
