// Starting and ending workers.
#include "run/crew.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

#include "io/engine_words.h"
#include "run/io_failure.h"
#include "run/pause.h"
#include "run/setup_error.h"
#include "run/sum_records.h"

namespace fathom::run {
namespace {

struct Pipe {
  base::UniqueFd read_end, write_end;
  static std::optional<Pipe> make() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) return std::nullopt;
    return Pipe{base::UniqueFd(fds[0]), base::UniqueFd(fds[1])};
  }
};

// Worker threads leave signals to the main thread, which turns them into the stop flag.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

// A job that failed in its set-up, only makes files, or has an empty window (offset_increment beyond the end) has
// nothing to start.
bool nothing_to_start(const Member& m) {
  const auto& targets = m.plan->targets;
  const bool empty = std::all_of(targets.begin(), targets.end(), [](const auto& t) { return t.length == 0; });
  return m.record->error != 0 || m.plan->job.create_only || empty;
}

struct DeathRow {
  int signal;
  const char* remedy;
};
constexpr DeathRow kDeaths[] = {
    {SIGKILL, "`dmesg` says whether memory ran out: then fewer jobs, a lower iodepth= or bs=; else somebody sent it"},
    {SIGBUS,
     "memory that a file stands behind could not be had: `dmesg` names a device's error; is a file system full?"},
    {SIGXCPU, "raise `ulimit -t`"},
    {SIGXFSZ, "raise `ulimit -f`, or lower size="},
};

const char* remedy_of(int signal) {
  for (const auto& row : kDeaths)
    if (row.signal == signal) return row.remedy;
  return "if nobody sent it, it is a defect of fathom: report it with the job and what `dmesg` says";
}

std::string how_it_ended(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("the worker ended with status {}", WEXITSTATUS(status));
  return fmt::format("the worker was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

// Of tasks: a thread is one as a process is. Of memory: a thread needs none for a second address space.
const char* remedy_of_refusal(int err) {
  return err == ENOMEM ? "use thread=1, or fewer jobs (numjobs=)"
                       : "use fewer jobs (numjobs=), or raise the limit that is reached; thread=1 saves memory, but a "
                         "thread counts here as a process does";
}

std::vector<const job::Flow*> flows_of(const std::vector<Plan>& plans) {
  std::vector<const job::Flow*> flows;
  for (const auto& plan : plans) flows.push_back(&plan.job.of<job::Flow>());
  return flows;
}

std::size_t lanes_of(const Plan& plan) { return plan.job.of<job::Submit>().offload ? plan.job.iodepth : 0; }

// How many I/Os of the job may ask for bytes at a time.
std::size_t places_of(const Plan& plan) {
  return plan.job.of<job::Submit>().claims() ? std::max<std::size_t>(lanes_of(plan), 1) : 0;
}

std::size_t total(const std::vector<Plan>& plans, std::size_t (*of)(const Plan&)) {
  std::size_t sum = 0;
  for (const auto& plan : plans) sum += of(plan);
  return sum;
}

// The parent may be gone before the child has asked to be told.
void die_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
}

}  // namespace

std::vector<const WorkerRecord*> Member::lane_records() const {
  std::vector<const WorkerRecord*> records;
  for (const auto& lane : lanes) records.push_back(&lane);
  return records;
}

void Member::look_at_depth() {
  if (started && !ended && record->get_phase() == Phase::running &&
      record->flying_ns.load(std::memory_order_relaxed) == 0)
    depth.add(record->in_flight_now(), asked_depth(*plan));
}

Crew::Crew(std::vector<Plan>& plans, LoopFinder find_loop, const RunClocks& clocks, std::atomic<std::uint32_t>& stop)
    : records_(plans.size()),
      stops_(plans.size()),
      stop_(stop),
      members_(plans.size()),
      flows_(flows_of(plans)),
      lanes_(total(plans, lanes_of)),
      claims_(total(plans, places_of)) {
  for (std::size_t i = 0; i < plans.size(); ++i) {
    auto& m = members_[i];
    m.plan = &plans[i];
    m.record = &records_[i];
    m.loop = find_loop(plans[i].job.ioengine);
    m.calibration = clocks.calibration(plans[i].job);
  }
  give_places();
  auto events = Pipe::make();
  if (!events) throw std::system_error(errno, std::generic_category(), "pipe");
  events_read_ = std::move(events->read_end);
  events_write_ = std::move(events->write_end);
}

void Crew::give_places() {
  std::size_t lane = 0, place = 0;
  for (auto& m : members_) {
    const std::size_t lanes = lanes_of(*m.plan);
    if (lanes > 0) m.lanes = {&lanes_[lane], lanes};
    m.first_place = place;
    m.places = places_of(*m.plan);
    lane += lanes;
    place += m.places;
  }
}

