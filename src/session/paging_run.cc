// Reads as the work goes.
#include "session/paging_run.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "audit/paging/paging_checks.h"
#include "audit/run_findings.h"
#include "base/time.h"
#include "host/disk/cache_facts.h"
#include "host/facts.h"
#include "host/settle.h"
#include "paging/memory/media.h"
#include "paging/sources/access_source.h"
#include "paging/sources/profile.h"
#include "run/process/clock_watches.h"
#include "session/jobs/limits.h"
#include "session/paging_cost.h"
#include "stats/repeat.h"
#include "witness/paging_witness.h"

namespace fathom::session {
namespace {

constexpr std::uint64_t kPage_bytes = 4096;

using host::placement::Placement;
using host::placement::Placements;

result::Settle settle(const paging_job::Request& options, PagingSession& session, const std::string& which) {
  if (!options.settle) return {};
  std::vector<std::string> disks;
  if (const auto& swap = options.pressure.swap.path; !swap.empty())
    disks = host::placement::disks_of({host::placement::place(swap)});
  const auto show = [&](const host::SettleProgress& p) { session.listener.on_settle(which, p); };
  return host::settle(disks, host::SettleLimits{}, session.stop, show);
}

template <class T>
void append(std::vector<T>& to, std::vector<T> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// While the swap is there.
result::HostFacts host_facts(const result::PagingPressure& pressure, const paging::RegionPlan& region,
                             Placements& placements) {
  std::vector<Placement> targets;
  if (!region.file.empty()) targets.push_back(placements.of(region.file));
  for (const auto& swap : pressure.swaps)
    if (!swap.path.empty()) targets.push_back(placements.of(swap.path, true));
  return host::collect_facts(targets);
}

}  // namespace

base::Error interrupted() {
  base::Error e;
  e.kind = base::ErrorKind::io;
  e.what = "interrupted before anything was measured";
  e.sys_errno = EINTR;
  return e;
}

bool is_interruption(const base::Error& error) { return error.sys_errno == EINTR && error.cause.empty(); }

base::Error with_what_stays(base::Error error, const std::vector<result::Finding>& restored) {
  for (const auto& finding : restored) {
    if (finding.severity != result::Severity::error) continue;
    error.cause += (error.cause.empty() ? "" : "; ") + ("not restored: " + finding.evidence);
    error.help += (error.help.empty() ? "" : "; ") + finding.remedy;
  }
  return error;
}

base::Expected<void> check_paging(paging_job::Request& options) {
  auto& region = options.plan.region;
  if (options.plan.pattern.name == "profile" && !options.set_given) {
    const auto profile = paging::sources::read_profile(options.plan.pattern.file);
    if (!profile) return profile.error();
    region.set_bytes = std::max(kPage_bytes, profile->working_set_bytes / kPage_bytes * kPage_bytes);
    if (!options.map_given) region.map_bytes = std::max(region.map_bytes, region.set_bytes);
    region.set_bytes = std::min(region.set_bytes, region.map_bytes);
  }
  const bool of_file = region.memory == paging::Memory::file_private || region.memory == paging::Memory::file_shared;
  region.drop_cached = of_file && options.pressure.limit_bytes > 0;
  if (auto ok = paging::sources::check_pattern(options.plan.pattern, region.set_bytes); !ok) return ok;
  if (auto ok = paging::pressure::check_fit(options.plan, options.pressure); !ok) return ok;
  return paging::pressure::Pressure::check(options.pressure);
}

base::Expected<void> UnderPressure::set_up(std::vector<result::Finding>& findings) {
  session_.listener.on_state(which_ + "setting up");
  append(findings, paging::pressure::fit_findings(options_.plan, options_.pressure));
  const auto stopped = [this] { return session_.stop.load() > 0; };
  auto pressure = paging::pressure::Pressure::set_up(options_.pressure, findings, stopped);
  if (!pressure) return session_.listener.on_measured(), pressure.error();
  pressure_ = std::move(*pressure);
  if (stopped()) return session_.listener.on_measured(), with_what_stays(interrupted(), pressure_->restore());
  return {};
}

result::PagingPressure UnderPressure::facts() {
  auto now = pressure_->facts();
  paging::memory::leave_out_foreign(options_.plan, now.swaps);
  return now;
}

base::Expected<paging::Measured> UnderPressure::measure(paging::MeasureOptions how) {
  how.join = [this](int pid) { return pressure_->join(pid); };
  how.cgroup_path = pressure_->cgroup_path();
  how.outside = pressure_->outside();
  how.on_progress = [shown = session_.listener.progress(options_.plan.duration_s, which_),
                     before = std::move(how.on_progress)](const paging::Progress& p) {
    if (before) before(p);
    if (shown) shown(p);
  };
  how.stop = &session_.stop;
  return paging::measure(options_.plan, how);
}

std::vector<result::Finding> UnderPressure::restore() {
  session_.listener.on_state(which_ + "restoring");
  auto restored = pressure_->restore([this](const std::string& text) { session_.listener.on_state(which_ + text); });
  session_.listener.on_measured();
  return restored;
}

// Looked for once a second: reading the settings takes some system calls.
class ChangesByOthers {
 public:
  explicit ChangesByOthers(result::PagingPressure begin) : begin_(std::move(begin)) {}
  void look(const std::function<result::PagingPressure()>& facts) {
    constexpr std::uint64_t kEvery_ns = 1'000'000'000;
    if (base::monotonic_ns() < looked_ns_ + kEvery_ns) return;
    audit::paging::add_changes(meanwhile_, audit::paging::pressure_changes(begin_, facts()));
    looked_ns_ = base::monotonic_ns();
  }
  std::vector<result::Finding> findings(const result::PagingPressure& at_end) const {
    return audit::paging::change_findings(meanwhile_, audit::paging::pressure_changes(begin_, at_end));
  }

