// A doubt is no failure: the exit status is 0.
#include "cli/clock_commands/doctor_command.h"

#include "cli/help.h"
#include "cli/manuals.h"
#include "cli/subcommand.h"
#include "options/rows.h"
#include "report/document.h"
#include "report/formats.h"
#include "session/clocks/doctor.h"

namespace fathom::cli::clock_commands {
namespace {

constexpr options::Row kDoctorRows[] = {options::noted({"json", "", "print JSON"})};
constexpr options::Group kDoctorOptions[] = {{"", kDoctorRows}};
constexpr Manual kDoctorManual{
    "fathom doctor", "[--json]",
    "Shows what this machine lets fathom measure: the state of its clock, and the overhead of fathom.\n"
    "One line per check: `ok`, or `warning` with help.\n",
    kDoctorOptions};

}  // namespace

const options::Manual& doctor_manual() { return kDoctorManual; }

int doctor_command(std::span<const std::string> args) {
  return with_options(kDoctorManual, args, [](const Given& given) -> base::Expected<std::string> {
    if (!given.arguments.empty()) return usage_error("`" + given.arguments[0] + "`: doctor takes no arguments", "", "");
    auto examined = session::clocks::examine_machine();
    examined.program = version_line();
    const auto found = report::as_stored(std::move(examined));
    return given.has("json") ? report::doctor_json(found) : report::doctor_text(found);
  });
}

}  // namespace fathom::cli::clock_commands