void Crew::leave(std::size_t index) {
  const auto& m = members_[index];
  flows_.leave(index);
  for (std::size_t i = 0; i < m.places; ++i) claims_.give_back(m.first_place + i);
}

Crew::~Crew() {
  for (auto& m : members_) {
    if (m.thread.joinable()) m.thread.join();
    if (m.pid > 0) ::waitpid(m.pid, nullptr, 0);
  }
}

void Crew::start_one(std::uint32_t index, int go_read, int go_write) {
  auto& m = members_[index];
  m.started = true;
  flows_.join(index);
  if (nothing_to_start(m)) {
    leave(index);
    m.ended = true;
    return;
  }
  const WorkerSetup setup{m.plan,
                          index,
                          m.record,
                          &stops_[index],
                          events_write_.get(),
                          go_read,
                          m.calibration,
                          m.loop,
                          stamps_,
                          &may_write_,
                          logs_,
                          &flows_,
                          m.lanes,
                          m.places > 0 ? &claims_ : nullptr,
                          m.first_place,
                          states_ != nullptr ? states_->begin(*m.plan, index) : nullptr};
  if (m.plan->job.thread)
    start_thread(m, setup);
  else
    start_process(m, setup, go_write);
}

void Crew::start_thread(Member& m, const WorkerSetup& setup) {
  m.record->pid.store(::getpid());
  try {
    m.thread = std::thread([setup] {
      setup.record->tid.store(::gettid());
      block_signals();
      run_worker(setup);
    });
  } catch (const std::system_error& error) {
    refuse(m, error.code().value());
  }
}

// Signals wait while a child is young: it must not count, in the shared flag, the Ctrl-C that its parent counts
// already.
void Crew::start_process(Member& m, const WorkerSetup& setup, int go_write) {
  sigset_t all, before;
  sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, &before);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    die_with(parent);
    ::signal(SIGINT, SIG_IGN);
    ::signal(SIGTERM, SIG_IGN);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::close(go_write);
    m.record->pid.store(::getpid());
    run_worker(setup);
    ::_exit(0);
  }
  const int fork_errno = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) {
    refuse(m, fork_errno);
    return;
  }
  m.pid = pid;
}

void Crew::refuse(Member& m, int err) {
  if (limits_.empty()) limits_ = task_limits("");
  m.refused = err;
  m.ended = true;
  leave(static_cast<std::size_t>(&m - members_.data()));
}

// Said when all of a stage have been tried: how many there are of how many, and which limit it was.
void Crew::tell_refused(const std::vector<std::size_t>& which) {
  const auto is_refused = [&](std::size_t i) { return members_[i].refused != 0; };
  const auto one = std::find_if(which.begin(), which.end(), is_refused);
  if (one == which.end()) return;
  const auto missing = static_cast<std::size_t>(std::count_if(which.begin(), which.end(), is_refused));
  const auto started = static_cast<std::size_t>(std::count_if(
      which.begin(), which.end(), [&](std::size_t i) { return members_[i].pid > 0 || members_[i].thread.joinable(); }));
  const std::string evidence =
      fmt::format("{} of {} workers started; {}", started, started + missing, describe(limits_));
  for (const auto i : which) {
    auto* const m = &members_[i];
    if (m->refused == 0) continue;
    base::Error error = base::system_error(m->plan->job.thread ? "start a thread" : "fork", m->refused);
    error.cause = evidence;
    error.help = remedy_of_refusal(m->refused);
    record_setup_error(*m->record, error, EAGAIN);
  }
  findings_.push_back({"run.workers_missing", result::Severity::warning, "",
                       fmt::format("{}: {}", strerror(members_[*one].refused), evidence),
                       remedy_of_refusal(members_[*one].refused)});
  limits_.clear();
}

// Out of descriptors or memory: these jobs fail, the results of those before them stand.
void Crew::fail_all(const std::vector<std::size_t>& which, int err) {
  const auto error = base::system_error("a pipe for the start signal", err);
  for (const auto i : which) {
    auto& m = members_[i];
    record_setup_error(*m.record, error, EMFILE);
    m.started = m.ended = true;
  }
}

void Crew::start(const std::vector<std::size_t>& which) {
  if (running(0, members_.size()) == 0) go_.clear();  // nobody reads them any more
  auto made = Pipe::make();
  if (!made) return fail_all(which, errno);
  Pipe& go = *made;
  go_.push_back(std::move(go.read_end));
  for (const auto i : which) start_one(static_cast<std::uint32_t>(i), go_.back().get(), go.write_end.get());
  tell_refused(which);
  const auto preparing = [&] {
    return std::any_of(which.begin(), which.end(), [&](std::size_t i) {
      return !members_[i].ended && members_[i].record->get_phase() < Phase::ready;
    });
  };
  while (preparing() && stop_.load() == 0) read_events(100);
}

