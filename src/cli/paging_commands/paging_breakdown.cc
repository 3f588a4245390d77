// `fathom paging breakdown`: every swap in turn, and all of them again for each repetition, so that what changes with
// time (a warmer device, another load) falls on all alike. The table is the result; the runs are its repetitions.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "audit/paging/paging_checks.h"
#include "cli/exit_codes.h"
#include "cli/paging_commands/paging_command.h"
#include "cli/paging_commands/paging_report.h"
#include "cli/paging_commands/paging_status.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/subcommand.h"
#include "session/paging_run.h"

namespace fathom::cli::paging_commands {
namespace {

constexpr const char* kProgram = "fathom paging breakdown";

int fail(const base::Error& error) {
  show_error(error, kProgram);
  return exit_code(error, false);
}

paging_arguments::PagingOptions on_swap(const paging_arguments::PagingOptions& options, const paging::SwapPlan& swap) {
  paging_arguments::PagingOptions one = options;
  one.pressure.swap = swap;
  one.device_times = true;
  return one;
}

// Before the first of them changes anything, all are known to be possible as far as that can be known.
base::Expected<void> check_all(paging_arguments::PagingOptions& options) {
  for (const auto& swap : options.swaps) {
    auto one = on_swap(options, swap);
    if (auto ok = session::check_paging(one); !ok) return ok;
    options.plan = one.plan;
  }
  return {};
}

class Breakdown {
 public:
  Breakdown(const paging_arguments::PagingOptions& options, session::PagingSession& session)
      : options_(options), session_(session), by_swap_(options.swaps.size()) {}
  base::Expected<result::Run> run();

 private:
  base::Expected<void> round(unsigned number);
  result::Run complete();

  const paging_arguments::PagingOptions& options_;
  session::PagingSession& session_;
  std::vector<std::vector<result::Run>> by_swap_;
  bool interrupted_ = false;
};

base::Expected<void> Breakdown::round(unsigned number) {
  for (std::size_t i = 0; i < by_swap_.size() && !interrupted_; ++i) {
    const auto& swap = options_.swaps[i];
    auto run = session::measure_once(session::repetition_of(on_swap(options_, swap), number), session_,
                                     fmt::format("{}, {} of {}: ", swap.text, number + 1, options_.repeat));
    if (!run) return run.error();
    interrupted_ = run->interrupted;
    // What was cut short does not enter a mean.
    if (!interrupted_ || by_swap_[i].empty()) by_swap_[i].push_back(std::move(*run));
    session_.open.clear();
  }
  return {};
}

// What was asked and how the machine was set; what came of it is in the table and in the repetitions.
result::Paging conditions_of(const result::Paging& first) {
  result::Paging p = first;
  p.latency = {};
  p.workers.clear();
  p.memory_items.clear();
  p.series.clear();
  p.vmstat.clear();
  p.memcg.clear();
  p.mthp.clear();
  p.devices.clear();
  p.score = {};
  p.window_ns = p.setup_ns = 0;
  p.pressure.swaps.clear();
  return p;
}

result::Run Breakdown::complete() {
  result::Run shown;
  const auto& first = by_swap_[0][0];
  shown.host = first.host;
  shown.settle = first.settle;
  shown.paging = conditions_of(*first.paging);
  for (std::size_t i = 0; i < by_swap_.size(); ++i) {
    std::vector<result::Paging> repetitions;
    for (auto& run : by_swap_[i]) {
      if (session::ran_to_its_end(run)) repetitions.push_back(*run.paging);
      session::add_findings(shown.findings, run.findings, options_.swaps[i].text);
    }
    if (repetitions.empty()) continue;
    shown.paging->table2.push_back(audit::paging::table2_column(options_.swaps[i].text, repetitions));
    for (const auto& swap : repetitions[0].pressure.swaps) {
      const auto same = [&](const auto& s) { return s.path == swap.path && s.name == swap.name; };
      auto& swaps = shown.paging->pressure.swaps;
      if (std::none_of(swaps.begin(), swaps.end(), same)) swaps.push_back(swap);
    }
  }
  for (auto& runs : by_swap_)
    for (auto& run : runs) shown.repetitions.push_back(std::move(run));
  shown.interrupted = shown.paging->interrupted = interrupted_;
  return shown;
}

base::Expected<result::Run> Breakdown::run() {
  for (unsigned i = 0; i < options_.repeat && !interrupted_; ++i) {
    auto ok = round(i);
    if (ok) continue;
    if (by_swap_[0].empty()) return ok.error();
    auto shown = complete();
    show_error(ok.error(), kProgram);
    shown.errors.push_back(session::failed_repetition(fmt::format("round {}", i + 1), ok.error()));
    shown.findings.push_back(session::finding_of(shown.errors.back()));
    return shown;
  }
  return complete();
}

}  // namespace

int paging_breakdown_command(std::span<const std::string> args) {
  auto options = paging_arguments::read_paging_options(paging_arguments::PagingAction::breakdown, args);
  if (!options) return fail(options.error());
  if (options->help)
    return print_out(paging_arguments::paging_help(paging_arguments::PagingAction::breakdown), kProgram);
  auto& stop = install_stop_flag();
  also_stop_on_hangup();
  ignore_broken_pipes();
  auto findings = session::clean_up_stale_state();
  if (auto ok = check_all(*options); !ok) return fail(ok.error());
  findings.insert(findings.end(), options->findings.begin(), options->findings.end());
  PagingReport report;
  if (auto ok = report.open(*options); !ok) return fail(ok.error());

  PagingStatus status(options->eta);
  const auto listener = status.session_listener();
  session::PagingSession session{
      session::choose_paging_clock(options->plan, options->stamps_given), listener, stop, {}};
  auto shown = Breakdown(*options, session).run();
  if (!shown) {
    const int status_of_error = fail(shown.error());
    return stop.load() > 0 ? static_cast<int>(kInterrupted) : status_of_error;
  }
  shown->findings.insert(shown->findings.begin(), findings.begin(), findings.end());
  std::vector<std::string> called_with{"paging", "breakdown"};
  called_with.insert(called_with.end(), args.begin(), args.end());
  complete_paging(*shown, called_with, options->schema);
  if (auto ok = report.write(*options, *shown); !ok) return fail(ok.error());
  return paging_exit_status(*shown);
}

}  // namespace fathom::cli::paging_commands