 private:
  const result::PagingPressure begin_;
  std::vector<audit::paging::PressureChange> meanwhile_;
  std::uint64_t looked_ns_ = base::monotonic_ns();
};

// A pair of timestamps that is short compared with an access has little effect, whatever clock it is from.
void weigh_clock(const result::Paging& paging, std::vector<result::Finding>& findings) {
  double sum_ns = 0, n = 0;
  for (const auto& of_class : paging.latency)
    for (const auto& latency : of_class)
      sum_ns += static_cast<double>(latency.moments_ns.sum), n += static_cast<double>(latency.moments_ns.n);
  if (n == 0 || sum_ns == 0) return;
  const double share = paging.clock.floor_ns / (sum_ns / n);
  for (auto& finding : findings) {
    if (finding.id != "clock.fell_back") continue;
    finding.effect = result::Effect{result::EffectOn::latency, share};
    if (share <= audit::kOwnShareOfMedian) finding.severity = result::Severity::note;
  }
}

base::Expected<result::Run> measure_once(const paging_job::Request& options, PagingSession& session,
                                         const std::string& which) {
  result::Run run;
  run.settle = settle(options, session, which);
  UnderPressure machine(options, session, which);
  if (auto ok = machine.set_up(run.findings); !ok) return ok.error();

  auto facts = machine.facts();  // and again at the end of the window, while the swap holds what was swapped
  Placements placements;         // of now: settings of the machine may have made the swap's device
  witness::PagingWitness witness(paging::memory::media_of(options.plan, facts.swaps, placements), options.audit,
                                 options.device_times);
  jobs::Limits limits;
  const auto& stamping = session.clock;
  std::optional<run::process::ClockWatches> watches;  // of the window
  paging::MeasureOptions how;
  how.on_start = [&](const paging::Touchers& touchers) {
    witness.begin(touchers);
    limits.begin();
    const bool counter = stamping.calibration.source == clock::sources::Source::cpu;
    watches.emplace(counter ? &stamping.calibration.conversion : nullptr, stamping.unseen_offset_ns, false);
  };
  ChangesByOthers changes(facts);
  how.on_progress = [&](const paging::Progress&) {
    if (!watches) return;
    watches->look();
    changes.look([&] { return machine.facts(); });
  };
  how.on_end = [&](std::uint64_t majors) {
    watches->look();
    limits.end();
    witness.end(majors);
    facts = machine.facts();
  };
  auto measured = machine.measure(std::move(how));

  run.host = host_facts(facts, options.plan.region, placements);
  auto restored = machine.restore();
  if (!measured) return with_what_stays(measured.error(), restored);
  append(run.findings, std::move(restored));

  append(run.findings, std::move(measured->findings));
  append(run.findings, stamping.findings);
  if (watches) append(run.findings, run::process::clock_findings(watches->moved()));
  auto& paging = run.paging.emplace(std::move(measured->paging));
  paging.pressure = std::move(facts);
  paging.quiet = options.quiet;
  if (options.shown_shape) paging.shape = *options.shown_shape;
  clocks::describe_clock(session.clock, options.plan.touch.stamps, paging.clock);
  paging.caches = host::disk::cache_facts();
  run.time_epoch_ms = paging.start_epoch_ms;
  paging.score = audit::paging::paging_score(paging);
  run.interrupted = paging.interrupted = paging.interrupted || session.stop.load() > 0;
  witness.complete(run);
  weigh_clock(paging, run.findings);
  run.watching = session.watching;
  give_cost(session.watching, paging.devices);
  append(run.findings, audit::paging::paging_findings(run));
  append(run.findings, changes.findings(paging.pressure));
  append(run.findings, limits.findings(run));
  append(session.open, witness.ended());
  return run;
}

}  // namespace fathom::session
