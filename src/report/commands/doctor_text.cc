// `fathom doctor`: what can be measured, then a line per check under its heading, with cost and help of a problem.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/printable.h"
#include "report/formats.h"

namespace fathom::report {
namespace {

std::string ability_text(const result::DoctorAbility& ability) {
  const std::string name = base::text::printable(ability.name);
  if (ability.can()) return fmt::format("  yes      {}\n", name);
  return fmt::format("  no       {}\n           because {}\n", name, base::text::printable(ability.cause));
}

std::string check_text(const result::DoctorCheck& check, std::size_t width) {
  const std::string name = base::text::printable(check.name), text = base::text::printable(check.text);
  std::string out =
      fmt::format("  {:<7}  {:<{}}  {}\n", check.ok() ? "ok" : result::name(check.severity), name, width, text);
  if (!check.cost.empty()) out += fmt::format("           cost: {}\n", base::text::printable(check.cost));
  if (!check.ok()) out += fmt::format("           help: {}\n", base::text::printable(check.remedy));
  return out;
}

}  // namespace

std::string doctor_text(const result::Doctor& doctor) {
  std::string out = base::text::printable(doctor.program) + "\n";
  if (!doctor.abilities.empty()) out += "\ncan measure\n";
  for (const auto& ability : doctor.abilities) out += ability_text(ability);
  std::size_t width = 0;
  for (const auto& check : doctor.checks) width = std::max(width, base::text::printable(check.name).size());
  std::string heading;
  for (const auto& check : doctor.checks) {
    if (check.heading != heading) out += "\n" + base::text::printable(check.heading) + "\n";
    heading = check.heading;
    out += check_text(check, width);
  }
  return out;
}

}  // namespace fathom::report
