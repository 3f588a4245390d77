// The subcommands of `fathom nvme`, a row each.
#include "cli/nvme_command.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/nearest.h"
#include "cli/exit_codes.h"
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
    {"list", "the NVMe controllers of this machine, who drives them and what they are used for", nvme_list_command},
    {"identify", "what a controller or a namespace says of itself", nvme_identify_command},
    {"log", "a log page: error, smart, firmware, changed-ns", nvme_log_command},
    {"setup", "reserve huge pages, and say what else a user-space driver needs here", nvme_setup_command},
    {"bind", "give a controller to vfio-pci", nvme_bind_command},
    {"unbind", "give it back to the kernel's nvme driver", nvme_unbind_command},
    {"perf", "measure devices: a job of `fathom run`, built from flags", nvme_perf_command},
    {"serve", "export the soft controller over vfio-user", nvme_serve_command},
};

std::string overview() {
  std::string out =
      "usage: fathom nvme SUBCOMMAND [options]\n\n"
      "Drives NVMe devices from user space: polled, one queue pair a thread, no system call on the I/O path.\n\n";
  for (const auto& row : kRows) out += fmt::format("  {:<9} {}\n", row.name, row.summary);
  return out +
         "\nA device is named soft[:options] (a controller in this process: no hardware, no root), "
         "[dddd:]bb:dd.f[/ns]\n"
         "(a PCI address, bound to vfio-pci) or vfio-user:SOCKET[/ns=N] (another process that serves one).\n\n"
         "Not built: SGL, metadata and protection information, controller memory buffer, shadow doorbells, zoned\n"
         "namespaces, fabrics, a block layer above.\n\n"
         "`fathom nvme SUBCOMMAND --help` lists the options of one.\n";
}

int unknown(const std::string& word) {
  std::vector<std::string_view> names;
  for (const auto& row : kRows) names.push_back(row.name);
  const auto error = usage_error("no subcommand `nvme " + word + "`", "",
                                 base::did_you_mean(word, names, "`fathom nvme --help` lists them", "fathom nvme "));
  show_error(error, "fathom nvme");
  return kUsage;
}

}  // namespace

int nvme_command(std::span<const std::string> args) {
  if (args.empty()) return write_text(stderr, overview()), kUsage;
  for (const auto& row : kRows)
    if (row.name == args[0]) return row.run(args.subspan(1));
  if (args[0] != "--help" && args[0] != "-h" && args[0] != "help") return unknown(args[0]);
  write_text(stdout, overview());
  return kOk;
}

}  // namespace fathom::cli
