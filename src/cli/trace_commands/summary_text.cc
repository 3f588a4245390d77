// A trace's summary, as text for people.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text/printable.h"
#include "base/text/unit_text.h"
#include "cli/trace_commands/trace_input.h"
#include "stats/percentiles.h"

namespace fathom::cli::trace_commands {
namespace {

using base::text::with_commas;
using trace::Action;
using trace::sums::Summary;

constexpr struct {
  Action action;
  const char* name;
} kKinds[] = {{Action::read, "read"},
              {Action::write, "write"},
              {Action::trim, "trim"},
              {Action::sync, "sync"},
              {Action::datasync, "datasync"}};

std::string count_text(std::uint64_t n) { return with_commas(static_cast<double>(n), false); }
std::string bytes_text(std::uint64_t bytes) {
  return base::text::unit_text(static_cast<double>(bytes), base::text::kBytesThree);
}
std::string time_text(double ns) { return base::text::unit_text(ns, base::text::kTimeExact); }
double percent_of(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
}

// "4 KiB 62.0 %, 8 KiB 30.1 %, 12 others": at most four sizes.
std::string sizes_text(const Summary& summary, Action action) {
  constexpr std::size_t kShown = 4;
  const auto sizes = summary.sizes(action);
  const auto ios = summary.kind(action).ios;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(sizes.size(), kShown); ++i)
    parts.push_back(fmt::format("{} {:.1f} %", base::text::size_text(sizes[i].bytes), percent_of(sizes[i].ios, ios)));
  if (sizes.size() > kShown)
    parts.push_back(fmt::format("{}{} other sizes", sizes.size() == Summary::kMostSizes ? "more than " : "",
                                count_text(sizes.size() - kShown)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string mix_text(const Summary& summary) {
  std::string text;
  for (const auto& [action, name] : kKinds) {
    const auto& kind = summary.kind(action);
    if (kind.ios == 0) continue;
    text += fmt::format("  {:<14}{} ({:.1f} %)", name, count_text(kind.ios), percent_of(kind.ios, summary.ios()));
    if (trace::moves_bytes(action))
      text += fmt::format(", {}; {}; {:.1f} % sequential", bytes_text(kind.bytes), sizes_text(summary, action),
                          percent_of(kind.sequential, kind.ios));
    text += "\n";
  }
  if (summary.flushes() > 0) text += fmt::format("  {:<14}{} writes\n", "flush first", count_text(summary.flushes()));
  if (summary.fua() > 0) text += fmt::format("  {:<14}{} writes\n", "FUA", count_text(summary.fua()));
  return text;
}

std::string times_text(const char* label, const trace::sums::Times& times) {
  if (times.seen.n == 0) return fmt::format("  {:<14}not known\n", label);
  const stats::Histogram histogram(*times.buckets);
  const auto at = [&](double p) {
    return time_text(static_cast<double>(stats::percentile_within(histogram, times.seen, p)));
  };
  return fmt::format("  {:<14}mean {}, p50 {}, p99 {}, max {}\n", label, time_text(times.seen.mean()), at(50), at(99),
                     time_text(static_cast<double>(times.seen.max)));
}

std::string footprint_text(const Summary& summary) {
  const auto& footprint = summary.footprint();
  const auto touched = summary.kind(Action::read).bytes + summary.kind(Action::write).bytes;
  auto text = fmt::format("  {:<14}{}{} in blocks of 4 KiB", "footprint", footprint.is_exact() ? "" : "about ",
                          bytes_text(footprint.bytes()));
  if (footprint.bytes() > 0)
    text += fmt::format("; I/Os move {:.2f} times as much",
                        static_cast<double>(touched) / static_cast<double>(footprint.bytes()));
  if (summary.large() > 0) text += fmt::format("; {} I/Os above 64 MiB not counted", count_text(summary.large()));
  return text + "\n";
}

}  // namespace

std::string summary_text(const Summary& summary, const trace::Reader& reader) {
  const auto seconds = static_cast<double>(summary.duration_ns()) / 1e9;
  std::string text = fmt::format("trace: {}, {} I/Os, {}, {} {}\n", reader.traits().format, count_text(summary.ios()),
                                 bytes_text(summary.bytes()), count_text(reader.files().size()),
                                 reader.files().size() == 1 ? "file" : "files");
  text += mix_text(summary);
  if (summary.ios() == 0) return text;
  text += fmt::format("  {:<14}{}", "duration", base::text::duration_text(static_cast<double>(summary.duration_ns())));
  // A rate of less than a second would state more than was recorded.
  if (seconds >= 1)
    text += fmt::format(
        "; {} I/Os per second, {} in the busiest second",
        with_commas(static_cast<double>(summary.ios()) / seconds, seconds > static_cast<double>(summary.ios()) / 100),
        count_text(summary.busiest_second()));
  text += "\n" + times_text("inter-arrival", summary.gaps());
  text += times_text("response", summary.responses());
  text += summary.depth().most() == 0
              ? fmt::format("  {:<14}not known: the trace has no completions\n", "depth")
              : fmt::format("  {:<14}mean {:.2f}, max {}{}\n", "depth", summary.depth().mean(),
                            summary.depth().most() == trace::DepthMeter::kMost ? "more than " : "",
                            count_text(summary.depth().most()));
  return text + footprint_text(summary) + reader_text(reader);
}

std::string reader_text(const trace::Reader& reader) {
  std::string text;
  for (const auto& row : reader.skipped())
    text +=
        fmt::format("  {:<14}{} records: {} (first: {})\n", "skipped", count_text(row.records), row.reason, row.first);
  if (reader.times_back() > 0)
    text += fmt::format("  {:<14}{} records have a time before that of the record in front\n", "times back",
                        count_text(reader.times_back()));
  for (const auto& note : reader.notes()) text += fmt::format("  {:<14}{}\n", "note", base::text::printable(note));
  return text;
}

}  // namespace fathom::cli::trace_commands
