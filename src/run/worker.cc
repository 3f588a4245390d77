// A worker's life.
#include "run/worker.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <optional>

#include "base/affinity.h"
#include "base/time.h"
#include "io/engines.h"
#include "job/cpus.h"
#include "run/io_failure.h"
#include "run/open_files.h"
#include "run/pause.h"
#include "run/setup_error.h"
#include "run/verification.h"
#include "workload/seed.h"

namespace fathom::run {
namespace {

void send(const WorkerSetup& setup, Event::Kind kind) {
  const Event event{setup.index, kind};
  while (::write(setup.event_fd, &event, sizeof event) < 0 && errno == EINTR) {
  }
}

// numjobs clones under cpus_allowed_policy=split get one CPU of the set each.
base::Expected<void> pin(const job::Job& job) {
  const auto& cpus = job.of<job::Cpus>();
  if (cpus.allowed.empty()) return {};
  const auto subjob = static_cast<std::size_t>(job.subjob);
  const int failed = cpus.split ? base::run_on(cpus.allowed[subjob % cpus.allowed.size()]) : base::run_on(cpus.allowed);
  if (failed != 0) return base::system_error("cpus_allowed", failed);
  return {};
}

// Blocks until the parent closes its end.
bool wait_for_start(const WorkerSetup& setup) {
  char byte;
  while (::read(setup.go_fd, &byte, 1) < 0 && errno == EINTR) {
  }
  pause_for(setup.plan->job.startdelay_ns, *setup.stop);
  return setup.stop->load() == 0;
}

struct Usage {
  rusage used{};
  std::uint64_t at_ns = 0;
  static Usage now() {
    Usage u;
    ::getrusage(RUSAGE_THREAD, &u.used);
    u.at_ns = monotonic_ns();
    return u;
  }
};

double seconds(const timeval& a, const timeval& b) {
  return static_cast<double>(b.tv_sec - a.tv_sec) + static_cast<double>(b.tv_usec - a.tv_usec) * 1e-6;
}

void record_usage(WorkerRecord& record, const Usage& from, const Usage& to) {
  record.user_cpu_s = seconds(from.used.ru_utime, to.used.ru_utime);
  record.system_cpu_s = seconds(from.used.ru_stime, to.used.ru_stime);
  record.cpu_wall_s = static_cast<double>(to.at_ns - from.at_ns) * 1e-9;
  record.ctx_switches =
      static_cast<std::uint64_t>(to.used.ru_nvcsw + to.used.ru_nivcsw - from.used.ru_nvcsw - from.used.ru_nivcsw);
  record.major_faults = static_cast<std::uint64_t>(to.used.ru_majflt - from.used.ru_majflt);
  record.minor_faults = static_cast<std::uint64_t>(to.used.ru_minflt - from.used.ru_minflt);
}

// What is read back is made a second time from the job's seed: one that comes from the kernel has to be kept.
job::Job with_lasting_seed(job::Job job, std::uint32_t index) {
  if (job.verify && !job.randrepeat && job.randseed == 0) job.randseed = workload::job_seed(job, index) | 1;
  return job;
}

// What the loop is given beside its targets.
struct Tools {
  workload::Stream stream;
  std::optional<workload::BufferPool> buffers;
  std::optional<workload::Refill> refill;
  std::optional<Verification> verification;
};

base::Expected<void> make_tools(const WorkerSetup& setup, const job::Job& job, const OpenTargets& open, Tools& tools) {
  const std::uint64_t seed = 0x5851f42d4c957f2dull * (setup.index + 1) + job.randseed;
  const auto depth = job.iodepth * (job.depth_per_file ? static_cast<std::uint32_t>(open.targets.size()) : 1);
  auto buffers = workload::BufferPool::make(depth, tools.stream.largest_request(), seed,
                                            io::traits_of(job.ioengine).shared_buffers);
  if (!buffers) return buffers.error();
  tools.buffers = std::move(*buffers);
  if (job.mode.writes && (job.verify || job.fill == job::Fill::random)) tools.refill.emplace(job.fill, seed + 1);
  if (job.verify) tools.verification.emplace(job, open.targets, setup.index, setup.plan->generation);
  return {};
}

// From the start signal to the last stamp, and what is known of it only then.
base::Expected<void> run_loop(const WorkerSetup& setup, const job::Job& job, const OpenTargets& open, Tools& tools) {
  auto& record = *setup.record;
  int sync_errno = 0;
  const auto at_end = [&] {
    if (job.end_fsync && job.mode.writes) sync_errno = sync_targets(open);
  };
  const auto before_read_back = [&] {
    const int err = sync_targets(open);
    drop_caches(*setup.plan, open);
    return err;
  };
  base::Expected<void> may_write;
  Usage begin;
  ProcessIoCounts io_begin{};
  const auto ready = [&] {
    record.set_phase(Phase::ready);
    send(setup, Event::ready);
    bool go = wait_for_start(setup);
    if (go && setup.may_write != nullptr) may_write = look_before_writing(*setup.plan, open, *setup.may_write);
    go = go && may_write.ok();
    record.start_epoch_ms = base::epoch_ms();
    io_begin = read_process_io(job.thread);
    begin = Usage::now();
    return go;
  };
  std::optional<StampWriter> stamps;
  if (setup.stamps != nullptr) {
    stamps.emplace(setup.stamps->writer(setup.index));
    stamps->name_process(::getpid());
  }
  // The loops of depth_per_file take their blocks from streams of their own.
  SizeCounter sizes(job, record.measured);
  LoopContext context{job,
                      open.targets,
                      &tools.stream,
                      tools.buffers->view(),
                      record,
                      *setup.stop,
                      setup.calibration,
                      tools.refill ? &*tools.refill : nullptr,
                      [&] { drop_caches(*setup.plan, open); },
                      at_end,
                      0,
                      setup.index,
                      ready,
                      tools.verification ? &*tools.verification : nullptr,
                      before_read_back,
                      stamps ? &*stamps : nullptr,
                      sizes.needed() && !job.depth_per_file ? &sizes : nullptr};
  auto ran = setup.loop(context);
  if (begin.at_ns != 0) record_usage(record, begin, Usage::now());
  record.process_io = grown(io_begin, read_process_io(job.thread));
  explain_io_failures(*setup.plan, open, record);
  if (!ran) return ran;
  if (!may_write) return may_write;
  if (sync_errno != 0) return base::system_error("fsync at the end", sync_errno);
  return {};
}

base::Expected<void> work(const WorkerSetup& setup) {
  const job::Job job = with_lasting_seed(setup.plan->job, setup.index);
  if (auto ok = pin(job); !ok) return ok;
  const auto open = open_targets(*setup.plan);
  if (!open) return open.error();
  Tools tools{workload::Stream(job, open->targets, setup.index), {}, {}, {}};
  if (auto ok = make_tools(setup, job, *open, tools); !ok) return ok;
  return run_loop(setup, job, *open, tools);
}

}  // namespace

void run_worker(const WorkerSetup& setup) {
  setup.record->set_phase(Phase::setup);
  try {
    if (auto ok = work(setup); !ok) record_setup_error(*setup.record, ok.error(), EINVAL);
  } catch (const std::bad_alloc&) {
    record_setup_error(*setup.record, base::system_error("memory for the job", ENOMEM), ENOMEM);
  }
  if (setup.plan->job.unlink) unlink_targets(*setup.plan);
  setup.record->set_phase(Phase::done);
  send(setup, Event::done);
}

}  // namespace fathom::run
