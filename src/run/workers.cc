// Starts and ends workers.
#include "run/workers.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/engine_effects.h"
#include "result/findings/rows.h"
#include "run/files/io_failure.h"
#include "run/loop/pause.h"
#include "run/records/setup_error.h"
#include "run/records/sum_records.h"

namespace fathom::run {
namespace {

// True for a job that failed in its setup, or that only creates files. Also true if all its windows are empty
// (offset_increment beyond the end).
bool nothing_to_start(const Worker& m) {
  const auto& targets = m.plan->targets;
  const bool empty = std::all_of(targets.begin(), targets.end(), [](const auto& t) { return t.length == 0; });
  return m.record->error != 0 || m.plan->job.create_only || empty;
}

struct DeathRow {
  int signal;
  const char* remedy;
};
constexpr DeathRow kDeaths[] = {
    {SIGKILL,
     "look in `dmesg`: if memory ran out, use fewer jobs, or a lower iodepth= or bs=; otherwise another process "
     "sent the signal"},
    {SIGBUS,
     "look in `dmesg` for device errors, and check whether a file system is full: a page of file-backed memory "
     "could not be read or allocated"},
    {SIGXCPU, "raise `ulimit -t`"},
    {SIGXFSZ, "raise `ulimit -f`, or lower size="},
};

const char* remedy_of(int signal) {
  for (const auto& row : kDeaths)
    if (row.signal == signal) return row.remedy;
  return "report the job and the output of `dmesg`: unless another process sent the signal, this is a defect of fathom";
}

// A thread counts as a task like a process does. A thread needs no memory for a second address space.
const char* remedy_of_refusal(int err) {
  return err == ENOMEM ? "use thread=1, or fewer jobs (numjobs=)"
                       : "use fewer jobs (numjobs=), or raise the exhausted limit; thread=1 saves memory, but a "
                         "thread counts like a process";
}

std::vector<const job::fields::Flow*> flows_of(const std::vector<files::Plan>& plans) {
  std::vector<const job::fields::Flow*> flows;
  flows.reserve(plans.size());
  for (const auto& plan : plans) flows.push_back(&plan.job.of<job::fields::Flow>());
  return flows;
}

std::size_t lanes_of(const files::Plan& plan) {
  return plan.job.of<job::fields::Submit>().offload ? plan.job.iodepth : 0;
}

// How many I/Os of the job may hold a claim at the same time.
std::size_t places_of(const files::Plan& plan) {
  return plan.job.of<job::fields::Submit>().claims() ? std::max<std::size_t>(lanes_of(plan), 1) : 0;
}

std::size_t total(const std::vector<files::Plan>& plans, std::size_t (*of)(const files::Plan&)) {
  std::size_t sum = 0;
  for (const auto& plan : plans) sum += of(plan);
  return sum;
}

}  // namespace

std::vector<const records::WorkerRecord*> Worker::lane_records() const {
  std::vector<const records::WorkerRecord*> records;
  for (const auto& lane : lanes) records.push_back(&lane);
  return records;
}

void Worker::look_at_depth() {
  if (started && !ended && record->get_phase() == records::Phase::running &&
      record->flying_ns.load(std::memory_order_relaxed) == 0)
    depth.add(record->in_flight_now(), outcome::asked_depth(*plan));
}

Workers::Workers(std::vector<files::Plan>& plans, loop::LoopFinder find_loop, const process::RunClocks& clocks,
                 std::atomic<std::uint32_t>& stop)
    : records_(plans.size()),
      stops_(plans.size()),
      stop_(stop),
      all_(plans.size()),
      go_(plans.size()),
      flows_(flows_of(plans)),
      lanes_(total(plans, lanes_of)),
      claims_(total(plans, places_of)),
      group_(plans.size()) {
  for (std::size_t i = 0; i < plans.size(); ++i) {
    auto& m = all_[i];
    m.plan = &plans[i];
    m.record = &records_[i];
    m.loop = find_loop(plans[i].job.ioengine);
    m.calibration = clocks.calibration(plans[i].job);
    m.series.share_with(plans.size());
  }
  give_places();
}

// Runs after an exception during a start. The group waits for all workers, so those that wait for the start must be
// ended.
Workers::~Workers() {
  for (std::size_t i = 0; i < go_.size(); ++i)
    if (go_[i].at() == 0 && all_[i].started) go_[i].abort();
}

void Workers::give_places() {
  std::size_t lane = 0, place = 0;
  for (auto& m : all_) {
    const std::size_t lanes = lanes_of(*m.plan);
    if (lanes > 0) m.lanes = {&lanes_[lane], lanes};
    m.first_place = place;
    m.places = places_of(*m.plan);
    lane += lanes;
    place += m.places;
  }
}

base::Expected<void> Workers::find_zones(std::size_t index) {
  if (zones_ == nullptr || zones_->of(index) != nullptr) return {};
  return zones_->prepare(*all_[index].plan, index);
}

void Workers::leave(std::size_t index) {
  const auto& m = all_[index];
  flows_.leave(index);
  for (std::size_t i = 0; i < m.places; ++i) claims_.give_back(m.first_place + i);
  if (zones_ != nullptr) zones_->leave(index);
}

void Workers::start_one(std::uint32_t index, worker::Steps& go) {
  auto& m = all_[index];
  m.started = true;
  flows_.join(index);
  if (nothing_to_start(m)) {
    leave(index);
    m.ended = true;
    return;
  }
  const loop::WorkerSetup setup{m.plan,
                                index,
                                m.record,
                                &stops_[index],
                                &go,
                                m.calibration,
                                m.loop,
                                stamps_,
                                desk_,
                                &may_write_,
                                logs_,
                                &flows_,
                                m.lanes,
                                m.places > 0 ? &claims_ : nullptr,
                                m.first_place,
                                states_ != nullptr ? states_->begin(*m.plan, index) : nullptr,
                                zones_ != nullptr ? zones_->of(index) : nullptr};
  const bool thread = m.plan->job.thread;
  const auto body = [setup, thread](const worker::Voice& voice) {
    setup.record->pid.store(::getpid());
    if (thread) setup.record->tid.store(::gettid());
    return loop::run_worker(setup, voice) ? 0 : 1;
  };
  if (auto ok = group_.start(index, {thread, body}); !ok) refuse(index, ok.error().sys_errno);
}

void Workers::refuse(std::size_t index, int err) {
  if (limits_.empty()) limits_ = records::task_limits("");
  all_[index].refused = err;
  all_[index].ended = true;
  leave(index);
}

// Called after all workers of a stage were tried. The finding names the number of started workers, the total, and the
// limit.
void Workers::tell_refused(const std::vector<std::size_t>& which) {
  const auto is_refused = [&](std::size_t i) { return all_[i].refused != 0; };
  const auto one = std::find_if(which.begin(), which.end(), is_refused);
  if (one == which.end()) return;
  const auto missing = static_cast<std::size_t>(std::count_if(which.begin(), which.end(), is_refused));
  const auto started = static_cast<std::size_t>(
      std::count_if(which.begin(), which.end(), [&](std::size_t i) { return group_.living(i); }));
  const std::string evidence =
      fmt::format("{} of {} workers started; {}", started, started + missing, records::describe(limits_));
  for (const auto i : which) {
    auto* const m = &all_[i];
    if (m->refused == 0) continue;
    base::Error error = base::system_error(m->plan->job.thread ? "start a thread" : "fork", m->refused);
    error.cause = evidence;
    error.help = remedy_of_refusal(m->refused);
    records::record_setup_error(*m->record, error, EAGAIN);
  }
  const int refused = all_[*one].refused;
  findings_.push_back(result::findings::found(
      "run.workers_missing",
      {.values = {{"error", strerror(refused)}, {"started", evidence}, {"help", remedy_of_refusal(refused)}}}));
  limits_.clear();
}

void Workers::start(const std::vector<std::size_t>& which) {
  if (which.empty()) return;
  auto& go = go_[which.front()];
  for (const auto i : which) start_one(static_cast<std::uint32_t>(i), go);
  tell_refused(which);
  const auto preparing = [&] {
    return std::any_of(which.begin(), which.end(), [&](std::size_t i) {
      return !all_[i].ended && all_[i].record->get_phase() < records::Phase::ready;
    });
  };
  while (preparing() && stop_.load() == 0) look(100);
  go.take(1);
}

void Workers::look(int timeout_ms) {
  auto heard = group_.look(timeout_ms);
  for (const auto& message : heard.messages)
    if (message.kind == worker::Kind::error)
      records::record_setup_error(*all_[message.worker].record, message.error(), EINVAL);
  for (const auto& end : heard.ends) {
    auto& m = all_[end.worker];
    if (!end.whole && m.record->get_phase() != records::Phase::done) record_death(end.worker, end);
    m.ended = true;
    leave(end.worker);
  }
}

void Workers::wait(int timeout_ms) {
  if (const auto stop = stop_.load(); stop != 0)
    for (std::size_t i = 0; i < stops_.size(); ++i) stops_[i].store(stop);
  look(timeout_ms);
  give_up_on_stuck();
}

// A thread cannot be ended from outside, so it is waited for.
void Workers::give_up_on_stuck() {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    auto& m = all_[i];
    if (!group_.is_process(i) || m.ended || m.given_up || stops_[i].load() == 0) continue;
    if (m.asked_ns == 0) m.asked_ns = base::monotonic_ns();
    if (base::monotonic_ns() - m.asked_ns < give_up_ns_) continue;
    m.given_up = true;
    group_.kill(i);
  }
}

