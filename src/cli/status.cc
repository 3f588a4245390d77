// The status line's printer.
#include "cli/status.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/printable.h"
#include "cli/terminal.h"
#include "live/settle_line.h"
#include "live/status_line.h"

namespace fathom::cli {
namespace {

bool only_text(const job::Command& command) {
  return !command.output.empty() || (command.output_formats.size() == 1 && command.output_formats[0] == "normal");
}

live::Snapshot snapshot_of(const run::Progress& p) {
  live::Snapshot s;
  s.jobs_running = p.jobs_running;
  s.open_files = p.open_files;
  s.states = p.states;
  std::copy(std::begin(p.bytes_per_s), std::end(p.bytes_per_s), std::begin(s.bytes_per_s));
  std::copy(std::begin(p.ios_per_s), std::end(p.ios_per_s), std::begin(s.ios_per_s));
  s.done_share = p.done_share;
  s.eta_s = p.eta_s;
  s.eta_known = p.eta_known;
  return s;
}

}  // namespace

StatusLine::StatusLine(std::FILE* out) : out_(out), terminal_(::isatty(::fileno(out)) != 0) {}

void StatusLine::show(const std::string& line) {
  const auto harmless = base::printable(line);
  const std::string padding(shown_ > harmless.size() ? shown_ - harmless.size() : 0, ' ');
  write_text(out_, harmless + padding);
  std::fputc(terminal_ ? '\r' : '\n', out_);
  std::fflush(out_);
  shown_ = terminal_ ? harmless.size() : 0;
}

void StatusLine::clear() {
  if (shown_ == 0) return;
  write_text(out_, std::string(shown_, ' '));
  std::fputc('\r', out_);
  std::fflush(out_);
  shown_ = 0;
}

std::string settle_text(const host::SettleProgress& p) {
  live::SettleSnapshot s;
  for (const auto& disk : p.disks) s.disks += (s.disks.empty() ? "" : ", ") + disk;
  s.seen = p.seen;
  s.cpu_percent = p.cpu_percent;
  s.most_cpu_percent = p.limits.cpu_percent;
  s.disk_iops = p.disk_iops;
  s.most_disk_iops = p.limits.disk_iops;
  s.quiet_s = p.quiet_s;
  s.still_s = p.still_s;
  s.gives_up_s = p.gives_up_s;
  return live::settle_line(s);
}

StatusPrinter::StatusPrinter(const job::Command& command, bool fio_mode) : line_(fio_mode ? stdout : stderr) {
  enabled_ = command.eta == job::Eta::always ||
             (command.eta == job::Eta::automatic && line_.terminal() && (!fio_mode || only_text(command)));
}

std::function<void(const run::Progress&)> StatusPrinter::progress_listener() {
  if (!enabled_) return {};
  return [this](const run::Progress& p) { line_.show(live::status_line(snapshot_of(p))); };
}

host::SettleListener StatusPrinter::settle_listener() {
  if (!enabled_) return {};
  return [this](const host::SettleProgress& p) { line_.show(settle_text(p)); };
}

run::LayoutListener StatusPrinter::layout_listener() {
  if (!enabled_) return {};
  return [this](const run::LayoutProgress& p) {
    const int percent = p.total_bytes == 0 ? 0 : static_cast<int>(100 * p.done_bytes / p.total_bytes);
    if (percent == layout_percent_) return;
    layout_percent_ = percent;
    line_.show(live::layout_line(p.job, p.files, p.done_bytes, p.total_bytes));
  };
}

}  // namespace fathom::cli
