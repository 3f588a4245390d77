// From progress to the status line.
#include "cli/paging_commands/paging_status.h"

#include "base/time.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "live/paging_line.h"
#include "live/paging_second.h"
#include "live/settle_line.h"

namespace fathom::cli::paging_commands {
PagingStatus::PagingStatus(job::Eta eta)
    : line_(stderr),
      lines_(stderr),
      enabled_(eta == job::Eta::always || (eta == job::Eta::automatic && line_.terminal())) {}

void PagingStatus::say(const std::string& text) {
  if (enabled_) run_commands::show_text(line_, lines_, text);
}

// Several lines if the terminal can move the cursor up, otherwise one.
void PagingStatus::show(const std::string& which, const paging::Progress& p, double duration_s) {
  if (!lines_.possible()) return line_.show(which + live::paging_line(p, duration_s));
  line_.clear();
  lines_.show(accesses_.look(which, p, duration_s, lines_.columns(), draws_utf8()));
}

// One object per second; progress is reported more often.
void PagingStatus::tell_programs(const paging::Progress& p, double duration_s) {
  const std::uint64_t now_ns = base::monotonic_ns();
  constexpr std::uint64_t kEarly_ns = 125'000'000;  // half of the interval between two progress reports
  if (now_ns + kEarly_ns < told_ns_ + paging::Lately::kSecond_ns) return;
  told_ns_ = now_ns;
  feed_.say(live::paging_json_line(p, duration_s, base::epoch_ms()), live::paging_metrics_text(p));
}

session::PagingListener PagingStatus::session_listener(const std::string& program) {
  session::PagingListener heard;
  heard.on_settle = [this](const std::string& which, const host::SettleProgress& p) {
    say(which + live::settle_line(p));
  };
  heard.on_state = [this](const std::string& state) { say(state); };
  heard.on_measured = [this] { clear(); };
  heard.on_error = [this, program](const base::Error& error) {
    clear();
    show_error(error, program);
  };
  heard.progress = [this](double duration_s, const std::string& which) -> std::function<void(const paging::Progress&)> {
    return [this, duration_s, which](const auto& p) {
      if (take_status_signal()) clear(), write_text(stderr, which + live::paging_line(p, duration_s) + "\n");
      if (enabled_) show(which, p, duration_s);
      if (feed_.any()) tell_programs(p, duration_s);
    };
  };
  return heard;
}

}  // namespace fathom::cli::paging_commands
