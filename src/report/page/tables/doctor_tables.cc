// A problem is a line that unfolds, as a finding of a run is.
#include "report/page/tables/doctor_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/page/html.h"
#include "report/page/tables/blocks.h"

namespace fathom::report::page::tables {
namespace {

using result::Doctor;
using result::DoctorCheck;
using result::Severity;

std::string counted(std::size_t n, const char* one) { return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s"); }

std::string doctor_badge(const Doctor& doctor) {
  const auto with = [&](Severity severity) {
    return static_cast<std::size_t>(std::count_if(doctor.checks.begin(), doctor.checks.end(), [&](const auto& check) {
      return !check.ok() && check.severity == severity;
    }));
  };
  const auto warnings = with(Severity::warning) + with(Severity::error), notes = with(Severity::note);
  if (doctor.checks.empty()) return badge(Tone::unknown, "No check was made");
  if (warnings > 0) return badge(Tone::fair, counted(warnings, "warning"), counted(notes, "note"));
  return badge(Tone::good, "No warning", counted(notes, "note"));
}

std::string abilities_table(const Doctor& doctor) {
  Table table("", {"what", "can be measured", "because"});
  for (const auto& ability : doctor.abilities)
    table.cells({{ability.name}, ability.can() ? toned(Tone::good, "yes") : toned(Tone::bad, "no"), {ability.cause}});
  return table.html();
}

// The worst first.
std::string problems_html(const Doctor& doctor) {
  std::string out;
  for (const auto severity : {Severity::error, Severity::warning, Severity::note})
    for (const auto& check : doctor.checks) {
      if (check.ok() || check.severity != severity) continue;
      const auto cost = check.cost.empty() ? std::string() : labeled("Cost", check.cost);
      out += folded_finding({severity, fmt::format("{}: {}", check.name, check.text), ""},
                            cost + labeled("What to do", check.remedy));
    }
  return out.empty() ? "<p>No problem was found.</p>\n" : out;
}

Cell state_cell(const DoctorCheck& check) {
  if (check.ok()) return toned(Tone::good, "ok");
  return toned(check.severity == Severity::note ? Tone::neutral : Tone::fair, name(check.severity));
}

std::string checks_html(const Doctor& doctor) {
  std::string out;
  for (std::size_t i = 0; i < doctor.checks.size();) {
    const auto& heading = doctor.checks[i].heading;
    Table table(heading, {"check", "state", "found"});
    for (; i < doctor.checks.size() && doctor.checks[i].heading == heading; ++i) {
      const auto& check = doctor.checks[i];
      table.cells({{check.name}, state_cell(check), {check.text}});
    }
    out += table.html();
  }
  return out;
}

}  // namespace

std::string doctor_section(const Doctor& doctor, std::size_t number) {
  const auto can =
      std::count_if(doctor.abilities.begin(), doctor.abilities.end(), [](const auto& a) { return a.can(); });
  std::string out = doctor_badge(doctor);
  if (!doctor.abilities.empty())
    out += fmt::format("<p class=\"measured\">{} of {} things can be measured on this machine</p>\n", can,
                       doctor.abilities.size());
  out += paragraph(doctor.program);
  Sections sections(number);
  sections.add("Findings", problems_html(doctor));
  sections.add("Can measure", abilities_table(doctor));
  sections.add("Checks", checks_html(doctor));
  return first(out) + sections.html() + text_html(doctor);
}

}  // namespace fathom::report::page::tables
