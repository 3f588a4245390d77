// The table of log kinds, and the computation of their values.
#include "run/logs/log_kinds.h"
#include "base/files/place.h"

#include <fmt/format.h>

namespace fathom::run::logs {
namespace {

using Io = std::optional<std::uint64_t>;
using Window = std::optional<WindowValues>;

// In kB/s (1000 bytes): the size of this I/O divided by its completion latency.
Io bandwidth_of_io(const IoRow& row) {
  const auto clat_ns = row.latency_ns[std::size_t(LatencyKind::clat)];
  return clat_ns == 0 ? 0 : std::uint64_t{row.length_bytes} * 1'000'000 / clat_ns;
}
Io one(const IoRow&) { return 1; }

// The rate per second of `amount` in a window.
std::uint64_t rate(std::uint64_t amount, const WindowRow& row) {
  const std::uint64_t length_ns = std::max<std::uint64_t>(1, row.until_ns - row.from_ns);
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(amount) * 1'000'000'000 / length_ns);
}
// In KiB/s (1024 bytes).
Window bandwidth_of_window(const WindowRow& row) {
  const auto value = rate(row.bytes, row) / 1024;
  return WindowValues{value, value};
}
Window ios_of_window(const WindowRow& row) {
  const auto value = rate(row.ios, row);
  return WindowValues{value, value};
}

template <LatencyKind Kind>
Io latency_of_io(const IoRow& row) {
  const auto ns = row.latency_ns[std::size_t(Kind)];
  return ns == kNoLatency ? Io() : ns;
}
// The mean, rounded to the nearest ns.
template <LatencyKind Kind>
Window latency_of_window(const WindowRow& row) {
  const auto& l = row.latency[std::size_t(Kind)];
  if (l.ios == 0) return std::nullopt;
  return WindowValues{(l.sum_ns + l.ios / 2) / l.ios, l.max_ns};
}

bool always(const job::Job&) { return true; }
bool unless_reduced(const job::Job& job) { return !job.gtod_reduce; }
bool bw_sampled(const job::Job& job) { return !job.gtod_reduce && !job.disable_bw; }
bool has_slat(const job::Job& job) { return !job.gtod_reduce && !job.disable_slat; }
bool has_clat(const job::Job& job) { return !job.gtod_reduce && !job.disable_clat; }
bool has_lat(const job::Job& job) { return !job.gtod_reduce && !job.disable_lat; }
// With a polling kernel thread, fathom makes no system call to submit.
bool submits(const job::Job& job) { return has_slat(job) && !job.engine.kernel_submits; }

constexpr LogKind kKinds[] = {
    {"bw", &job::fields::Logs::bw, always, bw_sampled, bandwidth_of_io, bandwidth_of_window, false},
    {"iops", &job::fields::Logs::iops, always, unless_reduced, one, ios_of_window, false},
    {"slat", &job::fields::Logs::lat, has_slat, submits, latency_of_io<LatencyKind::slat>,
     latency_of_window<LatencyKind::slat>, true},
    {"clat", &job::fields::Logs::lat, has_clat, has_clat, latency_of_io<LatencyKind::clat>,
     latency_of_window<LatencyKind::clat>, true},
    {"lat", &job::fields::Logs::lat, has_lat, has_lat, latency_of_io<LatencyKind::lat>,
     latency_of_window<LatencyKind::lat>, false},
};

}  // namespace

std::span<const LogKind> log_kinds() { return kKinds; }

std::optional<LogLine> line_of(const LogKind& kind, const IoRow& row, std::uint64_t epoch_ms) {
  const auto value = kind.of_io(row);
  if (!value) return std::nullopt;
  LogLine line{
      row.at_ns / kMillisecond_ns + epoch_ms, *value, *value, row.dir, row.prio, row.length_bytes, row.offset_bytes, 0};
  const auto clat_ns = row.latency_ns[std::size_t(LatencyKind::clat)];
  if (kind.issue_times && clat_ns <= row.at_ns) line.issue_ns = row.at_ns - clat_ns;
  return line;
}

std::optional<LogLine> line_of(const LogKind& kind, const WindowRow& row, job::fields::WindowValue value,
                               std::uint64_t epoch_ms) {
  const auto values = kind.of_window(row);
  if (!values) return std::nullopt;
  const bool maximum = value == job::fields::WindowValue::maximum;
  return LogLine{row.until_ns / kMillisecond_ns + epoch_ms, maximum ? values->maximum : values->average,
                 values->maximum, row.dir};
}

LogColumns columns_of(const job::fields::Logs& logs) {
  return {logs.avg_msec != 0 && logs.window_value == job::fields::WindowValue::both, logs.offset, logs.prio,
          logs.issue_time};
}

std::string log_name(std::string_view prefix, std::string_view suffix, const job::Job& job, std::size_t number,
                     bool compressed) {
  const auto& logs = job.of<job::fields::Logs>();
  const std::string of_job = logs.per_job ? fmt::format(".{}", number) : "";
  return fmt::format("{}_{}{}.log{}", prefix.empty() ? base::files::file_name_of(job.name) : std::string(prefix),
                     suffix, of_job, compressed ? ".fz" : "");
}

std::vector<std::string> log_names(const job::Job& job, std::size_t number) {
  const auto& logs = job.of<job::fields::Logs>();
  std::vector<std::string> names;
  for (const auto& kind : kKinds)
    if (logs.*kind.prefix && kind.written(job))
      names.push_back(log_name(*(logs.*kind.prefix), kind.suffix, job, number, logs.store_compressed));
  if (!logs.iolog.empty()) names.push_back(logs.iolog);
  if (logs.hist) names.push_back(log_name(*logs.hist, kHistogramSuffix, job, number, false));
  return names;
}

}  // namespace fathom::run::logs
