// Follows the steps of the parent and sets the phases of a thread.
#include "paging/workers/worker_thread.h"

#include <unistd.h>

#include <cerrno>
#include <limits>

#include "base/system/affinity.h"

namespace fathom::paging::workers {
namespace {

constexpr auto kNever = std::numeric_limits<std::uint64_t>::max();

void set_phase(sources::ThreadRecord& record, sources::ThreadPhase phase) {
  record.head.live.phase.store(static_cast<std::uint32_t>(phase), std::memory_order_release);
}

std::uint64_t now_by(Stamps stamps) {
  return stamps == Stamps::clock_gettime ? clock::sources::MonotonicClock::now().v : clock::sources::CpuClock::now().v;
}

}  // namespace

int bind_to(const std::vector<int>& cpus) { return cpus.empty() ? 0 : base::system::run_on(cpus); }

WorkerThread::WorkerThread(const Plan& plan, const WorkerInputs& inputs, SharedState& state,
                           sources::ThreadRecord& record, std::unique_ptr<sources::AccessSource> source,
                           std::vector<int> cpus)
    : plan_(plan),
      inputs_(inputs),
      state_(state),
      record_(record),
      source_(std::move(source)),
      cpus_(std::move(cpus)) {}

base::Expected<void> WorkerThread::start() {
  const auto begin = [](void* self) -> void* {
    static_cast<WorkerThread*>(self)->run();
    return nullptr;
  };
  auto ok = stack_.start(thread_, begin, this);
  started_ = ok.ok();
  return ok;
}

std::vector<std::span<const std::byte>> WorkerThread::memory() const {
  auto all = source_->memory();
  all.push_back(stack_.memory());
  return all;
}

void WorkerThread::join() {
  if (started_) ::pthread_join(thread_, nullptr);
  started_ = false;
}

void WorkerThread::run() {
  record_.head.bind_errno = bind_to(cpus_);
  record_.head.tid = static_cast<int>(::gettid());
  set_phase(record_, sources::ThreadPhase::prepared);
  if (!await_step(state_, Step::warm_up)) return;
  prepare();
  if (plan_.warmup) warm();
  set_phase(record_, sources::ThreadPhase::ready);
  if (!await_step(state_, Step::go)) return;
  measure();
  starved_ = source_->starved();
  set_phase(record_, sources::ThreadPhase::ended);
  touch::measure_address_cost(record_);
  set_phase(record_, sources::ThreadPhase::finished);
}

void WorkerThread::prepare() {
  const auto& touch = plan_.touch;
  sources::LoopInputs in{};
  in.base = base_.load(std::memory_order_acquire);
  in.source = source_.get();
  in.conversion = touch.stamps == Stamps::clock_gettime ? clock::sources::Conversion::identity() : plan_.conversion;
  in.slow_ticks = inputs_.slow_ticks;
  in.mark_ticks = inputs_.mark_ticks;
  in.mark_fd = inputs_.mark_fd;
  in.mark_ns = touch.mark_above_ns;
  in.delay_ticks = touch.delay_ticks;
  in.max_accesses = touch.max_accesses == 0 ? kNever : touch.max_accesses;
  in.classify = touch.classify && touch.mode == AccessMode::histogram;
  touch::ready_to_touch(record_, in);
}

void WorkerThread::warm() {
  set_phase(record_, sources::ThreadPhase::warming);
  const std::uint64_t begin = monotonic_ns();
  record_.head.warmup_planned = source_->warmup_accesses();
  touch::warm_up(record_, record_.head.warmup_planned, plan_.touch.load_before_store);
  record_.head.warmup_ns = monotonic_ns() - begin;
}

// All threads have one deadline, by CLOCK_MONOTONIC: a thread that wakes late does not end late.
void WorkerThread::measure() {
  sources::ThreadHead& head = record_.head;
  const auto duration_ns = static_cast<std::uint64_t>(plan_.duration_s * 1e9);
  const std::uint64_t end_ns = state_.begin_ns.load(std::memory_order_acquire) + duration_ns;
  head.kernel_begin = read_faults();
  head.ledger.begin(head.kernel_begin);
  head.begin_ns = monotonic_ns();
  head.in.begin = now_by(plan_.touch.stamps);
  const std::uint64_t left_ns = end_ns > head.begin_ns ? end_ns - head.begin_ns : 0;
  head.in.deadline = head.in.begin + head.in.conversion.to_ticks({left_ns}).v;
  set_phase(record_, sources::ThreadPhase::measuring);
  inputs_.loop(record_);
  head.live.last.store(now_by(plan_.touch.stamps), std::memory_order_relaxed);
  head.kernel_end = read_faults();
  head.end_ns = monotonic_ns();
  if (head.in.classify) head.ledger.between(head.kernel_end);
}

}  // namespace fathom::paging::workers
