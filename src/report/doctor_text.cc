// `fathom doctor`: a line a check, `ok` or `doubt`, with what to do about a doubt.
#include <fmt/format.h>

#include <algorithm>

#include "report/formats.h"

namespace fathom::report {

std::string doctor_text(const result::Doctor& doctor) {
  std::size_t width = 0;
  for (const auto& check : doctor.checks) width = std::max(width, check.name.size());
  std::string out = doctor.program + "\n";
  for (const auto& check : doctor.checks) {
    out += fmt::format("  {:<7}  {:<{}}  {}\n", check.ok() ? "ok" : "warning", check.name, width, check.text);
    if (!check.ok()) out += fmt::format("         {:<{}}  help: {}\n", "", width, check.remedy);
  }
  return out;
}

}  // namespace fathom::report
