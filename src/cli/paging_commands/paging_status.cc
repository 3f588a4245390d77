// From progress to the line.
#include "cli/paging_commands/paging_status.h"

#include "cli/show_error.h"

#include <algorithm>
#include <cmath>

#include "live/paging_line.h"

namespace fathom::cli::paging_commands {
namespace {

live::PagingSnapshot snapshot_of(const paging::Progress& p, double duration_s) {
  constexpr const char* kPhases[] = {"mapping", "filling", "warming up", "measuring"};
  live::PagingSnapshot s;
  s.phase = kPhases[static_cast<int>(p.phase)];
  s.done_share = p.done_share;
  s.elapsed_s = p.elapsed_s;
  s.accesses_per_s = p.accesses_per_s;
  s.minor_per_s = p.minor_per_s;
  s.major_per_s = p.major_per_s;
  s.ns_p50 = p.ns_p50;
  s.ns_p99 = p.ns_p99;
  if (p.phase == paging::Progress::Phase::measuring)
    s.eta_s = static_cast<std::uint64_t>(std::ceil(std::max(0.0, duration_s - p.elapsed_s)));
  return s;
}

}  // namespace

PagingStatus::PagingStatus(job::Eta eta)
    : line_(stderr), enabled_(eta == job::Eta::always || (eta == job::Eta::automatic && line_.terminal())) {}

void PagingStatus::say(const std::string& text) {
  if (enabled_) line_.show(text);
}

std::function<void(const paging::Progress&)> PagingStatus::listener(double duration_s, std::string which) {
  if (!enabled_) return {};
  return [this, duration_s, which = std::move(which)](const paging::Progress& p) {
    line_.show(which + live::paging_line(snapshot_of(p, duration_s)));
  };
}

session::PagingListener PagingStatus::session_listener(const std::string& program) {
  session::PagingListener heard;
  heard.on_settle = [this](const std::string& which, const host::SettleProgress& p) {
    say(which + run_commands::settle_text(p));
  };
  heard.on_state = [this](const std::string& state) { say(state); };
  heard.on_measured = [this] { clear(); };
  heard.on_error = [program](const base::Error& error) { show_error(error, program); };
  heard.progress = [this](double duration_s, const std::string& which) { return listener(duration_s, which); };
  return heard;
}

}  // namespace fathom::cli::paging_commands
