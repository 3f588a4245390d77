// The loop of jobs with a depth per device (depth_per_file). Each device has a queue loop with a separate engine,
// request stream and buffers. One thread runs them in turn, so that each device is kept busy independently. Phases,
// their ends and idle time are common to all devices. The queue loops stamp and record the I/Os.
// Only for engines that poll: a turn never waits. A pass without a completion and without a submission is idle time.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "run/loop/queue_loop_slow.h"
#include "workload/stream.h"

namespace fathom::run::loop {

// One device of the job: the objects that its queue loop uses.
template <class Engine>
struct DeviceOfGroup {
  Engine engine;
  workload::Stream stream;
  LoopContext context;
  std::optional<checks::Verification> verification;

  // whole: the job's context. The devices are its targets, and divide its buffers.
  DeviceOfGroup(const LoopContext& whole, std::uint32_t device)
      : stream(whole.job, whole.targets.subspan(device, 1), seed_index(whole, device)),
        context{
            .job = whole.job,
            .targets = whole.targets.subspan(device, 1),
            .source = &stream,
            .buffers = whole.buffers.from(device * whole.job.iodepth),
            .record = whole.record,
            .stop = whole.stop,
            .calibration = whole.calibration,
            .refill = whole.refill,
            .new_pass = whole.new_pass,
            .first_target = device,
            .job_index = whole.job_index,
            .stamps = whole.stamps,
            .watches = whole.watches,
        } {}

  base::Expected<void> verify_as(const LoopContext& whole, std::uint32_t device) {
    if (whole.verification == nullptr) return {};
    auto made = checks::Verification::make(whole.job, context.targets, seed_index(whole, device),
                                           whole.verification->generation(), whole.verification->others_write_there());
    if (!made) return made.error();
    verification.emplace(std::move(*made));
    context.verification = &*verification;
    return {};
  }

 private:
  static std::uint32_t seed_index(const LoopContext& whole, std::uint32_t device) {
    return whole.job_index * 1024 + device;
  }
};
template <class Engine>
using DeviceGroup = std::vector<std::unique_ptr<DeviceOfGroup<Engine>>>;

template <class T>
class DeviceGroupLoop : public LoopCore<DeviceGroupLoop<T>, T> {
  using Core = LoopCore<DeviceGroupLoop, T>;
  friend Core;
  using Queue = QueueLoop<T>;

 public:
  DeviceGroupLoop(DeviceGroup<typename T::Engine>& devices, typename T::Clock clock, LoopContext& whole)
      : Core(clock, whole) {
    for (const auto& device : devices) {
      queues_.push_back(std::make_unique<Queue>(device->engine, clock, device->context));
      const std::size_t record = std::min(queues_.size(), records::kDeviceRecords) - 1;
      queues_.back()->take_turns(Core::measured_.devices[record]);
    }
  }

 private:
  void phase() {
    for (const auto& queue : queues_) queue->begin_phase(Core::job_start_, Core::phase_start_, Core::deadline_);
    do {
      const std::uint64_t from = Core::last_;
      bool any = false, left = false;
      for (const auto& queue : queues_) {
        any |= queue->turn();
        left |= queue->in_flight() > 0 || !queue->exhausted();
        if (queue->failed()) Core::give_up();
      }
      if (!left) return;
      if (queues_[0]->phase_is_over()) Core::deadline_ = 0;  // ramp_size counts only the first device
      if constexpr (T::kInstrumented)
        if (!any) rest();
      Core::read();
      if (!any) waited(Core::forward_ns(from, Core::last_));
    } while (!Core::over());
  }

  void waited(std::uint64_t turn_ns) {
    Core::measured_.idle_ns += turn_ns;
    if constexpr (T::kInstrumented) Core::measured_.overslept_ns += overslept_ns(turn_ns);
  }

  // If nothing is in flight and nothing is due, sleeps part of the time until the next request is due.
  void rest() {
    std::uint64_t until_ns = ~0ull;
    for (const auto& queue : queues_) {
      if (queue->in_flight() > 0) return;
      if (!queue->exhausted()) until_ns = std::min(until_ns, queue->not_before_ns());
    }
    Core::read();
    const std::uint64_t now_ns = Core::since_start_ns();
    if (until_ns > now_ns) pause_near(std::min(until_ns - now_ns, Core::until_deadline_ns()));
  }

  // Drains in turns, so that no device's completions wait for another device.
  void drain() {
    Core::deadline_ = ~0ull;
    for (const auto& queue : queues_) queue->begin_draining();
    for (bool left = true; left && Core::stop_.load(std::memory_order_relaxed) < 2;) {
      const std::uint64_t from = Core::read();
      bool any = false;
      left = false;
      for (const auto& queue : queues_) {
        if (queue->in_flight() == 0) continue;
        any |= queue->drain_turn();
        left |= queue->in_flight() > 0;
      }
      if (!any && left) Core::measured_.idle_ns += Core::forward_ns(from, Core::read());
    }
    Core::failed_ |= std::any_of(queues_.begin(), queues_.end(), [](const auto& queue) { return queue->failed(); });
  }

  bool all_exhausted() const {
    return std::all_of(queues_.begin(), queues_.end(), [](const auto& queue) { return queue->exhausted(); });
  }

  void measuring_begins() {
    std::uint32_t in_flight = 0;
    for (const auto& queue : queues_) in_flight += queue->in_flight();
    records::WorkerRecord& record = Core::context_.record;
    record.carried_in.store(record.ended_in_ramp ? 0 : in_flight, std::memory_order_relaxed);
    if (record.ended_in_ramp) return;  // what was measured in such a ramp is kept
    for (const auto& queue : queues_) queue->engine().clear_counts();
  }

  void ended() {
    auto& counts = Core::context_.record.queue;
    for (const auto& queue : queues_) counts.add(queue->engine().counts());
    counts.ios = ended_ios(Core::measured_);
  }

  void begin_reading_back() {
    Core::deadline_ = ~0ull;
    for (const auto& queue : queues_) queue->begin_reading_back();
  }

  void limit_depth(std::uint32_t) {}  // latency_target requires a single queue: such a job is refused

  std::vector<std::unique_ptr<Queue>> queues_;
};

}  // namespace fathom::run::loop
