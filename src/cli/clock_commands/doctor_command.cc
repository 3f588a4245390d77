// A problem is no failure: the exit status is 0.
#include "cli/clock_commands/doctor_command.h"

#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/manuals.h"
#include "cli/report_commands/report_file.h"
#include "cli/subcommand.h"
#include "options/rows.h"
#include "report/document.h"
#include "report/formats.h"
#include "session/doctor/examine.h"

namespace fathom::cli::clock_commands {
namespace {

constexpr options::Row kDoctorRows[] = {options::noted({"json", "", "print JSON"})};
constexpr options::Group kDoctorOptions[] = {{"", kDoctorRows}};
constexpr Manual kDoctorManual{
    "fathom doctor", "[--json]",
    "Shows what this machine lets fathom measure, and what each missing thing costs: clock, overhead, permissions,\n"
    "limits, counters and traces, processor, memory, disks, NVMe from user space.\n"
    "One line per check: `ok`, `note` (it limits what can be measured) or `warning` (it affects the numbers of usual\n"
    "runs), with its cost and help. The exit status is 0 in each case.\n",
    kDoctorOptions};

base::Expected<void> examine(const Given& given) {
  if (!given.arguments.empty()) return usage_error("`" + given.arguments[0] + "`: doctor takes no arguments", "", "");
  auto examined = session::doctor::examine_machine();
  examined.program = version_line();
  const auto found = report::as_stored(std::move(examined));
  report_commands::ReportFile standard_output;
  return given.has("json") ? standard_output.write(report::doctor_json(found))
                           : standard_output.write_for_people(report::doctor_text(found));
}

}  // namespace

const options::Manual& doctor_manual() { return kDoctorManual; }

int doctor_command(std::span<const std::string> args) {
  return with_options(kDoctorManual, args, [](const Given& given) -> base::Expected<std::string> {
    if (auto ok = examine(given); !ok) return ok.error();
    return std::string();
  });
}

}  // namespace fathom::cli::clock_commands
