// The rounds, and the result from them.
#include "session/paging_breakdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "audit/paging/paging_checks.h"
#include "base/text/unit_text.h"
#include "host/settle.h"

namespace fathom::session {
namespace {

paging_job::Request on_swap(const paging_job::Request& options, const paging::SwapPlan& swap) {
  paging_job::Request one = options;
  one.pressure.swap = swap;
  one.device_times = true;
  return one;
}

class Breakdown {
 public:
  Breakdown(const paging_job::Request& options, PagingSession& session)
      : options_(options), session_(session), by_swap_(options.swaps.size()) {}
  base::Expected<result::Run> run();

 private:
  base::Expected<void> round(unsigned number);
  result::Run complete();

  const paging_job::Request& options_;
  PagingSession& session_;
  std::vector<std::vector<result::Run>> by_swap_;
  bool interrupted_ = false;
};

base::Expected<void> Breakdown::round(unsigned number) {
  for (std::size_t i = 0; i < by_swap_.size() && !interrupted_; ++i) {
    const auto& swap = options_.swaps[i];
    auto run = measure_once(repetition_of(on_swap(options_, swap), number), session_,
                            fmt::format("{}, {} of {}: ", swap.text, number + 1, options_.repeat));
    interrupted_ = run ? run->interrupted : is_interruption(run.error()) && !by_swap_[0].empty();
    if (!run && interrupted_) return {};
    if (!run) return run.error();
    // An interrupted run is excluded from the means.
    if (!interrupted_ || by_swap_[i].empty()) by_swap_[i].push_back(std::move(*run));
    session_.open.clear();
  }
  return {};
}

// The request and the settings of the machine. The measured values are in the table and in the repetitions.
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
      if (ran_to_its_end(run)) repetitions.push_back(*run.paging);
      add_findings(shown.findings, run.findings, options_.swaps[i].text);
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
    session_.listener.on_error(ok.error());
    shown.errors.push_back(failed_repetition(fmt::format("round {}", i + 1), ok.error()));
    shown.findings.push_back(finding_of(shown.errors.back()));
    return shown;
  }
  return complete();
}

}  // namespace

std::string longest_wait(const paging_job::Request& options) {
  const std::size_t count = options.swaps.size() * options.repeat;
  const double settle_s = options.settle ? host::SettleLimits{}.give_up_s : 0;
  const double each_s = options.plan.delay_start_s + options.plan.duration_s;
  const double all_s = static_cast<double>(count) * (settle_s + each_s) + static_cast<double>(options.cost_ns) * 1e-9;
  const auto wait =
      settle_s > 0 ? fmt::format(", each after a wait of at most {:g} s for an idle machine", settle_s) : std::string();
  return fmt::format("{} measurement{} of {:g} s{}: at most {}, and the time to set up and restore", count,
                     count == 1 ? "" : "s", each_s, wait, base::text::minutes_text(all_s));
}

base::Expected<void> check_breakdown(paging_job::Request& options) {
  for (const auto& swap : options.swaps) {
    auto one = on_swap(options, swap);
    if (auto ok = check_paging(one); !ok) return ok;
    options.plan = one.plan;
  }
  return {};
}

base::Expected<result::Run> break_down(const paging_job::Request& options, PagingSession& session) {
  return Breakdown(options, session).run();
}

}  // namespace fathom::session
