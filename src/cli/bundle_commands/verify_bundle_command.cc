// The answer is printed in each case; the exit status is 1 if the bundle did not pass.
#include <fmt/format.h>

#include "base/text/printable.h"
#include "cli/bundle_commands/bundle_command.h"
#include "cli/bundle_commands/opened.h"
#include "cli/exit_codes.h"
#include "cli/manuals.h"
#include "cli/report_commands/report_file.h"
#include "cli/report_commands/text_formats.h"
#include "cli/show_error.h"
#include "cli/subcommand.h"
#include "options/rows.h"

namespace fathom::cli::bundle_commands {
namespace {

struct VerifyAsked {
  std::string key, formats = "text";
};

constexpr options::Row kVerifyRows[] = {
    options::text<&VerifyAsked::key>(kKeyRow),
    options::text<&VerifyAsked::formats>({"output-format=LIST", "text", "text, json, or a comma list"}),
};
constexpr options::Group kVerifyOptions[] = {{"", kVerifyRows}};

base::Expected<int> verify(const Given& given, const VerifyAsked& asked) {
  if (given.arguments.size() != 1)
    return usage_error(given.arguments.empty()
                           ? std::string("no bundle is given")
                           : fmt::format("unexpected argument `{}`", base::text::printable(given.arguments[1])),
                       "", "write `fathom verify-bundle FILE.zip`");
  const auto formats = report_commands::formats_named(asked.formats, result::BundleCheck());
  if (!formats) return formats.error();
  auto opened = read_bundle(given.arguments[0], asked.key);
  if (!opened) return opened.error();
  const bool passed = opened->check.passed();
  report_commands::ReportFile standard_output;
  if (auto ok = report_commands::write_reports_to(standard_output, *formats, std::move(opened->check), true); !ok)
    return ok.error();
  return static_cast<int>(passed ? kOk : kCheckFailed);
}

}  // namespace

const options::Manual& verify_bundle_manual() {
  static constexpr Manual kManual{
      "fathom verify-bundle", "[OPTIONS] FILE.zip",
      "Compares each member of a bundle with the checksum in its manifest. With --key, the manifest must be signed by\n"
      "that key; without it, the maker of the bundle stays unknown. Nothing is unpacked to a disk.\n"
      "The exit status is 0 if the bundle passed, 1 if it did not, 2 if the file is not a bundle.\n",
      kVerifyOptions};
  return kManual;
}

int verify_bundle_command(std::span<const std::string> args) {
  const Manual& manual = verify_bundle_manual();
  VerifyAsked asked;
  const auto given = options::read_command_line(manual, args, options::Targets(asked));
  if (given && given->help) return print_out(options::help_text(manual), manual.command);
  const auto status = given ? verify(*given, asked) : base::Expected<int>(given.error());
  if (status) return *status;
  show_error(given ? given->placed(status.error()) : status.error(), manual.command);
  return exit_code(status.error(), false);
}

}  // namespace fathom::cli::bundle_commands