// A worker that fathom killed (second interrupt) has not failed. Its measurements are kept in both cases.
void Workers::record_death(std::size_t index, const worker::End& end) {
  const auto& m = all_[index];
  auto& record = *m.record;
  if (!m.lanes.empty() && !record.summed) records::sum_records(record, m.lane_records());
  const std::uint64_t start = record.start_ns.load();
  // After the stop request it issued no more I/Os, even if its end was detected late.
  const std::uint64_t end_ns = m.asked_ns != 0 ? std::max(m.asked_ns, start) : base::monotonic_ns();
  if (record.elapsed_ns == 0 && start != 0) record.elapsed_ns = record.job_ns = end_ns - start;
  const bool asked_for = end.by_us && !m.given_up;
  record.interrupted = record.interrupted || asked_for;
  if (asked_for) return;
  base::Error death;
  death.what = m.given_up ? fmt::format("the process had not ended {} s after the stop request, and was killed",
                                        (base::monotonic_ns() - m.asked_ns) / 1'000'000'000)
                          : "the worker " + end.how();
  death.help = m.given_up ? "look in `dmesg` for the device: one of the I/Os hangs" : remedy_of(end.signal());
  const std::string text = death.what + "; kept: " + files::kept_text(record);
  if (auto* e = record.add_error(EIO)) {
    records::write_down(*e, text);
    records::tell(record, *e, death);
  }
  findings_.push_back(result::findings::found(
      "run.worker_killed",
      {.job = m.plan->job.name, .values = {{"pid", record.pid.load()}, {"how", text}, {"help", death.help}}}));
}

std::size_t Workers::running(std::size_t first, std::size_t last) const {
  std::size_t n = 0;
  for (std::size_t i = first; i < last; ++i) n += all_[i].started && !all_[i].ended ? 1 : 0;
  return n;
}

std::vector<records::WorkerRecord*> Workers::records() const {
  std::vector<records::WorkerRecord*> records;
  for (const auto& m : all_) records.push_back(m.record);
  return records;
}

WorkerViews Workers::views() const {
  WorkerViews views;
  for (const auto& m : all_) views.push_back({m.record, m.lanes});
  return views;
}

void Workers::kill_all() {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].ended) continue;
    if (all_[i].asked_ns == 0) all_[i].asked_ns = base::monotonic_ns();
    group_.kill(i);
  }
}

void Workers::end_companions(std::size_t first, std::size_t last) {
  const auto companion = [&](std::size_t i) {
    return all_[i].plan->job.engine.of<io::EngineEffects>().ends_with_the_others;
  };
  bool had_others = false;
  for (std::size_t i = first; i < last; ++i) {
    if (!companion(i) && !all_[i].ended) return;
    had_others |= !companion(i);
  }
  for (std::size_t i = first; had_others && i < last; ++i)
    if (companion(i)) stops_[i].store(1);
}

void Workers::end_with_error(std::size_t index, std::string why) {
  all_[index].verdict = std::move(why);
  stop_one(index);
}

void Workers::stop_others(job::fields::ExitWhat whom, int group_id) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const auto& m = all_[i];
    const bool asked = whom == job::fields::ExitWhat::all || (whom == job::fields::ExitWhat::stonewall && m.started) ||
                       (whom == job::fields::ExitWhat::group && m.plan->job.group_id == group_id);
    if (asked) stops_[i].store(1);
  }
}

}  // namespace fathom::run
