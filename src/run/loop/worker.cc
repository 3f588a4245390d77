// Runs a worker from its setup to its end.
#include "run/loop/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/files/output_file.h"
#include "base/system/fd.h"
#include "base/system/subprocess.h"
#include "base/time.h"
#include "io/engines.h"
#include "job/fields/files.h"
#include "job/fields/offset_choice.h"
#include "job/fields/process_options.h"
#include "job/fields/replay.h"
#include "job/fields/verify.h"
#include "job/job.h"
#include "run/checks/state_follow.h"
#include "run/checks/state_keeper.h"
#include "run/checks/verification.h"
#include "run/files/io_failure.h"
#include "run/files/open_files.h"
#include "run/files/open_places.h"
#include "run/files/targets.h"
#include "run/gates/claims.h"
#include "run/gates/zone_gate.h"
#include "run/loop/offload.h"
#include "run/loop/pause.h"
#include "run/process/process_setup.h"
#include "run/records/limits.h"
#include "run/records/thread_usage.h"
#include "run/replay/feed.h"
#include "verify/state/state_name.h"
#include "workload/command_priority.h"
#include "workload/seed.h"
#include "workload/source.h"

namespace fathom::run::loop {
namespace {

// pre_read=1: reads the job's part of its targets into the page cache before the start. The reads use the page cache
// even if the job uses direct I/O.

// Ends early when `stop` is set. Adds to `read_bytes`.
base::Expected<void> pre_read(const files::Plan& plan, const std::atomic<std::uint32_t>& stop,
                              std::uint64_t& read_bytes);

base::Expected<void> read_all(const files::PlannedTarget& t, std::vector<char>& block,
                              const std::atomic<std::uint32_t>& stop, std::uint64_t& read_bytes) {
  const base::system::UniqueFd fd(::open(t.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return base::system_error("pre_read: open `" + t.path + "`", errno);
  const std::uint64_t end = t.start + t.length;
  for (std::uint64_t at = t.start; at < end && stop.load() == 0;) {
    const auto n = std::min<std::uint64_t>(block.size(), end - at);
    const ssize_t moved = ::pread(fd.get(), block.data(), n, static_cast<off_t>(at));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return base::system_error("pre_read: read `" + t.path + "`", errno);
    if (moved == 0) break;
    at += static_cast<std::uint64_t>(moved);
    read_bytes += static_cast<std::uint64_t>(moved);
  }
  return {};
}

base::Expected<void> pre_read(const files::Plan& plan, const std::atomic<std::uint32_t>& stop,
                              std::uint64_t& read_bytes) {
  std::vector<char> block(std::max<std::uint64_t>(1, plan.job.bs_max[io::index(io::Dir::read)]));
  for (const auto& t : plan.targets) {
    if (t.kind != io::TargetKind::regular && t.kind != io::TargetKind::block) continue;
    if (!t.exists && ::access(t.path.c_str(), F_OK) != 0) continue;
    if (auto ok = read_all(t, block, stop, read_bytes); !ok) return ok;
  }
  return {};
}

// exec_prerun=, exec_postrun=: a shell command before or after a job. Its output goes to JOB.prerun.txt or
// JOB.postrun.txt in the current directory. A job with a failed prerun does not run, and the exit status of the run
// does not change. The exit status of postrun is ignored. Both rules are fio's. Thread rule: the worker's.

// Example: "job.prerun.txt".
std::string exec_output_file(const job::Job& job, const char* which);

// Runs the command until it ends; a stop request sends it SIGTERM. Returns its exit status, or 128 + the signal that
// ended it. Errors: the command could not be started.
base::Expected<int> run_command(const job::Job& job, const std::string& command, const char* which,
                                const std::atomic<std::uint32_t>& stop);

constexpr int kLook_ms = 50;

// A worker ignores the terminal's signals. The command receives them.
thread_local int output_fd = -1;
void hear_signals() {
  ::dup2(output_fd, STDOUT_FILENO);
  ::dup2(output_fd, STDERR_FILENO);
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGQUIT, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

std::string exec_output_file(const job::Job& job, const char* which) {
  return base::files::file_name_of(job.name) + "." + which + ".txt";
}

base::Expected<int> run_command(const job::Job& job, const std::string& command, const char* which,
                                const std::atomic<std::uint32_t>& stop) {
  base::files::NamedFiles none;
  auto place = base::files::look_at({fmt::format("exec_{}", which), exec_output_file(job, which), nullptr, true}, none);
  if (!place) return place.error();
  base::files::Stream output(std::move(*place));
  const auto fd = output.open();
  if (!fd) return fd.error();
  output_fd = *fd;
  const std::vector<std::string> args{"/bin/sh", "-c", command};
  auto process = base::system::Subprocess::hold(args, base::system::Subprocess::Orphan::killed, hear_signals);
  if (!process) return process.error();
  if (const int err = process->let_go(); err != 0) return base::system_error("start /bin/sh", err);
  for (;;) {
    if (const auto ended = process->wait(kLook_ms)) return ended->status;
    if (stop.load() != 0) process->send(SIGTERM);
  }
}

// lockfile=: returns one request per call, so that the file's claim is released when the loop asks for the next one. By
// then, an I/O of a synchronous engine is complete, and an I/O of a queue is submitted. (Such jobs submit each I/O
// separately, job/resolve_control.h.) The loops need no code for it. The requests and their order do not change, since
// the source is still asked for whole blocks. Thread rule: the worker's.

class OneByOne final : public workload::Source {
 public:
  // Both must outlive this object.
  OneByOne(workload::Source& requests, gates::ClaimGate& gate) : requests_(requests), gate_(gate) {}
  std::size_t next(std::span<io::Request> out) override {
    gate_.leave();
    if (next_ == made_) {
      next_ = 0;
      made_ = requests_.next({block_, kBlock});
    }
    if (next_ == made_) return 0;
    out[0] = block_[next_++];
    return 1;
  }
  bool begin_pass() override { return requests_.begin_pass(); }

 private:
  workload::Source& requests_;
  gates::ClaimGate& gate_;
  io::Request block_[kBlock];
  std::size_t next_ = 0, made_ = 0;
};

bool wait_for_start(const WorkerSetup& setup) {
  if (!setup.go->await(1)) return false;
  pause_for(setup.plan->job.startdelay_ns, *setup.stop);
  return setup.stop->load() == 0;
}

// Verification generates the requests again from the job's seed. A seed from the kernel is therefore stored in the job.
job::Job with_lasting_seed(job::Job job, std::uint32_t index) {
  if (job.verify && !job.randrepeat && job.randseed == 0) job.randseed = workload::job_seed(job, index) | 1;
  return job;
}

// Inputs of the loop in addition to its targets.
struct Tools {
  workload::Stream stream;
  std::optional<workload::bytes::BufferPool> buffers;
  std::optional<workload::bytes::Refill> refill;
  std::optional<workload::bytes::Contents> contents;  // the contents that `refill` generates
  std::optional<checks::StateKeeper> keeper;          // records the writes that `verification` seals
  std::optional<checks::FollowedState> followed;      // the state that selects the blocks to read back
  std::optional<checks::Verification> verification;
  std::optional<workload::CommandPriority> priorities;  // filters the stream
  std::optional<io::TrimRanges> trim_ranges;            // num_range
  std::optional<checks::FollowedReads> followed_reads;  // filters the other sources
  std::unique_ptr<replay::ClosedLoop> closed;           // replay_loop=closed
  replay::FeedHandle feed;                              // read_iolog: instead of the stream

  workload::Source& requests() { return feed ? static_cast<workload::Source&>(**feed) : stream; }
  workload::Source* source() {
    if (followed_reads) return &*followed_reads;
    return priorities ? static_cast<workload::Source*>(&*priorities) : &requests();
  }
};

// verify_state_load=1. For a job that writes, only a valid state file is required, as in fio.
base::Expected<void> follow_state(const WorkerSetup& setup, const job::Job& job, const files::OpenTargets& open,
                                  Tools& tools) {
  if (!job.of<job::fields::VerifyOptions>().state_load) return {};
  if (job.changes_targets()) {
    const auto& aux_path = job.of<job::fields::VerifyOptions>().aux_path;
    auto state = checks::newest_state(verify::state::state_file_name(job.name, setup.index, aux_path));
    if (!state) return state.error();
    return {};
  }
  auto state = checks::FollowedState::load(job, setup.index, open.targets);
  if (!state) return state.error();
  tools.followed.emplace(std::move(*state));
  tools.followed->describe(*setup.record);
  return {};
}

// If writes contain the buffers' contents with a stamp, the buffers are not refilled.
void add_contents(const job::Job& job, const files::OpenTargets& open, std::uint64_t seed, Tools& tools) {
  std::uint64_t bytes = 0;
  for (const auto& target : open.targets) bytes += target.length;
  const auto contents = workload::bytes::plan_contents(job, bytes);
  workload::bytes::Refill refill(contents, seed + (contents.dedupe_percent == 0 ? 1 : 0));
  if (refill.fills_buffers()) tools.buffers->fill(refill);
  if (contents.write == workload::bytes::Contents::Write::stamped) return;
  tools.contents.emplace(contents);
  tools.refill.emplace(refill);
}

// read_iolog=.
base::Expected<void> start_feed(const WorkerSetup& setup, const job::Job& job, Tools& tools) {
  replay::Trace& trace = *setup.plan->trace;
  workload::ReplayRequests requests(job.of<job::fields::Replay>(), trace.traits.has_times, trace.targets, trace.limits);
  if (job.of<job::fields::Replay>().closed()) tools.closed = std::make_unique<replay::ClosedLoop>();
  auto feed = replay::Feed::start(trace, job,
                                  {std::move(requests), &setup.record->replay, setup.stop, job.runtime_ns,
                                   tools.closed.get(), !io::traits_of(job.ioengine).asynchronous});
  if (!feed) return feed.error();
  tools.feed = std::move(*feed);
  return {};
}

base::Expected<void> make_tools(const WorkerSetup& setup, const job::Job& job, const files::OpenTargets& open,
                                Tools& tools) {
  if (setup.plan->trace != nullptr)
    if (auto ok = start_feed(setup, job, tools); !ok) return ok;
  const std::uint64_t seed = workload::bytes::content_seed(job, setup.index);
  const auto depth = job.iodepth * (job.depth_per_file ? static_cast<std::uint32_t>(open.targets.size()) : 1);
  auto buffers = workload::bytes::BufferPool::make(depth, tools.stream.largest_request(), seed,
                                                   io::traits_of(job.ioengine).shared_buffers,
                                                   job.of<job::fields::BufferMemory>());
  if (!buffers) return buffers.error();
  tools.buffers = std::move(*buffers);
  if (const auto& cmdprio = job.engine.of<io::CmdprioOptions>(); cmdprio.used())
    tools.priorities.emplace(tools.requests(), cmdprio, seed + 2);
  if (const auto ranges = job.of<job::fields::OffsetChoice>().num_range; ranges > 1 && job.mode.trims) {
    tools.trim_ranges.emplace(ranges, 2 * workload::Source::kBlock + job.iodepth);
    tools.stream.put_ranges_into(*tools.trim_ranges);
  }
  if (job.mode.writes) add_contents(job, open, seed, tools);
  if (!job.verify) return {};
  if (auto ok = follow_state(setup, job, open, tools); !ok) return ok;
  if (setup.live != nullptr) tools.keeper.emplace(*setup.live);
  const checks::VerifyState state{tools.keeper ? &*tools.keeper : nullptr, tools.followed ? &*tools.followed : nullptr};
  const job::Job& judged = tools.followed && job.mode.writes ? tools.followed->writer(job) : job;
  auto verification = checks::Verification::make(judged, open.targets, setup.index, setup.plan->generation,
                                                 setup.plan->others_write_there, state);
  if (!verification) return verification.error();
  tools.verification.emplace(std::move(*verification));
  if (tools.followed && !job.mode.writes)
    tools.followed_reads.emplace(*tools.source(), *tools.followed, *setup.record, job.paced(),
                                 tools.verification->last_writes());
  return {};
}

std::optional<records::StampWriter> stamps_of(const WorkerSetup& setup) {
  if (setup.stamps == nullptr) return std::nullopt;
  std::optional<records::StampWriter> stamps(setup.stamps->writer(setup.index));
  stamps->name_process(::getpid());
  return stamps;
}

// Applies openfiles= if it is below the number of files.
void divide_into_places(const WorkerSetup& setup, const files::OpenTargets& open, workload::Source& requests,
                        std::optional<files::OpenPlaces>& places) {
  static const files::DescriptorLook kNobody;
  if (open.fds.size() < open.targets.size() && !open.fds.empty())
    places.emplace(requests, *setup.plan, open, *setup.record, setup.may_write != nullptr ? *setup.may_write : kNobody);
}

// io_submit_mode=offload: runs lanes instead of one loop.
base::Expected<void> run_lanes(const WorkerSetup& setup, const job::Job& job, const Tools& tools,
                               LoopContext& context) {
  const OffloadParts parts{setup.lanes, setup.claims, setup.first_place, tools.contents ? &*tools.contents : nullptr,
                           workload::bytes::content_seed(job, setup.index)};
  return run_offloaded(setup.loop, context, parts);
}

// Runs the loop, and provides what the loop calls back. Collects the data that exist only after the loop has ended.
class LoopRun {
 public:
  LoopRun(const WorkerSetup& setup, const worker::Voice& voice, const job::Job& job, const files::OpenTargets& open,
          Tools& tools)
      : setup_(setup),
        voice_(voice),
        job_(job),
        files_(job.of<job::fields::FileOptions>()),
        open_(open),
        tools_(tools),
        record_(*setup.record) {}
  // Runs from the start signal to the last timestamp.
  base::Expected<void> run();

 private:
  void at_end();
  int sync_all() const;
  void new_pass();
  int before_read_back() const;
  bool ready();
  workload::Source* source();
  workload::Source* zoned(workload::Source& requests);
  base::Expected<void> over(base::Expected<void> ran);

  const WorkerSetup& setup_;
  const worker::Voice& voice_;
  const job::Job& job_;
  const job::fields::FileOptions& files_;
  const files::OpenTargets& open_;
  Tools& tools_;
  records::WorkerRecord& record_;
  gates::ClaimGate claim_gate_;
  std::optional<gates::ZoneGate> zone_gate_;
  std::optional<gates::ZoneDraws> zone_draws_;
  gates::Gate* gate_ = nullptr;  // one of these; nullptr: every I/O is admitted at once
  std::optional<files::OpenPlaces> places_;
  std::optional<OneByOne> one_by_one_;
  base::Expected<void> may_write_, made_again_;
  int sync_errno_ = 0;
  std::function<int()> engine_sync_;  // empty: all targets have descriptors, or the engine cannot sync
  records::ThreadUsage begin_;
  records::ProcessIoCounts io_begin_{};
};

void LoopRun::at_end() {
  if (gate_ != nullptr) gate_->leave();
  const bool before_close = files_.fsync_on_close && open_.fds.empty();  // only the open engine can
  if ((job_.end_fsync || before_close) && job_.mode.writes) sync_errno_ = sync_all();
  if (files_.end_syncfs && sync_errno_ == 0) sync_errno_ = files::sync_file_systems(open_);
}

int LoopRun::sync_all() const {
  const int err = files::sync_targets(open_);
  return err == 0 && engine_sync_ ? engine_sync_() : err;
}

void LoopRun::new_pass() {
  if (files_.unlink_each_loop && made_again_.ok()) made_again_ = files::begin_again(*setup_.plan, open_);
  files::drop_caches(*setup_.plan, open_);
}

int LoopRun::before_read_back() const {
  int err = files::sync_targets(open_);
  if (places_ && err == 0) err = places_->sync_closed();
  files::drop_caches(*setup_.plan, open_);
  return err;
}

bool LoopRun::ready() {
  record_.set_phase(records::Phase::ready);
  voice_.ready();
  bool go = wait_for_start(setup_);
  if (go && setup_.may_write != nullptr)
    may_write_ = files::look_before_writing(*setup_.plan, open_, *setup_.may_write);
  go = go && may_write_.ok();
  record_.begun_ns = base::monotonic_ns();
  if (tools_.feed) (*tools_.feed)->job_begins();
  io_begin_ = records::read_process_io(job_.thread);
  begin_ = records::ThreadUsage::now();
  return go;
}

// zonemode=zbd: the stream is asked for one request at a time, so that it can go on where the last one went.
workload::Source* LoopRun::zoned(workload::Source& requests) {
  const auto data_gone = [this](const io::Request& zone) {
    if (tools_.verification) tools_.verification->data_gone(zone);
  };
  gate_ =
      &zone_gate_.emplace(gates::ZoneGateParts{*setup_.zones, job_, open_.targets, tools_.stream, record_, data_gone});
  return &zone_draws_.emplace(requests, tools_.stream, *zone_gate_);
}

// zonemode=zbd, verify=, openfiles= and lockfile= filter the job's source, in this order. Each lane has a separate gate.
workload::Source* LoopRun::source() {
  workload::Source* source = tools_.source();
  if (setup_.zones != nullptr) source = zoned(*source);
  if (tools_.verification) source = tools_.verification->between(*source, record_);
  divide_into_places(setup_, open_, *source, places_);
  if (places_) source = &*places_;
  if (setup_.claims == nullptr || !setup_.lanes.empty()) return source;
  gate_ = &(claim_gate_ = gates::ClaimGate(*setup_.claims, setup_.first_place, job_.of<job::fields::Submit>(),
                                           open_.targets, setup_.index));
  return &one_by_one_.emplace(*source, claim_gate_);
}

base::Expected<void> LoopRun::run() {
  const bool offload = !setup_.lanes.empty();
  std::optional<records::StampWriter> stamps = offload ? std::nullopt : stamps_of(setup_);
  if (setup_.desk != nullptr) setup_.desk->entered();
  auto split =
      setup_.desk != nullptr && !offload ? setup_.desk->recorder(setup_.index, setup_.calibration) : std::nullopt;
  watch::Watches watches(job_, open_.targets, record_, setup_.logs, setup_.index, tools_.closed.get());
  workload::Source* const requests = source();
  const auto flow = setup_.flows != nullptr ? setup_.flows->turn(setup_.index) : nullptr;
  // The loops of depth_per_file take blocks from separate streams, so the sizes are not counted.
  records::SizeCounter sizes(job_, record_.measured);
  LoopContext context{
      .job = job_,
      .targets = open_.targets,
      .source = requests,
      .buffers = tools_.buffers->view(),
      .record = record_,
      .stop = *setup_.stop,
      .calibration = setup_.calibration,
      .refill = tools_.refill ? &*tools_.refill : nullptr,
      .new_pass = [this] { new_pass(); },
      .at_end = [this] { at_end(); },
      .job_index = setup_.index,
      .ready = [this] { return ready(); },
      .verification = tools_.verification ? &*tools_.verification : nullptr,
      .before_read_back = [this] { return before_read_back(); },
      .places = places_ ? &*places_ : nullptr,
      .stamps = stamps ? &*stamps : nullptr,
      .split = split ? &*split : nullptr,
      .sizes = sizes.needed() && !job_.depth_per_file ? &sizes : nullptr,
      .watches = watches.any() ? &watches : nullptr,
      .flow = flow.get(),
      .gate = gate_,
      .trim_ranges = tools_.trim_ranges ? &*tools_.trim_ranges : nullptr,
      .sync_by_engine = &engine_sync_,
  };
  auto ran = offload ? run_lanes(setup_, job_, tools_, context) : setup_.loop(context);
  if (gate_ != nullptr) gate_->leave();
  if (flow != nullptr) flow->leave();
  return over(std::move(ran));
}

base::Expected<void> LoopRun::over(base::Expected<void> ran) {
  if (begin_.at_ns != 0) records::record_usage(record_, begin_, records::ThreadUsage::now());
  record_.process_io = records::grown(io_begin_, records::read_process_io(job_.thread));
  for (const auto& lane : setup_.lanes)
    if (job_.thread) records::add(record_.process_io, lane.process_io);
  files::explain_io_failures(*setup_.plan, open_, record_);
  const auto fed = tools_.feed ? (*tools_.feed)->end() : base::Expected<void>();
  if (!ran) return ran;
  if (!fed) return fed;
  if (!may_write_) return may_write_;
  if (!made_again_) return made_again_;
  if (files_.fsync_on_close && job_.changes_targets() && sync_errno_ == 0) sync_errno_ = files::sync_targets(open_);
  if (sync_errno_ != 0) return base::system_error("fsync at the end", sync_errno_);
  return {};
}

// exec_prerun, exec_postrun: returns the exit status, or 0 without a command.
base::Expected<int> run_if_any(const WorkerSetup& setup, const std::string& command, const char* which) {
  if (command.empty()) return 0;
  return run_command(setup.plan->job, command, which, *setup.stop);
}

base::Expected<void> work(const WorkerSetup& setup, const worker::Voice& voice) {
  const job::Job job = with_lasting_seed(setup.plan->job, setup.index);
  process::ProcessSetup process;
  if (auto ok = process.apply(*setup.plan); !ok) return ok;
  const auto prerun = run_if_any(setup, job.of<job::fields::ProcessOptions>().exec_prerun, "prerun");
  if (!prerun) return prerun.error();
  setup.record->prerun_status = *prerun;
  if (*prerun != 0) return {};
  const auto open = files::open_targets(*setup.plan);
  if (!open) return open.error();
  if (job.of<job::fields::FileOptions>().pre_read)
    if (auto ok = pre_read(*setup.plan, *setup.stop, setup.record->pre_read_bytes); !ok) return ok;
  Tools tools{workload::Stream(job, open->targets, setup.index), {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  setup.record->without_map = tools.stream.without_map();
  if (auto ok = make_tools(setup, job, *open, tools); !ok) return ok;
  auto ran = LoopRun(setup, voice, job, *open, tools).run();
  const auto postrun = run_if_any(setup, job.of<job::fields::ProcessOptions>().exec_postrun, "postrun");
  if (ran && !postrun) return postrun.error();
  return ran;
}

}  // namespace

bool run_worker(const WorkerSetup& setup, const worker::Voice& voice) {
  setup.record->set_phase(records::Phase::setup);
  base::Expected<void> ran;
  try {
    ran = work(setup, voice);
  } catch (const std::bad_alloc&) {
    ran = base::system_error("memory for the job", ENOMEM);
  }
  // here, because the limits that the text names are those of this process
  if (!ran) voice.error(records::with_limits(ran.error()));
  if (setup.plan->job.unlink) files::unlink_targets(*setup.plan);
  setup.record->set_phase(records::Phase::done);
  return ran.ok();
}

}  // namespace fathom::run::loop
