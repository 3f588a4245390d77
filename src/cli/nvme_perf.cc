// `fathom nvme perf`, and the same under SPDK's name: a job made from flags (nvme_perf_words.h) and run as `fathom run`
// runs any job. One owner of stamps, one report.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/printable.h"
#include "cli/exit_codes.h"
#include "cli/manuals.h"
#include "cli/nvme_command.h"
#include "cli/nvme_device.h"
#include "cli/nvme_perf_words.h"
#include "cli/run_command.h"
#include "cli/show_error.h"
#include "cli/terminal.h"
#include "job/command.h"
#include "job/option.h"
#include "job/switches.h"
#include "nvme/pci/controllers.h"

namespace fathom::cli {
namespace {

std::string help() {
  return "usage: fathom nvme perf [--device=DEV ...] [job options]\n\n"
         "Measures devices from user space. It is a job of `fathom run`, with these settings "
         "before\n"
         "yours: --rw=randread --bs=4k --iodepth=128 --runtime=10s --time_based --norandommap --group_reporting.\n\n"
         "  --device=DEV             soft[:options], [dddd:]bb:dd.f[/ns] or vfio-user:SOCKET[/ns=N]; once for each "
         "device.\n"
         "                           Default: soft, the controller in software. `soft` again is another one\n"
         "  --iodepth=N              I/Os in flight on each device\n"
         "  --numjobs=N              threads, each with a queue pair of its own on every device\n"
         "  --cpus_allowed=LIST      where they run\n"
         "  --rw --bs --runtime --ramp_time --rwmixread --rate_iops --random_distribution --size --number_ios\n"
         "                           and any other job option: `fathom run --cmdhelp` lists them\n"
         "  --verify=crc32c          what was written is read back and held against its checksum\n"
         "  --output-format=LIST     normal, json, json+, spdk, spdk-l, spdk-ll, spdk-stats\n"
         "  --allow-destructive=DEV  writing to a PCI address or a vfio-user socket needs its name; soft needs none\n"
         "  --showcmd                print the job that would run\n"
         "  --parse-only, --repeat=N, --settle ...: as `fathom run --help` says\n\n"
         "The driver's tricks, each to be taken away for an ablation:\n" +
         job::engine_option_help("nvme") +
         "\nNot built: SGL, metadata and protection information, controller memory buffer, shadow doorbells, zoned\n"
         "namespaces, fabrics. Called as spdk_nvme_perf it takes SPDK's options.\n";
}

bool asks_help(std::span<const std::string> args) {
  return std::any_of(args.begin(), args.end(), [](const auto& arg) { return arg == "--help" || arg == "-h"; });
}

int refuse(const base::Error& error, const char* program) {
  show_error(error, program);
  return exit_code(error, false);
}

// The job as `fathom run` would be called, for a shell.
std::string job_line(const Words& words) {
  std::string line = "fathom run";
  for (const auto& word : words) {
    if (word == "--showcmd") continue;
    const bool plain = word.find_first_of(" '\"\\$;&|<>*?()`") == std::string::npos;
    line += plain ? " " + word : " '" + word + "'";
  }
  return line;
}

Words controllers_of_vfio() {
  Words addresses;
  for (const auto& controller : nvme::pci::list_controllers(nvme::pci::Sysfs()))
    if (controller.driver == nvme::pci::kVfioDriver) addresses.push_back(controller.address);
  return addresses;
}

}  // namespace

const options::Manual& nvme_perf_manual() {
  static constexpr options::Row kRows[] = {kDeviceRow};
  static const std::vector<options::Group> groups = [] {
    std::vector<options::Group> all{{"", kRows}};
    all.insert(all.end(), job::switches().begin(), job::switches().end());
    return all;
  }();
  static const options::Manual manual{.command = "fathom nvme perf", .groups = groups, .beside = job::option_groups()};
  return manual;
}

int nvme_perf_command(std::span<const std::string> args) {
  if (asks_help(args)) return write_text(stdout, help()), kOk;
  const auto words = perf_words(args);
  if (!words) return refuse(words.error(), "fathom nvme perf");
  if (std::count(args.begin(), args.end(), "--showcmd") > 0) return write_text(stdout, job_line(*words) + "\n"), kOk;
  Words called{"nvme", "perf"};
  called.insert(called.end(), args.begin(), args.end());
  return run_command(*words, false, called);
}

int spdk_perf_command(std::span<const std::string> args) {
  constexpr const char* kName = "spdk_nvme_perf";
  if (asks_help(args)) return write_text(stdout, spdk_help()), kOk;
  Words notes;
  const auto flags = spdk_words(args, controllers_of_vfio, notes);
  if (!flags) return refuse(flags.error(), kName);
  for (const auto& note : notes) write_text(stderr, fmt::format("{}: {}\n", kName, base::printable(note)));
  const auto words = perf_words(*flags);
  if (!words) return refuse(words.error(), kName);
  Words called{kName};
  called.insert(called.end(), args.begin(), args.end());
  return run_command(*words, false, called);
}

}  // namespace fathom::cli
