// Formats the status line.
#include "live/status_line.h"

#include <fmt/format.h>

#include "base/text/unit_text.h"

namespace fathom::live {
namespace {

// As in fio: 128MiB/s, 1.50GiB/s.
std::string rates(const double (&values)[3], std::span<const base::text::UnitStep> scale, const char* suffix) {
  std::string out;
  constexpr char kLetters[] = {'r', 'w', 't'};
  for (int d = 0; d < 3; ++d) {
    if (values[d] <= 0) continue;
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", kLetters[d], base::text::unit_text(values[d], scale));
  }
  return out.empty() ? "" : fmt::format("[{}{}]", out, suffix);
}

std::string jobs_and_share(const run::Progress& p) {
  return fmt::format("Jobs: {} (f={}): [{}][{:.1f}%]", p.jobs_running, p.open_files, condense_states(p.states),
                     p.eta_known ? 100.0 * p.done_share : 0.0);
}

std::string eta(const run::Progress& p) {
  if (!p.eta_known) return "[eta --]";
  const auto hours = p.eta_s / 3600;
  return hours > 0 ? fmt::format("[eta {:02}h:{:02}m:{:02}s]", hours, p.eta_s / 60 % 60, p.eta_s % 60)
                   : fmt::format("[eta {:02}m:{:02}s]", p.eta_s / 60, p.eta_s % 60);
}

}  // namespace

std::string condense_states(const std::string& states) {
  std::string out;
  for (std::size_t i = 0; i < states.size();) {
    std::size_t end = i;
    while (end < states.size() && states[end] == states[i]) ++end;
    out += fmt::format("{}{}({})", out.empty() ? "" : ",", states[i], end - i);
    i = end;
  }
  return out;
}

std::string status_line(const run::Progress& p) {
  return jobs_and_share(p) + rates(p.bytes_per_s, base::text::kByteRateStatus, "") +
         rates(p.ios_per_s, base::text::kRateStatus, " IOPS") + eta(p);
}

std::string status_line_without_rates(const run::Progress& p) { return jobs_and_share(p) + eta(p); }

std::string layout_line(const run::files::LayoutProgress& p) {
  return fmt::format(
      "{}: Laying out IO file{} ({} file{} / {}MiB) {:.0f}%", p.job, p.files == 1 ? "" : "s", p.files,
      p.files == 1 ? "" : "s", p.total_bytes >> 20,
      p.total_bytes == 0 ? 100.0 : 100.0 * static_cast<double>(p.done_bytes) / static_cast<double>(p.total_bytes));
}

}  // namespace fathom::live
