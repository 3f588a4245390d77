// The front door and the visible table of subcommands.
#include "cli/front_door.h"

#include "cli/clock_command.h"
#include "cli/doctor_command.h"
#include "cli/help.h"
#include "cli/nvme_command.h"
#include "cli/paging_command.h"
#include "cli/pmu_command.h"
#include "cli/report_command.h"
#include "cli/run_command.h"

namespace fathom::cli {
namespace {

constexpr Subcommand kSubcommands[] = {
    {"run", "run jobs: fio's job files and options",
     [](std::span<const std::string> args) { return run_command(args, false); }},
    {"version", "print the version", [](std::span<const std::string>) { return version_command(); }},
    {"help", "print help; `help run` for the options of a run", help_command},
    {"clock", "test and compare clock sources", clock_command},
    {"nvme", "drive an NVMe device from user space", nvme_command},
    {"paging", "measure what page faults cost, and whose time it is", paging_command},
    {"pmu", "read hardware and kernel counters", pmu_command},
    {"report", "print a stored result again", report_command},
    {"compare", "compare two results", nullptr},
    {"sweep", "run a job over a range of loads", nullptr},
    {"doctor", "say what this machine lets fathom measure", doctor_command},
    {"completion", "print completions for bash, zsh or fish", completion_command},
};

}  // namespace

std::span<const Subcommand> subcommands() { return kSubcommands; }

Entry choose_door(std::string_view program, std::span<const std::string> args,
                  const std::function<bool(const std::string&)>& is_file) {
  const std::string_view base =
      program.substr(program.rfind('/') == std::string_view::npos ? 0 : program.rfind('/') + 1);
  std::vector<std::string> all(args.begin(), args.end());
  if (base == "fio") return {Door::fio, "fio", std::move(all)};
  if (base == "spdk_nvme_perf") return {Door::spdk_perf, "spdk_nvme_perf", std::move(all)};
  if (base == "pmbench") return {Door::pmbench, "pmbench", std::move(all)};
  if (args.empty()) return {Door::nothing, "", {}};
  const std::string& first = args[0];
  std::vector<std::string> rest(args.begin() + 1, args.end());
  if (first == "--version" || first == "-v") return {Door::subcommand, "version", std::move(rest)};
  if (first == "--help" || first == "-h") return {Door::subcommand, "help", std::move(rest)};
  if (first.size() > 1 && first[0] == '-') return {Door::fio, "fio", std::move(all)};
  for (const auto& s : kSubcommands)
    if (s.name == first) return {Door::subcommand, first, std::move(rest)};
  if (first == "-" || is_file(first)) return {Door::fio, "fio", std::move(all)};
  return {Door::unknown, first, std::move(rest)};
}

}  // namespace fathom::cli
