// In the order of a measurement: set up, warm up, the measured interval, the end.
#include "paging/measure.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/system/shared_memory.h"
#include "base/time.h"
#include "host/proc/proc_text.h"
#include "host/proc/text_file.h"
#include "paging/cgroup_watch.h"
#include "paging/collect.h"
#include "paging/conditions.h"
#include "paging/memory/cached_file.h"
#include "paging/memory/mthp.h"
#include "paging/memory/region_backing.h"
#include "paging/series.h"
#include "paging/sources/access_source.h"
#include "paging/touch/stamp_floor.h"
#include "paging/trace_marker.h"
#include "paging/workers/worker_processes.h"
#include "result/findings/rows.h"

namespace fathom::paging {
namespace {

constexpr auto kNever = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kSecond_ns = 1'000'000'000, kTurn_ns = 1'000'000, kWindowTurn_ns = 10'000'000;
constexpr std::uint64_t kProgress_ns = 250'000'000;
constexpr std::uint64_t kPatience_ns = 20 * kSecond_ns;  // for a process that was asked to end
constexpr std::uint64_t kKill_ns = 5 * kSecond_ns;

class Measurement {
 public:
  Measurement(const Plan& plan, const MeasureOptions& options)
      : plan_(plan),
        options_(options),
        state_(1),
        processes_(static_cast<std::size_t>(plan.processes)),
        threads_(static_cast<std::size_t>(plan.workers())),
        workers_(plan, inputs_, state_[0], all_processes(), all_threads()),
        watch_(options.cgroup_path, static_cast<unsigned>(threads_.size()), options.outside) {}

  base::Expected<Measured> run() {
    wait_to_start();
    begin_ns_ = base::monotonic_ns();
    describe();
    if (auto ok = prepare(); !ok) return ok.error();
    if (auto ok = set_up(); !ok) return ok.error();
    if (!ended_early()) measure_window();
    finish();
    return std::move(out_);
  }

 private:
  std::span<workers::ProcessRecord> all_processes() { return processes_.all(); }
  std::span<sources::ThreadRecord> all_threads() { return threads_.all(); }
  std::span<const sources::ThreadRecord> threads_of(int process) const {
    return {&threads_[static_cast<std::size_t>(plan_.first_worker(process))],
            static_cast<std::size_t>(plan_.threads_of(process))};
  }
  std::uint32_t stop_asked() const { return options_.stop == nullptr ? 0 : options_.stop->load(); }
  bool ended_early() const { return interrupted_ || workers_.living() == 0; }
  void snapshot(const char* name) { out_.paging.memory_items.push_back(read_memory_item(name)); }

  void wait_to_start();
  void describe();
  base::Expected<void> prepare();
  base::Expected<void> set_up();
  base::Expected<void> await(workers::ProcessPhase phase, Progress::Phase shown);
  base::Error death_before_window() const;
  KillTexts words_of(const workers::WorkerProcesses::Death& death) const;
  void measure_window();
  void watch_window(std::uint64_t begin_ns);
  bool window_over() const;
  void finish();
  void report(Progress::Phase phase, double done_share, std::uint64_t window_begin_ns = 0);
  ThreadTotals totals() const { return live_totals(threads_.all()); }
  double share_of(Progress::Phase phase) const;
  void find_deaths();

