// The tables of commands, and the functions on them.
#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <deque>

#include "base/nearest.h"
#include "cli/bundle_commands/bundle_command.h"
#include "cli/clock_commands/clock_sources.h"
#include "cli/clock_commands/clock_test.h"
#include "cli/clock_commands/doctor_command.h"
#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/history_commands/history_command.h"
#include "cli/manuals.h"
#include "cli/nvme_commands/nvme_command.h"
#include "cli/paging_commands/paging_command.h"
#include "cli/pmu_commands/pmu_list.h"
#include "cli/pmu_commands/pmu_stat.h"
#include "cli/report_commands/compare_command.h"
#include "cli/report_commands/report_command.h"
#include "cli/run_commands/run_command.h"
#include "cli/show_error.h"
#include "cli/subcommand.h"
#include "cli/sweep_commands/sweep_command.h"
#include "cli/terminal.h"
#include "cli/trace_commands/trace_command.h"
#include "job/spdk/spdk_command_line.h"
#include "paging_job/command_line.h"
#include "paging_job/learn.h"
#include "paging_job/pmbench.h"

namespace fathom::cli {
namespace {

constexpr Command kClock[] = {
    {"test", "test whether the CPUs' counters agree, and show the smallest offset that the test detects",
     clock_commands::clock_test_command, clock_commands::clock_test_manual},
    {"sources", "measure read cost and resolution of each clock; show which one a run uses, and why",
     clock_commands::clock_sources_command, clock_commands::clock_sources_manual},
};
constexpr Command kHistory[] = {
    {"list", "list runs, newest first", history_commands::history_list_command, history_commands::history_list_manual},
    {"show", "print the report of a run in any format", history_commands::history_show_command,
     history_commands::history_show_manual},
    {"add", "add stored results", history_commands::history_add_command, history_commands::history_add_manual},
    {"tag", "give a run a tag", history_commands::history_tag_command, history_commands::history_tag_manual},
    {"compare", "compare runs, or all runs of tags", history_commands::history_compare_command,
     history_commands::history_compare_manual},
    {"check", "find changes; exit with 1 if the newest runs are worse", history_commands::history_check_command,
     history_commands::history_check_manual},
    {"delete", "delete runs", history_commands::history_delete_command, history_commands::history_delete_manual},
};
constexpr Command kNvme[] = {
    {"list", "list NVMe controllers with their drivers and uses", nvme_commands::nvme_list_command,
     nvme_commands::nvme_list_manual},
    {"identify", "print Identify data of a controller or a namespace", nvme_commands::nvme_identify_command,
     nvme_commands::nvme_identify_manual},
    {"log", "print a log page: error, smart, firmware, changed-ns", nvme_commands::nvme_log_command,
     nvme_commands::nvme_log_manual},
    {"setup", "reserve huge pages; list what else a user-space driver needs", nvme_commands::nvme_setup_command,
     nvme_commands::nvme_setup_manual},
    {"bind", "bind a controller to vfio-pci", nvme_commands::nvme_bind_command, nvme_commands::nvme_bind_manual},
    {"unbind", "return a controller to the kernel's nvme driver", nvme_commands::nvme_unbind_command,
     nvme_commands::nvme_unbind_manual},
    {"perf", "measure devices with options instead of a job file", nvme_commands::nvme_perf_command,
     nvme_commands::nvme_perf_manual},
    {"serve", "export the emulated controller over vfio-user", nvme_commands::nvme_serve_command,
     nvme_commands::nvme_serve_manual},
};
constexpr Command kPaging[] = {
    {"run", "touch memory under pressure and time each access (default)", paging_commands::paging_run_command,
     paging_job::run_manual},
    {"breakdown", "measure the cost of a major fault on several swap devices: device part and kernel part",
     paging_commands::paging_breakdown_command, paging_job::breakdown_manual},
    {"learn", "observe a process; write a profile for --pattern=profile:FILE", paging_commands::paging_learn_command,
     paging_job::learn_manual},
    {"cleanup", "remove what killed runs left: swap, cgroups, settings", paging_commands::paging_cleanup_command,
     paging_commands::paging_cleanup_manual},
};
constexpr Command kPmu[] = {
    {"list", "list PMUs and events, and the event that counts a PCIe port's bytes", pmu_commands::pmu_list,
     pmu_commands::pmu_list_manual},
    {"stat", "count events while a command runs, as perf stat does; add bytes and MB/s", pmu_commands::pmu_stat,
     pmu_commands::pmu_stat_manual},
};
constexpr Command kTrace[] = {
    {"convert", "convert a trace to fio's iolog, version 3, and summarize it", trace_commands::trace_convert_command,
     trace_commands::trace_convert_manual},
    {"summary", "print mix, sizes, times, depth and footprint of a trace", trace_commands::trace_summary_command,
     trace_commands::trace_summary_manual},
    {"to-job", "write a job file with the shape of a trace", trace_commands::trace_to_job_command,
     trace_commands::trace_to_job_manual},
};

constexpr Command kCommands[] = {
    {"run", "run jobs: fio's job files and options",
     [](std::span<const std::string> args) { return run_commands::run_command(args, false); }, run_manual},
    {"version", "print the version", [](std::span<const std::string>) { return version_command(); }},
    {.name = "help",
     .summary = "print help: `help COMMAND`, `help finding ID`",
     .run = help_command,
     .arguments =
         "run report compare sweep history trace bundle verify-bundle rerun paging nvme pmu clock doctor finding"},
    {.name = "clock",
     .summary = "test and compare clock sources",
     .actions = kClock,
     .noun = "subcommand",
     .head = "usage: fathom clock SUBCOMMAND [options]\n\n",
     .tail = "\n`fathom clock SUBCOMMAND --help` lists its options.\n"},
    {.name = "nvme",
     .summary = "drive NVMe controllers from user space",
     .actions = kNvme,
     .noun = "subcommand",
     .head = "usage: fathom nvme SUBCOMMAND [options]\n\n"
             "Drives NVMe controllers from user space: polled, one queue pair per thread, no system call on the I/O "
             "path.\n\n",
     .tail =
         "\ndevices\n"
         "  soft[:options]           an emulated controller in this process: no hardware, no root\n"
         "  [dddd:]bb:dd.f[/ns]      a PCI address, bound to vfio-pci\n"
         "  vfio-user:SOCKET[/ns=N]  a controller that another process serves\n\n"
         "Not supported: SGL, metadata and protection information, controller memory buffer, shadow doorbells, zoned\n"
         "namespaces, fabrics, a block device.\n\n"
         "`fathom nvme SUBCOMMAND --help` lists its options.\n"},
    {.name = "paging",
     .summary = "measure page-fault latency",
     .run = paging_commands::paging_run_command,
     .manual = paging_job::run_manual,
     .actions = kPaging,
     .noun = "action",
     .head = "\nactions\n",
     .tail = "\n`fathom paging ACTION --help` lists its options. docs/paging.md explains the report.\n"},
    {.name = "pmu",
     .summary = "list and count hardware and kernel events",
     .actions = kPmu,
     .noun = "action",
     .head = "usage: fathom pmu ACTION [options]\n\n"
             "Lists and counts events of the processor, of PCIe ports and of the kernel through perf events.\n\n",
     .tail = "\n`fathom pmu ACTION --help` lists its options.\n"},
    {.name = "trace",
     .summary = "convert and summarize recorded I/O traces",
     .actions = kTrace,
     .noun = "action",
     .head = "usage: fathom trace ACTION [options] FILE...\n\n"
             "Reads recorded I/O traces: fio's iologs, blktrace, blkparse, strace, biosnoop, and public block traces "
             "(MSR, SPC,\nAlibaba, Tencent).\n\n",
     .tail = "\n`fathom trace ACTION --help` lists its options. docs/trace.md explains them.\n"},
    {"report", "print a stored result in any format", report_commands::report_command, report_commands::report_manual},
    {"compare", "find out whether results differ, and by how much", report_commands::compare_command,
     report_commands::compare_manual},
    {"sweep", "find the highest load that meets a latency limit", sweep_commands::sweep_command,
     sweep_commands::sweep_manual},
    {.name = "history",
     .summary = "keep runs in a file, and find out when they became slower",
     .actions = kHistory,
     .noun = "action",
     .head = "usage: fathom history ACTION [options]\n\n"
             "Lists, compares and checks the runs that `fathom run --keep` and `fathom history add` stored.\n\n",
     .tail = "\n`fathom history ACTION --help` lists its options. docs/history.md explains them.\n"},
    {"bundle", "write a result, its job and logs as one file with checksums", bundle_commands::bundle_command,
     bundle_commands::bundle_manual},
    {"verify-bundle", "check the checksums and the signature of a bundle", bundle_commands::verify_bundle_command,
     bundle_commands::verify_bundle_manual},
    {"rerun", "run the job of a bundle", bundle_commands::rerun_command, bundle_commands::rerun_manual},
    {"doctor", "show what this machine lets fathom measure", clock_commands::doctor_command,
     clock_commands::doctor_manual},
    {.name = "completion",
     .summary = "print completions for bash, zsh or fish",
     .run = completion_command,
     .arguments = "bash zsh fish"},
};

bool is_built(const Command& command) { return command.run != nullptr || !command.actions.empty(); }

int unknown(const Command& family, const std::string& word) {
  const auto program = fmt::format("fathom {}", family.name);
  std::vector<std::string_view> names;
  for (const auto& action : family.actions) names.push_back(action.name);
  show_error(
      usage_error(fmt::format("no {} `{} {}`", family.noun, family.name, word), "",
                  base::did_you_mean(word, names, fmt::format("`{} --help` lists them", program), program + " ")),
      program);
  return kUsage;
}

// A manual is named after the words that call its command; `paging` alone is `paging run`.
void add_manuals(std::vector<options::Manual>& all, const std::string& before, std::span<const Command> commands) {
  static std::deque<std::string> called;
  for (const auto& command : commands) {
    if (!is_built(command)) continue;
    const auto& name = called.emplace_back(fmt::format("{} {}", before, command.name));
    if (command.manual || command.actions.empty()) all.push_back(command.manual ? command.manual() : options::Manual{});
    if (command.manual || command.actions.empty()) all.back().command = name;
    for (const auto word : options::items_in(command.arguments))
      all.push_back({.command = called.emplace_back(fmt::format("{} {}", name, word))});
    add_manuals(all, name, command.actions);
  }
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

const Command* find_command(std::span<const Command> commands, std::string_view name) {
  const auto found = std::find_if(commands.begin(), commands.end(), [&](const auto& c) { return c.name == name; });
  return found == commands.end() ? nullptr : &*found;
}

std::string command_lines(std::span<const Command> commands) {
  std::size_t width = 0;
  for (const auto& command : commands) width = std::max(width, command.name.size());
  std::string lines;
  for (const auto& command : commands)
    lines += fmt::format("  {:<{}}  {}{}\n", command.name, width, command.summary,
                         is_built(command) ? "" : " (not supported yet)");
  return lines;
}

std::string overview(const Command& command) {
  std::string out = command.manual ? options::help_text(command.manual()) : "";
  return out.append(command.head).append(command_lines(command.actions)).append(command.tail);
}

int run_command_of(const Command& command, std::span<const std::string> args) {
  if (args.empty()) return write_text(stderr, overview(command)), kUsage;
  if (const auto* action = find_command(command.actions, args[0])) return action->run(args.subspan(1));
  if (args[0] == "--help" || args[0] == "-h" || args[0] == "help")
    return print_out(overview(command), fmt::format("fathom {}", command.name));
  if (command.run && args[0].starts_with('-')) return command.run(args);
  return unknown(command, args[0]);
}

std::vector<options::Manual> manuals() {
  std::vector<options::Manual> all;
  add_manuals(all, "fathom", kCommands);
  all.push_back(paging_job::pmbench_manual());
  all.push_back(job::spdk::spdk_manual());
  return all;
}

}  // namespace fathom::cli