// `ready` only wakes the parent up; the record's phase says the rest.
void Crew::read_events(int timeout_ms) {
  pollfd p{events_read_.get(), POLLIN, 0};
  if (::poll(&p, 1, timeout_ms) <= 0) {
    reap_dead();
    return;
  }
  Event events[256];
  const ssize_t n = ::read(events_read_.get(), events, sizeof events);
  for (std::size_t i = 0; n > 0 && i < static_cast<std::size_t>(n) / sizeof(Event); ++i)
    if (events[i].kind == Event::done) {
      members_[events[i].worker].ended = true;
      leave(events[i].worker);
    }
}

bool Crew::wait(int timeout_ms) {
  const std::size_t before = running(0, members_.size());
  if (const auto stop = stop_.load(); stop != 0)
    for (std::size_t i = 0; i < stops_.size(); ++i) stops_[i].store(stop);
  read_events(timeout_ms);
  give_up_on_stuck();
  return running(0, members_.size()) < before;
}

// A thread cannot be ended from outside: it is waited for.
void Crew::give_up_on_stuck() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    auto& m = members_[i];
    if (m.pid <= 0 || m.ended || m.given_up || stops_[i].load() == 0) continue;
    if (m.asked_ns == 0) m.asked_ns = monotonic_ns();
    if (monotonic_ns() - m.asked_ns < give_up_ns_) continue;
    m.given_up = true;
    ::kill(m.pid, SIGKILL);
  }
}

// A worker that we killed ourselves (second interrupt) has not failed; what it measured stands either way.
void Crew::record_death(Member& m, int status) {
  auto& record = *m.record;
  if (!m.lanes.empty() && !record.summed) sum_records(record, m.lane_records());
  const std::uint64_t start = record.start_ns.load();
  if (record.elapsed_ns == 0 && start != 0) record.elapsed_ns = record.job_ns = monotonic_ns() - start;
  record.interrupted = record.interrupted || m.killed;
  if (m.killed) return;
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  base::Error death;
  death.what = m.given_up ? fmt::format("it had not ended {} s after it was asked to, and was killed",
                                        (monotonic_ns() - m.asked_ns) / 1'000'000'000)
                          : how_it_ended(status);
  death.help = m.given_up ? "an I/O of it hangs: `dmesg` may know of which device" : remedy_of(signal);
  const std::string text = death.what + "; kept: " + kept_text(record);
  if (auto* e = record.add_error(EIO)) {
    write_down(*e, text);
    tell(record, *e, death);
  }
  findings_.push_back({"run.worker_killed", result::Severity::warning, m.plan->job.name,
                       fmt::format("pid {}: {}", record.pid.load(), text), death.help});
}

void Crew::reap_dead() {
  for (auto& m : members_) {
    int status = 0;
    // By number: commands that jobs which are threads have started are theirs to wait for.
    if (m.pid <= 0 || ::waitpid(m.pid, &status, WNOHANG) != m.pid) continue;
    m.pid = 0;
    if (m.record->get_phase() != Phase::done) record_death(m, status);
    m.ended = true;
    leave(static_cast<std::size_t>(&m - members_.data()));
  }
}

std::size_t Crew::running(std::size_t first, std::size_t last) const {
  std::size_t n = 0;
  for (std::size_t i = first; i < last; ++i) n += members_[i].started && !members_[i].ended ? 1 : 0;
  return n;
}

std::vector<WorkerRecord*> Crew::records() const {
  std::vector<WorkerRecord*> records;
  for (const auto& m : members_) records.push_back(m.record);
  return records;
}

void Crew::kill_all() {
  for (auto& m : members_)
    if (m.pid > 0 && !m.ended) {
      m.killed = true;
      ::kill(m.pid, SIGKILL);
    }
}

void Crew::end_companions(std::size_t first, std::size_t last) {
  const auto companion = [&](std::size_t i) {
    return members_[i].plan->job.engine.of<io::EngineWords>().ends_with_the_others;
  };
  bool had_others = false;
  for (std::size_t i = first; i < last; ++i) {
    if (!companion(i) && !members_[i].ended) return;
    had_others |= !companion(i);
  }
  for (std::size_t i = first; had_others && i < last; ++i)
    if (companion(i)) stops_[i].store(1);
}

void Crew::end_with_error(std::size_t index, std::string why) {
  members_[index].verdict = std::move(why);
  stop_one(index);
}

void Crew::stop_others(job::ExitWhat whom, int group_id) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const auto& m = members_[i];
    const bool asked = whom == job::ExitWhat::all || (whom == job::ExitWhat::stonewall && m.started) ||
                       (whom == job::ExitWhat::group && m.plan->job.group_id == group_id);
    if (asked) stops_[i].store(1);
  }
}

}  // namespace fathom::run
