// Rendering the status line.
#include "live/status_line.h"

#include <fmt/format.h>

#include "base/text/unit_text.h"

namespace fathom::live {
namespace {

// As fio: 128MiB/s, 1.50GiB/s.
std::string rates(const double (&values)[3], std::span<const base::text::UnitStep> scale, const char* suffix) {
  std::string out;
  constexpr char kLetters[] = {'r', 'w', 't'};
  for (int d = 0; d < 3; ++d) {
    if (values[d] <= 0) continue;
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", kLetters[d], base::text::unit_text(values[d], scale));
  }
  return out.empty() ? "" : fmt::format("[{}{}]", out, suffix);
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

std::string status_line(const Snapshot& s) {
  std::string out = fmt::format("Jobs: {} (f={}): [{}][{:.1f}%]", s.jobs_running, s.open_files,
                                condense_states(s.states), s.eta_known ? 100.0 * s.done_share : 0.0);
  out += rates(s.bytes_per_s, base::text::kByteRateStatus, "");
  out += rates(s.ios_per_s, base::text::kRateStatus, " IOPS");
  if (s.eta_known) {
    const auto hours = s.eta_s / 3600;
    out += hours > 0 ? fmt::format("[eta {:02}h:{:02}m:{:02}s]", hours, s.eta_s / 60 % 60, s.eta_s % 60)
                     : fmt::format("[eta {:02}m:{:02}s]", s.eta_s / 60, s.eta_s % 60);
  } else {
    out += "[eta --]";
  }
  return out;
}

std::string layout_line(const std::string& job, std::uint64_t files, std::uint64_t done_bytes,
                        std::uint64_t total_bytes) {
  return fmt::format(
      "{}: Laying out IO file{} ({} file{} / {}MiB) {:.0f}%", job, files == 1 ? "" : "s", files, files == 1 ? "" : "s",
      total_bytes >> 20,
      total_bytes == 0 ? 100.0 : 100.0 * static_cast<double>(done_bytes) / static_cast<double>(total_bytes));
}

}  // namespace fathom::live
