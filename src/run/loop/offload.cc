// Runs the lanes of a job, and the thread that supervises them.
#include "run/loop/offload.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/system/fd.h"
#include "io/engines.h"
#include "io/target.h"
#include "job/fields/start.h"
#include "run/loop/lane_requests.h"
#include "run/loop/pause.h"
#include "run/records/sum_records.h"
#include "run/records/thread_usage.h"

namespace fathom::run::loop {
namespace {

// Opens a job's files again with a separate file position, for a lane (run/loop/offload.h) with an engine that seeks.
// Duplicated descriptors and the threads of a process share one file position. Opening /proc/self/fd/N gives the same
// file a new position, even if the file has no name any more. The file is opened with the flags of the first open.
// Source: open(2), proc(5). Thread rule: one owner.

class LaneFiles {
 public:
  base::Expected<void> open(std::span<const io::Target> targets);
  std::span<const io::Target> targets() const { return targets_; }

 private:
  std::vector<io::Target> targets_;
  std::vector<base::system::UniqueFd> fds_;
};

// Flags that create or truncate a file. The first open has done this already.
constexpr int kOnce = O_CREAT | O_EXCL | O_TRUNC;

base::Expected<void> LaneFiles::open(std::span<const io::Target> targets) {
  targets_.assign(targets.begin(), targets.end());
  for (auto& target : targets_) {
    const int flags = target.fd < 0 ? -1 : ::fcntl(target.fd, F_GETFL);
    if (flags < 0) continue;
    base::system::UniqueFd fd(::open(fmt::format("/proc/self/fd/{}", target.fd).c_str(), (flags & ~kOnce) | O_CLOEXEC));
    if (!fd) return base::system_error("open `" + target.path + "` again, for a lane", errno);
    target.fd = fd.get();
    fds_.push_back(std::move(fd));
  }
  return {};
}

using Lock = std::unique_lock<std::mutex>;

// Interval at which the sums are updated and a stop request is forwarded.
constexpr std::chrono::milliseconds kBeat{5};

// The job of one lane, which has one I/O in flight at a time. Pauses are decided for all lanes together.
job::Job job_of_lane(const job::Job& whole) {
  job::Job job = whole;
  const std::uint64_t lanes = std::max(whole.iodepth, 1u);
  job.iodepth = job.engine.iodepth = job.iodepth_batch = 1;
  job.iodepth_batch_complete_min = std::min(job.iodepth_batch_complete_min, 1u);
  job.iodepth_batch_complete_max = job.iodepth_low = 0;
  job.thinktime_ns = job.thinktime_spin_ns = 0;
  auto& ramp_bytes = job.own.get<job::fields::Start>().ramp_bytes;
  ramp_bytes = (ramp_bytes + lanes - 1) / lanes;
  job.own.get<job::fields::Submit>().serialize = false;  // the lane's gate does this
  return job;
}

class Offload;

// One lane and the inputs of its loop.
struct Lane {
  Lane(Offload& offload, std::size_t number);
  records::WorkerRecord& record;
  LaneFiles files;  // for an engine that moves the file position, which lanes cannot share
  gates::ClaimGate gate;
  LaneSource source;
  records::SizeCounter sizes;
  std::optional<workload::bytes::Refill> refill;
  std::optional<watch::Watches> watches;
  LoopContext context;
  std::thread thread;
  base::Expected<void> opened, ran;
  bool waits = false, over = false;  // waits for the start; under the offload's lock
  // When the lane began. In a forked worker, the process counters include all lanes, so they are read only for
  // thread=1.
  records::ThreadUsage usage_before;
  records::ProcessIoCounts io_before{};
};

class Offload {
 public:
  Offload(LoopFunction loop, LoopContext& job, const OffloadParts& parts)
      : job_(job),
        parts_(parts),
        loop_(loop),
        lane_job_(job_of_lane(job.job)),
        requests_(*job.source, job.job, parts.records.size(), job.new_pass, stop_) {
    if (job.watches != nullptr) job.watches->sum_over(parts.records);
    for (std::size_t i = 0; i < parts.records.size(); ++i) {
      records_.push_back(&parts.records[i]);
      lanes_.push_back(std::make_unique<Lane>(*this, i));
    }
  }
  base::Expected<void> run();

 private:
  friend struct Lane;
  base::Expected<void> start();
  void run_lane(std::size_t number);
  bool wait_for_start(std::size_t number);
  bool all(bool Lane::*is) const;
  void decide(bool go);
  void look_after(Lock& lock);
  void publish();
  base::Expected<void> end();

