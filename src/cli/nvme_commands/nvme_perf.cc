// `fathom nvme perf`, and the same under SPDK's name. The options become a job (job/spdk/perf_job.h), which runs like
// any job of `fathom run`. So timestamps and reports come from the same code.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/text/printable.h"
#include "cli/exit_codes.h"
#include "cli/manuals.h"
#include "cli/nvme_commands/nvme_command.h"
#include "cli/nvme_commands/nvme_device.h"
#include "cli/run_commands/run_command.h"
#include "cli/show_error.h"
#include "cli/terminal.h"
#include "job/command.h"
#include "job/option.h"
#include "job/spdk/perf_job.h"
#include "job/spdk/spdk_command_line.h"
#include "job/switches.h"
#include "nvme/pci/controllers.h"
#include "session/controllers/device_names.h"

namespace fathom::cli::nvme_commands {
namespace {

using job::spdk::Arguments;

bool asks_help(std::span<const std::string> args) {
  return std::any_of(args.begin(), args.end(), [](const auto& arg) { return arg == "--help" || arg == "-h"; });
}

int refuse(const base::Error& error, const char* program) {
  show_error(error, program);
  return exit_code(error, false);
}

// The job as a `fathom run` command line, for a shell.
std::string job_line(const Arguments& job_args) {
  std::string line = "fathom run";
  for (const auto& word : job_args) {
    if (word == "--showcmd") continue;
    const bool plain = word.find_first_of(" '\"\\$;&|<>*?()`") == std::string::npos;
    line += plain ? " " + word : " '" + word + "'";
  }
  return line;
}

Arguments controllers_of_vfio() {
  Arguments addresses;
  for (const auto& controller : nvme::pci::list_controllers(nvme::pci::Sysfs()))
    if (controller.driver == nvme::pci::kVfioDriver) addresses.push_back(controller.address);
  return addresses;
}

}  // namespace

// In addition to all options of a run and of a job: the relevant ones, with the defaults of perf_job().
const options::Manual& nvme_perf_manual() {
  static constexpr options::Row kRows[] = {kDeviceRow};
  static constexpr std::pair<std::string_view, std::string_view> kOfJobs[] = {{"iodepth", "128, of each device"},
                                                                              {"numjobs", "1"},
                                                                              {"cpus_allowed", ""},
                                                                              {"rw", "randread"},
                                                                              {"bs", "4k"},
                                                                              {"runtime", "10s"},
                                                                              {"ramp_time", "0"},
                                                                              {"rwmixread", "50"},
                                                                              {"rate_iops", ""},
                                                                              {"number_ios", "0"},
                                                                              {"size", ""},
                                                                              {"random_distribution", "random"},
                                                                              {"verify", "0"}};
  static const std::vector<options::Row> of_jobs = [] {
    std::vector<options::Row> rows;
    for (const auto& [name, fallback] : kOfJobs) rows.push_back(*job::find_option(name));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].texts.fallback = kOfJobs[i].second;
    return rows;
  }();
  static const std::vector<options::Group> groups = [] {
    std::vector<options::Group> all{{"", kRows}, {"options of a job (`fathom run --cmdhelp` lists all)", of_jobs}};
    all.insert(all.end(), job::switches().begin(), job::switches().end());
    return all;
  }();
  static const std::string after =
      "Each of --numjobs has its own queue pair on every device. Driver optimizations, to be disabled one by one:\n" +
      job::engine_option_help("nvme") +
      "\nNot supported: SGL, metadata and protection information, controller memory buffer, shadow doorbells, zoned\n"
      "namespaces, fabrics. Under the name spdk_nvme_perf it takes SPDK's options.\n";
  static const options::Manual manual{
      .command = "fathom nvme perf",
      .usage = "[--device=DEV ...] [options of `fathom run` and of a job]",
      .about =
          "Measures devices from user space. It runs a job of `fathom run` with these settings before yours: "
          "--rw=randread\n--bs=4k --iodepth=128 --runtime=10s --time_based --norandommap --group_reporting. Without "
          "--device it drives\n`soft`, an emulated controller; each further `soft` adds an emulated controller.\n",
      .groups = groups,
      .after = after,
      .beside = job::option_groups()};
  return manual;
}

int nvme_perf_command(std::span<const std::string> args) {
  if (asks_help(args)) return write_text(stdout, options::help_text(nvme_perf_manual())), kOk;
  const auto job_args = job::spdk::perf_job(args, session::controllers::join_devices);
  if (!job_args) return refuse(job_args.error(), "fathom nvme perf");
  if (std::count(args.begin(), args.end(), "--showcmd") > 0) return write_text(stdout, job_line(*job_args) + "\n"), kOk;
  Arguments called{"nvme", "perf"};
  called.insert(called.end(), args.begin(), args.end());
  return run_commands::run_command(*job_args, false, called);
}

int spdk_perf_command(std::span<const std::string> args) {
  constexpr const char* kName = "spdk_nvme_perf";
  if (asks_help(args)) return write_text(stdout, options::help_text(job::spdk::spdk_manual())), kOk;
  Arguments notes;
  const auto flags = job::spdk::read_spdk_command_line(args, controllers_of_vfio, notes);
  if (!flags) return refuse(flags.error(), kName);
  for (const auto& note : notes) write_text(stderr, fmt::format("{}: {}\n", kName, base::text::printable(note)));
  const auto job_args = job::spdk::perf_job(*flags, session::controllers::join_devices);
  if (!job_args) return refuse(job_args.error(), kName);
  Arguments called{kName};
  called.insert(called.end(), args.begin(), args.end());
  return run_commands::run_command(*job_args, false, called);
}

}  // namespace fathom::cli::nvme_commands
