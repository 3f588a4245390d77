// From progress to the line.
#include "cli/paging_commands/paging_status.h"

#include "cli/show_error.h"
#include "live/paging_line.h"
#include "live/settle_line.h"

namespace fathom::cli::paging_commands {
PagingStatus::PagingStatus(job::Eta eta)
    : line_(stderr), enabled_(eta == job::Eta::always || (eta == job::Eta::automatic && line_.terminal())) {}

void PagingStatus::say(const std::string& text) {
  if (enabled_) line_.show(text);
}

session::PagingListener PagingStatus::session_listener(const std::string& program) {
  session::PagingListener heard;
  heard.on_settle = [this](const std::string& which, const host::SettleProgress& p) {
    say(which + live::settle_line(p));
  };
  heard.on_state = [this](const std::string& state) { say(state); };
  heard.on_measured = [this] { clear(); };
  heard.on_error = [program](const base::Error& error) { show_error(error, program); };
  heard.progress = [this](double duration_s, const std::string& which) -> std::function<void(const paging::Progress&)> {
    if (!enabled_) return {};
    return [this, duration_s, which](const auto& p) { line_.show(which + live::paging_line(p, duration_s)); };
  };
  return heard;
}

}  // namespace fathom::cli::paging_commands