  LoopContext& job_;
  const OffloadParts& parts_;
  const LoopFunction loop_;
  const job::Job lane_job_;
  std::atomic<std::uint32_t> stop_ = 0;
  std::atomic<std::uint64_t> begun_ = 0;
  LaneRequests requests_;
  std::vector<const records::WorkerRecord*> records_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<bool> go_;
};

Lane::Lane(Offload& offload, std::size_t number)
    : record(offload.parts_.records[number]),
      gate(offload.parts_.claims == nullptr
               ? gates::ClaimGate()
               : gates::ClaimGate(*offload.parts_.claims, offload.parts_.first_place + number,
                                  offload.job_.job.of<job::fields::Submit>(), offload.job_.targets,
                                  offload.job_.job_index)),
      source(offload.requests_, number, gate),
      sizes(offload.lane_job_, record.measured),
      context{offload.lane_job_,
              offload.job_.targets,
              &source,
              offload.job_.buffers.from(static_cast<std::uint32_t>(number)),
              record,
              offload.stop_,
              offload.job_.calibration,
              nullptr,
              [] {},
              [] {},
              offload.job_.first_target,
              offload.job_.job_index,
              [&offload, number] { return offload.wait_for_start(number); },
              nullptr,
              [] { return 0; }} {
  const auto& whole = offload.job_;
  if (io::traits_of(whole.job.ioengine).moves_position) {
    opened = files.open(whole.targets);
    context.targets = files.targets();
  }
  if (offload.parts_.contents != nullptr)
    refill.emplace(*offload.parts_.contents, offload.parts_.seed + (number + 1) * 0xd1342543de82ef95);
  if (whole.watches != nullptr) watches.emplace(offload.lane_job_, record, *whole.watches);
  context.refill = refill ? &*refill : nullptr;
  context.sizes = sizes.needed() ? &sizes : nullptr;
  context.watches = watches ? &*watches : nullptr;
  context.flow = whole.flow;
  context.gate = &gate;
  context.begun = &offload.begun_;
}

bool Offload::all(bool Lane::*is) const {
  return std::all_of(lanes_.begin(), lanes_.end(), [&](const auto& lane) { return (*lane).*is || lane->over; });
}

// Runs in the lane's thread, after its engine was opened.
bool Offload::wait_for_start(std::size_t number) {
  Lane& lane = *lanes_[number];
  Lock lock(mutex_);
  lane.waits = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return go_.has_value(); });
  lane.usage_before = records::ThreadUsage::now();
  if (lane_job_.thread) lane.io_before = records::read_process_io(true);
  return *go_;
}

void Offload::run_lane(std::size_t number) {
  Lane& lane = *lanes_[number];
  try {
    lane.ran = lane.opened.ok() ? loop_(lane.context) : lane.opened;
  } catch (const std::bad_alloc&) {
    lane.ran = base::system_error("memory for the job", ENOMEM);
  }
  lane.gate.leave();
  requests_.leave(number);
  if (lane.usage_before.at_ns != 0) records::record_usage(lane.record, lane.usage_before, records::ThreadUsage::now());
  if (lane_job_.thread) lane.record.process_io = records::grown(lane.io_before, records::read_process_io(true));
  if (!lane.ran || lane.record.error != 0) stop_.store(1);
  const Lock lock(mutex_);
  lane.over = true;
  changed_.notify_all();
}

void Offload::decide(bool go) {
  const Lock lock(mutex_);
  go_ = go;
  changed_.notify_all();
}

// Starts a thread for each lane, and waits until every engine is open or has failed.
base::Expected<void> Offload::start() {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    try {
      lanes_[i]->thread = std::thread([this, i] { run_lane(i); });
    } catch (const std::system_error& error) {
      const Lock lock(mutex_);
      for (std::size_t rest = i; rest < lanes_.size(); ++rest) lanes_[rest]->over = true;
      return base::system_error("start a thread of io_submit_mode=offload", error.code().value());
    }
  }
  Lock lock(mutex_);
  changed_.wait(lock, [&] { return all(&Lane::waits); });
  for (const auto& lane : lanes_)
    if (lane->over && !lane->ran) return lane->ran.error();
  return {};
}

// The job is in its ramp while at least one lane is. A lane's counters are cleared at the end of its ramp, so they are
// summed only from then on.
void Offload::publish() {
  records::Phase phase = records::Phase::running;
  std::vector<const records::WorkerRecord*> measuring;
  for (const auto& lane : lanes_) {
    const records::Phase its = lane->record.get_phase();
    phase = std::min(phase, lane->over ? records::Phase::running : its);
    if (its >= records::Phase::running) measuring.push_back(&lane->record);
  }
  records::publish_counts(job_.record, measuring);
  if (phase >= records::Phase::ramp) job_.record.set_phase(std::min(phase, records::Phase::running));
}

void Offload::look_after(Lock& lock) {
  while (!all(&Lane::over)) {
    changed_.wait_for(lock, kBeat);
    if (const auto stop = job_.stop.load(std::memory_order_relaxed); stop != 0) stop_.store(stop);
    publish();
  }
}

base::Expected<void> Offload::end() {
  records::WorkerRecord& record = job_.record;
  bool interrupted = false;
  for (const auto* part : records_) interrupted |= part->interrupted;
  record.summed = true;
  records::sum_records(record, records_);
  record.interrupted = interrupted && job_.stop.load() != 0;
  const std::uint64_t from_ns = monotonic_ns();
  if (go_ == true) job_.at_end();
  record.elapsed_ns += monotonic_ns() - from_ns;
  record.job_ns += monotonic_ns() - from_ns;
  for (const auto& lane : lanes_)
    if (!lane->ran) return lane->ran;
  return {};
}

base::Expected<void> Offload::run() {
  auto started = start();
  const bool go = started.ok() && job_.ready();
  requests_.begin(monotonic_ns());
  decide(go);
  {
    Lock lock(mutex_);
    if (go) look_after(lock);
  }
  for (const auto& lane : lanes_)
    if (lane->thread.joinable()) lane->thread.join();
  if (!started) return started;
  return end();
}

}  // namespace

base::Expected<void> run_offloaded(LoopFunction loop, LoopContext& job, const OffloadParts& parts) {
  Offload offload(loop, job, parts);
  return offload.run();
}

}  // namespace fathom::run::loop
