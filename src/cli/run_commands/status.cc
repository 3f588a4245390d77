// The printer of the status line.
#include "cli/run_commands/status.h"

#include <unistd.h>

#include <algorithm>

#include "base/text/printable.h"
#include "base/text/wrapped.h"
#include "base/time.h"
#include "cli/terminal.h"
#include "live/second.h"
#include "live/settle_line.h"
#include "live/status_line.h"
#include "report/formats.h"

namespace fathom::cli::run_commands {
namespace {

// fio's rule: if standard output has a report that is not text, it has no status line, whatever --eta requests.
bool text_expected(const job::Command& command) {
  const auto& formats = command.output_formats;
  const auto is_text = [](const auto& name) { return report::is_for_people(name); };
  return !command.output.empty() || std::any_of(formats.begin(), formats.end(), is_text);
}

}  // namespace

StatusLine::StatusLine(std::FILE* out, bool returns, std::uint64_t newline_ns)
    : out_(out),
      terminal_(::isatty(::fileno(out)) != 0),
      returns_(returns || terminal_),
      cuts_(terminal_ && !returns),
      newline_ns_(newline_ns),
      next_newline_ns_(newline_ns == 0 ? ~0ull : base::monotonic_ns() + newline_ns) {}

void StatusLine::show(const std::string& line) {
  const auto harmless = base::text::printable(line);
  const auto shown = cuts_ ? base::text::cut_at(harmless, terminal_columns(::fileno(out_)) - 1) : harmless;
  const auto width = base::text::columns_of(shown);
  write_text(out_, std::string(shown) + std::string(shown_ > width ? shown_ - width : 0, ' '));
  const std::uint64_t now = base::monotonic_ns();
  const bool ends = now >= next_newline_ns_;
  if (ends) next_newline_ns_ = now + newline_ns_;
  const bool returns = returns_ && !ends;
  std::fputc(returns ? '\r' : '\n', out_);
  std::fflush(out_);
  shown_ = returns ? width : 0;
}

void StatusLine::clear() {
  if (shown_ == 0) return;
  write_text(out_, std::string(shown_, ' '));
  std::fputc('\r', out_);
  std::fflush(out_);
  shown_ = 0;
}

void show_text(StatusLine& line, LiveLines& lines, const std::string& text) {
  if (lines.possible() && base::text::columns_of(text) > lines.columns()) {
    line.clear();
    return lines.show_wrapped(text);
  }
  lines.clear();
  line.show(text);
}

StatusPrinter::StatusPrinter(const job::Command& command, bool fio_mode)
    : line_(fio_mode ? stdout : stderr, fio_mode, command.eta_newline_ns),
      lines_(stderr),
      several_lines_(!fio_mode && command.eta_newline_ns == 0 && lines_.possible()) {
  const bool wanted = command.eta == job::Eta::always || (command.eta == job::Eta::automatic && line_.terminal());
  enabled_ = wanted && (!fio_mode || text_expected(command));
}

void StatusPrinter::say(const std::string& text) {
  if (several_lines_) return show_text(line_, lines_, text);
  line_.show(text);
}

std::function<void(const run::Progress&)> StatusPrinter::progress_listener() {
  if (!enabled_) return {};
  if (!several_lines_) return [this](const run::Progress& p) { line_.show(live::status_line(p)); };
  return [this](const run::Progress& p) {
    line_.clear();
    std::vector<std::string> lines{live::status_line_without_rates(p)};
    for (auto& line : latencies_.look(p, lines_.columns(), draws_utf8())) lines.push_back(std::move(line));
    lines_.show(std::move(lines));
  };
}

std::function<void(const run::Progress&)> StatusPrinter::second_listener() {
  if (!feed_.any()) return {};
  return [this](const run::Progress& p) { feed_.say(live::json_line(p, base::epoch_ms()), live::metrics_text(p)); };
}

host::SettleListener StatusPrinter::settle_listener() {
  if (!enabled_) return {};
  return [this](const host::SettleProgress& p) { say(live::settle_line(p)); };
}

run::files::LayoutListener StatusPrinter::layout_listener() {
  if (!enabled_) return {};
  return [this](const run::files::LayoutProgress& p) {
    const int percent = p.total_bytes == 0 ? 0 : static_cast<int>(100 * p.done_bytes / p.total_bytes);
    if (percent == layout_percent_) return;
    layout_percent_ = percent;
    say(live::layout_line(p));
  };
}

}  // namespace fathom::cli::run_commands