  const Plan& plan_;
  const MeasureOptions& options_;
  workers::WorkerInputs inputs_;
  base::system::UniqueFd mark_fd_;
  base::system::SharedArray<workers::SharedState> state_;
  base::system::SharedArray<workers::ProcessRecord> processes_;
  base::system::SharedArray<sources::ThreadRecord> threads_;
  workers::WorkerProcesses workers_;
  CgroupWatch watch_;
  Measured out_;
  bool interrupted_ = false;
  std::map<std::string, std::uint64_t> mthp_;  // before anything was mapped
  std::uint64_t begin_ns_ = 0, shown_ns_ = 0;
  Lately lately_;
};

void Measurement::wait_to_start() {
  const std::uint64_t end_ns = base::monotonic_ns() + static_cast<std::uint64_t>(plan_.delay_start_s * 1e9);
  for (std::uint64_t now_ns = base::monotonic_ns(); now_ns < end_ns && stop_asked() == 0; now_ns = base::monotonic_ns())
    base::sleep_ns(std::min(kWindowTurn_ns, end_ns - now_ns));
}

void Measurement::describe() {
  auto& p = out_.paging;
  p.duration_s = plan_.duration_s;
  p.map_bytes = plan_.region.map_bytes;
  p.set_bytes = plan_.region.set_bytes;
  p.pattern = plan_.pattern.name;
  p.memory = name(plan_.region.memory);
  p.access = name(plan_.touch.mode);
  p.fill = fill_text(plan_.region);
  p.conditions = conditions_of(plan_);
  p.threads = plan_.threads;
  p.processes = plan_.processes;
  p.offset_words = plan_.pattern.offset_words;
  p.delay_ticks = plan_.touch.delay_ticks;
  p.cold = !plan_.warmup;
  p.classified = plan_.touch.classify && plan_.touch.mode == AccessMode::histogram;
  p.seed = plan_.pattern.seed;
  p.cpu_model = host::proc::cpu_model(host::proc::read_text("/proc/cpuinfo", 4096));
  p.read_percent = plan_.pattern.read_percent;
  p.shape = plan_.pattern.shape.value_or(0);
  const auto facts = sources::pattern_facts(plan_.pattern, p.set_bytes);
  if (!facts) return;  // the workers report the cause
  p.shape = facts->shape;
  p.read_percent = facts->read_percent;
  for (auto& finding : judge_profile(*facts, p.set_bytes)) out_.findings.push_back(std::move(finding));
}

// Prepares what is the same for all threads, before the first fork.
base::Expected<void> Measurement::prepare() {
  // Without a cgroup for the run, other processes' pages are not touched. The pages of a file that may not be mapped
  // stay too.
  if (plan_.region.drop_cached && !options_.cgroup_path.empty()) {
    if (auto may = memory::check_backing(plan_.region, plan_.region.set_bytes); !may) return may.error();
    auto dropped = memory::drop_cached_pages(plan_.region.file, plan_.region.set_bytes);
    if (!dropped) return dropped.error();
    for (auto& finding : *dropped) out_.findings.push_back(std::move(finding));
  }
  const auto floor = touch::measure_stamp_floor(plan_.touch.stamps);
  if (!floor) return floor.error();
  const auto& touch = plan_.touch;
  const auto conversion =
      touch.stamps == Stamps::clock_gettime ? clock::sources::Conversion::identity() : plan_.conversion;
  inputs_.loop = touch::find_touch_loop(touch, conversion);
  inputs_.slow_ticks =
      touch.slow_above_ns > 0 ? conversion.to_ticks({touch.slow_above_ns}).v : touch::slow_threshold(*floor);
  inputs_.mark_ticks = kNever;
  if (touch.mark_above_ns > 0) {
    auto fd = open_trace_marker();
    if (fd) {
      mark_fd_ = std::move(*fd);
      inputs_.mark_fd = mark_fd_.get();
      inputs_.mark_ticks = conversion.to_ticks({touch.mark_above_ns}).v;
      inputs_.mark_ticks += conversion.to_ns({inputs_.mark_ticks}).v < touch.mark_above_ns ? 1 : 0;
    } else {
      out_.findings.push_back(
          result::findings::found("paging.no_trace_marker", {.values = {{"cause", fd.error().what}}}));
    }
  }
  const auto ns = [&](auto ticks) { return static_cast<double>(ticks) * 1e9 / conversion.ticks_per_second(); };
  auto& clock = out_.paging.clock;
  clock.stamps = name(touch.stamps);
  clock.ticks_per_second = plan_.ticks_per_second;
  clock.step_ns = ns(floor->step);
  clock.floor_ns = ns(floor->empty_p50);
  clock.floor_ns_p99 = ns(floor->empty_p99);
  clock.cached_load_ns = ns(floor->cached_load_p50);
  clock.floor_mean_ns = ns(floor->empty_mean);
  clock.cached_load_mean_ns = ns(floor->cached_load_mean);
  clock.slow_ns = conversion.to_ns({inputs_.slow_ticks}).v;
  clock.lookup_ns = ns(floor->lookup_p50);
  touch::prefault(all_threads());
  mthp_ = memory::read_mthp();
  return {};
}

base::Expected<void> Measurement::set_up() {
  if (auto ok = workers_.start(options_.join); !ok) return ok;
  watch_.start();
  if (auto ok = await(workers::ProcessPhase::filled, Progress::Phase::filling); !ok) return ok;
  for (const auto& p : all_processes())
    out_.paging.setup_ns = std::max(out_.paging.setup_ns, p.mapped_ns > begin_ns_ ? p.mapped_ns - begin_ns_ : 0);
  if (ended_early()) return {};
  if (plan_.warmup) snapshot("pre-warmup");
  workers::take_step(state_[0], workers::Step::warm_up);
  return await(workers::ProcessPhase::ready, Progress::Phase::warming);
}

// Waits until all processes are in this phase, or until a stop: then it waits for nothing more.
base::Expected<void> Measurement::await(workers::ProcessPhase phase, Progress::Phase shown) {
  for (; !workers_.all_at(phase) || workers_.living() == 0; base::sleep_ns(kTurn_ns)) {
    workers_.look();
    if (!workers_.deaths().empty()) {
      state_[0].steps.abort();
      workers_.kill(kKill_ns);
      return death_before_window();
    }
    if (stop_asked() > 0) {
      interrupted_ = true;
      workers_.ask_to_stop();
      state_[0].steps.abort();
      return {};
    }
    report(shown, share_of(shown));
  }
  return {};
}

base::Error Measurement::death_before_window() const {
  if (workers_.error()) return *workers_.error();
  const auto& death = workers_.deaths().front();
  base::Error e;
  e.kind = base::ErrorKind::io;
  e.what = "a measuring process " + death.end.how();
  e.cause = "while its memory was mapped, filled or warmed up";
  if (death.end.signal() != SIGKILL) return e;
  const auto text = words_of(death);
  e.cause += ", " + text.cause;
  e.help = text.remedy;
  return e;
}

KillTexts Measurement::words_of(const workers::WorkerProcesses::Death& death) const {
  if (death.end.signal() != SIGKILL) return {"", "please report it"};
  if (!death.end.by_us) return kill_texts(watch_.kill_facts());
  if (stop_asked() > 1) return {"by fathom, on the second stop signal", ""};
  return {fmt::format("by fathom: the process had not ended {} s after the stop request", kPatience_ns / kSecond_ns),
          "look in `dmesg` for a swap device that hangs"};
}

void Measurement::measure_window() {
  auto& paging = out_.paging;
  refresh_vmstat();
  snapshot("pre-run");
  const auto cgroup = [&] {
    return options_.cgroup_path.empty() ? std::map<std::string, std::uint64_t>{}
                                        : read_memory_stat(options_.cgroup_path);
  };
  SeriesSampler sampler([this] { return totals(); }, options_.cgroup_path);
  if (options_.on_start)
    options_.on_start({all_threads(), workers_.pids(), paging.classified, plan_.touch.delay_ticks > kNoDelay_ticks});
  const auto memcg = cgroup();
  const auto vmstat = read_vmstat();
  sampler.start();
  paging.start_epoch_ms = base::epoch_ms();
  const std::uint64_t begin_ns = base::monotonic_ns();
  state_[0].begin_ns.store(begin_ns, std::memory_order_release);
  workers::take_step(state_[0], workers::Step::go);
  watch_window(begin_ns);
  paging.series = sampler.stop();
  refresh_vmstat();
  paging.vmstat = counts_between(vmstat, read_vmstat());
  paging.memcg = counts_between(memcg, cgroup());
  paging.mthp = counts_between(mthp_, memory::read_mthp());
  std::erase_if(paging.mthp, [](const auto& count) { return count.second == 0; });
  snapshot("post-run");  // before on_end(), which may read the swap devices
  const auto of_machine = paging.vmstat.find("pgmajfault");
  const bool classified = paging.classified || of_machine == paging.vmstat.end();
  if (options_.on_end) options_.on_end(classified ? totals().major : of_machine->second);
}

// True if all threads of the living processes have ended.
bool Measurement::window_over() const {
  for (int process = 0; process < plan_.processes; ++process) {
    if (!workers_.lives(static_cast<std::size_t>(process))) continue;
    for (const auto& thread : threads_of(process))
      if (thread.head.live.phase.load(std::memory_order_acquire) <
          static_cast<std::uint32_t>(sources::ThreadPhase::ended))
        return false;
  }
  return true;
}

// Ends with the last thread, for whatever reason it ends. Kills what does not end by itself.
void Measurement::watch_window(std::uint64_t begin_ns) {
  const auto duration_ns = static_cast<std::uint64_t>(plan_.duration_s * 1e9);
  std::uint64_t mid_ns = begin_ns + duration_ns / 2, give_up_ns = begin_ns + duration_ns + kPatience_ns;
  shown_ns_ = begin_ns;
  lately_.begin(begin_ns, totals());
  while (!window_over() && workers_.living() > 0) {
    const std::uint64_t now_ns = base::monotonic_ns(), end_ns = begin_ns + duration_ns;
    if (now_ns >= mid_ns) {
      snapshot("mid-run");
      mid_ns = kNever;
    }
    if (stop_asked() > 0 && !interrupted_) {
      interrupted_ = true;
      workers_.ask_to_stop();
      give_up_ns = std::min(give_up_ns, now_ns + kPatience_ns);
    }
    if (now_ns >= give_up_ns || stop_asked() > 1) {
      workers_.kill(kKill_ns);
      return;
    }
    const std::uint64_t next_ns = now_ns < end_ns ? std::min({end_ns, mid_ns, now_ns + kWindowTurn_ns}) : 0;
    base::sleep_ns(next_ns > now_ns ? next_ns - now_ns : kTurn_ns / 4);
    workers_.look();
    report(Progress::Phase::measuring,
           plan_.duration_s > 0
               ? static_cast<double>(base::monotonic_ns() - begin_ns) / static_cast<double>(duration_ns)
               : 0,
           begin_ns);
  }
}

void Measurement::finish() {
  if (interrupted_) workers_.ask_to_stop();
  const std::uint64_t give_up_ns = base::monotonic_ns() + kPatience_ns;
  const auto wait_for = [&](workers::ProcessPhase phase) {
    for (workers_.look(); !workers_.all_at(phase) && base::monotonic_ns() < give_up_ns && stop_asked() < 2;
         workers_.look())
      base::sleep_ns(kTurn_ns / 4);
  };
  if (workers::at_step(state_[0], workers::Step::go)) {
    wait_for(workers::ProcessPhase::ended);
    workers::take_step(state_[0], workers::Step::unmap);
    wait_for(workers::ProcessPhase::unmapped);
    snapshot("post-unmap");
  }
  for (workers_.look(); workers_.living() > 0 && base::monotonic_ns() < give_up_ns && stop_asked() < 2; workers_.look())
    base::sleep_ns(kTurn_ns / 4);
  if (workers_.living() > 0) workers_.kill(kKill_ns);
  watch_.stop();
  out_.paging.interrupted = interrupted_;
  collect(plan_, all_processes(), all_threads(), out_.paging);
  for (auto& f : judge_workers(plan_, all_processes(), all_threads(), out_.paging)) out_.findings.push_back(f);
  for (const auto& f : workers_.findings()) out_.findings.push_back(f);
  find_deaths();
}

void Measurement::find_deaths() {
  for (const auto& death : workers_.deaths()) {
    const int signal = death.end.signal();
    if (signal == 0 && interrupted_) continue;
    for (auto& worker : out_.paging.workers)
      if (worker.process == static_cast<int>(death.end.worker))
        worker.error = death.end.by_us ? ECANCELED : signal == SIGKILL ? ENOMEM : EIO;
    const auto why = words_of(death);
    out_.findings.push_back(result::findings::found(
        "paging.worker_killed", {.values = {{"process", death.end.worker},
                                            {"pid", death.pid},
                                            {"how", death.end.how() + (why.cause.empty() ? "" : ", " + why.cause)},
                                            {"help", why.remedy}}}));
  }
}

double Measurement::share_of(Progress::Phase phase) const {
  std::uint64_t done = 0, all = 0;
  if (phase == Progress::Phase::warming) {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      done += threads_[i].head.live.warmup_accesses.load(std::memory_order_relaxed);
      all += threads_[i].head.warmup_planned;
    }
  } else {
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      done += processes_[i].filled_bytes.load(std::memory_order_relaxed);
      all += plan_.region.touched_bytes();
    }
  }
  return all == 0 ? 0 : static_cast<double>(done) / static_cast<double>(all);
}

void Measurement::report(Progress::Phase phase, double done_share, std::uint64_t window_begin_ns) {
  const std::uint64_t now_ns = base::monotonic_ns();
  if (!options_.on_progress || now_ns < shown_ns_ + kProgress_ns) return;
  const bool mapped = processes_[0].get_phase() >= workers::ProcessPhase::filling;
  Progress p;
  p.phase = phase == Progress::Phase::filling && !mapped ? Progress::Phase::mapping : phase;
  p.done_share = std::min(1.0, done_share);
  if (phase == Progress::Phase::measuring) {
    const auto sum = totals();
    p.elapsed_s = static_cast<double>(now_ns - window_begin_ns) * 1e-9;
    p.accesses = sum.accesses;
    p.minor = sum.minor;
    p.major = sum.major;
    p.late = lately_.look(now_ns, sum, all_threads());
  } else {
    p.elapsed_s = static_cast<double>(now_ns - begin_ns_) * 1e-9;
  }
  shown_ns_ = now_ns;
  options_.on_progress(p);
}

}  // namespace

base::Expected<Measured> measure(const Plan& plan, const MeasureOptions& options) {
  return Measurement(plan, options).run();
}

}  // namespace fathom::paging
