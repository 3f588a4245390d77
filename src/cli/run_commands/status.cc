// The status line's printer.
#include "cli/run_commands/status.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/text/printable.h"
#include "base/time.h"
#include "cli/terminal.h"
#include "live/settle_line.h"
#include "live/status_line.h"

namespace fathom::cli::run_commands {
namespace {

// fio's rule: where standard output has no text it has no status line either, whatever is asked.
bool text_expected(const job::Command& command) {
  const auto& formats = command.output_formats;
  return !command.output.empty() || std::find(formats.begin(), formats.end(), "normal") != formats.end();
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

StatusLine::StatusLine(std::FILE* out, bool returns, std::uint64_t newline_ns)
    : out_(out),
      terminal_(::isatty(::fileno(out)) != 0),
      returns_(returns || terminal_),
      newline_ns_(newline_ns),
      next_newline_ns_(newline_ns == 0 ? ~0ull : base::monotonic_ns() + newline_ns) {}

void StatusLine::show(const std::string& line) {
  const auto harmless = base::text::printable(line);
  const std::string padding(shown_ > harmless.size() ? shown_ - harmless.size() : 0, ' ');
  write_text(out_, harmless + padding);
  const std::uint64_t now = base::monotonic_ns();
  const bool ends = now >= next_newline_ns_;
  if (ends) next_newline_ns_ = now + newline_ns_;
  const bool returns = returns_ && !ends;
  std::fputc(returns ? '\r' : '\n', out_);
  std::fflush(out_);
  shown_ = returns ? harmless.size() : 0;
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

StatusPrinter::StatusPrinter(const job::Command& command, bool fio_mode)
    : line_(fio_mode ? stdout : stderr, fio_mode, command.eta_newline_ns) {
  const bool wanted = command.eta == job::Eta::always || (command.eta == job::Eta::automatic && line_.terminal());
  enabled_ = wanted && (!fio_mode || text_expected(command));
}

std::function<void(const run::Progress&)> StatusPrinter::progress_listener() {
  if (!enabled_) return {};
  return [this](const run::Progress& p) { line_.show(live::status_line(snapshot_of(p))); };
}

host::SettleListener StatusPrinter::settle_listener() {
  if (!enabled_) return {};
  return [this](const host::SettleProgress& p) { line_.show(settle_text(p)); };
}

run::files::LayoutListener StatusPrinter::layout_listener() {
  if (!enabled_) return {};
  return [this](const run::files::LayoutProgress& p) {
    const int percent = p.total_bytes == 0 ? 0 : static_cast<int>(100 * p.done_bytes / p.total_bytes);
    if (percent == layout_percent_) return;
    layout_percent_ = percent;
    line_.show(live::layout_line(p.job, p.files, p.done_bytes, p.total_bytes));
  };
}

}  // namespace fathom::cli::run_commands
