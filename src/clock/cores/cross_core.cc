// Records the sequence. The loop that claims a place has the structure of fio's: load, barrier, clock read,
// compare-and-swap. It restarts at the load if another CPU was first. Waiting threads yield. More threads than CPUs, or
// a tool that runs one thread at a time, therefore only slow the test down.
#include "clock/cores/cross_core.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>

#include "base/system/affinity.h"
#include "base/time.h"

namespace fathom::clock::cores {
namespace {

using base::monotonic_ns;

// The ticks that an injection adds to a clock read. Without an injection it adds zero, at the same cost.
struct Addition {
  std::uint64_t base = 0;
  std::int64_t offset = 0, rate_q40 = 0;
  std::uint64_t to(std::uint64_t tsc) const {
    const auto passed = static_cast<__int128>(static_cast<std::int64_t>(tsc - base));
    return tsc + static_cast<std::uint64_t>(offset + static_cast<std::int64_t>(passed * rate_q40 >> 40));
  }
};

// Fills `out`. It returns fewer entries only at the end of the sequence.
template <Barrier B>
[[gnu::noinline]] std::size_t claim_places(std::atomic<std::uint32_t>& sequence, std::span<Entry> out,
                                           const Addition& addition) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint32_t place, expected;
    std::uint64_t tsc;
    do {
      place = expected = sequence.load(std::memory_order_relaxed);
      if (place == kSequenceEnd) return i;
      tsc = OrderedRead<B>::now();
    } while (!sequence.compare_exchange_strong(expected, place + 1, std::memory_order_acq_rel));
    out[i].sequence = place;
    out[i].tsc = addition.to(tsc);
  }
  return out.size();
}

using ClaimPlaces = std::size_t (*)(std::atomic<std::uint32_t>&, std::span<Entry>, const Addition&);

ClaimPlaces loop_of(Barrier b) {
  switch (b) {
#if defined(__x86_64__)
    case Barrier::mfence:
      return claim_places<Barrier::mfence>;
    case Barrier::lock_or:
      return claim_places<Barrier::lock_or>;
    case Barrier::lfence:
      return claim_places<Barrier::lfence>;
#elif defined(__aarch64__)
    case Barrier::dsb_isb:
      return claim_places<Barrier::dsb_isb>;
    case Barrier::dsb_ish:
      return claim_places<Barrier::dsb_ish>;
    case Barrier::dmb_ish:
      return claim_places<Barrier::dmb_ish>;
    case Barrier::isb:
      return claim_places<Barrier::isb>;
#endif
    case Barrier::builtin:
      return claim_places<Barrier::builtin>;
    case Barrier::none:
      return claim_places<Barrier::none>;
    default:
      return nullptr;
  }
}

// Threads wait here until all have arrived, or until the owner gives up.
class StartGate {
 public:
  // Called by a thread. True: continue.
  bool arrive() {
    arrived_.fetch_add(1, std::memory_order_acq_rel);
    for (unsigned spins = 0; state_.load(std::memory_order_acquire) == State::closed; ++spins)
      if (spins > kSpins) ::sched_yield();
    return state_.load(std::memory_order_acquire) == State::open;
  }
  // Called by the owner. True: `count` threads arrived before the deadline (0: no deadline).
  bool wait_for(std::size_t count, std::uint64_t deadline_ns) {
    while (arrived_.load(std::memory_order_acquire) < count) {
      if (deadline_ns != 0 && monotonic_ns() > deadline_ns) return false;
      ::sched_yield();
    }
    return true;
  }
  void open() { state_.store(State::open, std::memory_order_release); }
  void give_up() { state_.store(State::given_up, std::memory_order_release); }

 private:
  static constexpr unsigned kSpins = 200;
  enum class State { closed, open, given_up };
  std::atomic<State> state_{State::closed};
  std::atomic<std::size_t> arrived_{0};
};

struct Shared {
  alignas(64) std::atomic<std::uint32_t> sequence;
  alignas(64) StartGate gate;
  ClaimPlaces claim_places = nullptr;
  std::uint64_t deadline_ns = 0;
};

struct Worker {
  unsigned cpu = 0;
  Addition addition;
  std::vector<Entry> entries;
  int pin_error = 0;
  std::atomic<bool> came{false}, ended{false};
  std::thread thread;
};

void work(Shared& shared, Worker& worker) {
  constexpr std::size_t kBetweenLooks = 32;  // entries between two checks of the deadline
  worker.pin_error = base::system::run_on(static_cast<int>(worker.cpu));
  for (auto& e : worker.entries) e.cpu = worker.cpu;  // touched by the CPU that writes it
  std::size_t done = 0;
  worker.came.store(true, std::memory_order_relaxed);
  if (shared.gate.arrive()) {
    const std::span<Entry> all(worker.entries);
    while (done < all.size()) {
      const auto part = all.subspan(done, std::min(kBetweenLooks, all.size() - done));
      const std::size_t taken = shared.claim_places(shared.sequence, part, worker.addition);
      done += taken;
      if (taken < part.size() || (shared.deadline_ns != 0 && monotonic_ns() > shared.deadline_ns)) break;
    }
  }
  worker.entries.resize(done);
  worker.ended.store(true, std::memory_order_release);
}

// If a real-time process occupies the thread's CPU, the thread may never run there again. After the deadline it may
// therefore end on any CPU.
void join(Worker& worker, std::uint64_t deadline_ns, std::span<const int> cpus) {
  constexpr std::chrono::microseconds kBetweenLooks(100);
  while (deadline_ns != 0 && !worker.ended.load(std::memory_order_acquire)) {
    if (monotonic_ns() > deadline_ns) base::system::run_on(cpus, worker.thread.native_handle());
    std::this_thread::sleep_for(kBetweenLooks);
  }
  worker.thread.join();
}

base::Error usage(std::string what, std::string help) {
  base::Error e;
  e.what = std::move(what);
  e.help = std::move(help);
  return e;
}

base::Expected<void> check(const TestOptions& options) {
  const auto usable = usable_cpus();
  if (options.cpus.empty()) return usage("no CPU to test", "name at least one CPU");
  for (const unsigned cpu : options.cpus)
    if (!std::binary_search(usable.begin(), usable.end(), cpu))
      return usage(fmt::format("this process may not use CPU {}", cpu),
                   fmt::format("allowed CPUs: {}", fmt::join(usable, ",")));
  if (std::adjacent_find(options.cpus.begin(), options.cpus.end(), std::greater_equal<>()) != options.cpus.end())
    return usage("the CPUs are not in rising order, or one occurs twice", "sort them");
  if (options.entries_per_cpu == 0 || options.cpus.size() * options.entries_per_cpu > kMostEntries)
    return usage(
        fmt::format("{} entries on each of {} CPUs are out of range", options.entries_per_cpu, options.cpus.size()),
        fmt::format("write 1 to {}", kMostEntries / options.cpus.size()));
  if (!row(options.barrier).here())
    return usage(fmt::format("the barrier `{}` is an instruction of {}", row(options.barrier).name,
                             name(row(options.barrier).machine)),
                 fmt::format("this program is built for {}", name(kMachine)));
  return {};
}

std::vector<Worker> make_workers(const TestOptions& options) {
  std::vector<Worker> workers(options.cpus.size());
  const std::uint64_t base = sources::CpuClock::now().v;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    workers[i].cpu = options.cpus[i];
    workers[i].entries.resize(options.entries_per_cpu);
    workers[i].addition.base = base;
    for (const auto& injection : options.injections) {
      if (injection.cpu != options.cpus[i]) continue;
      workers[i].addition.offset = injection.offset_ticks;
      workers[i].addition.rate_q40 = static_cast<std::int64_t>(injection.drift_ppm * 1e-6 * (1ull << 40));
    }
  }
  return workers;
}

// Starts all threads, opens the gate when all have arrived, and waits for their end. Returns the CPUs without their
// thread.
base::Expected<std::vector<unsigned>> run_threads(Shared& shared, std::vector<Worker>& workers) {
  std::size_t started = 0;
  base::Expected<std::vector<unsigned>> result = std::vector<unsigned>();
  try {
    for (; started < workers.size(); ++started)
      workers[started].thread = std::thread(work, std::ref(shared), std::ref(workers[started]));
  } catch (const std::system_error& e) {
    result = base::system_error("start a thread for the clock test", e.code().value());
  }
  const bool all_came = shared.gate.wait_for(started, shared.deadline_ns);
  if (result && all_came)
    for (const auto& w : workers)
      if (w.pin_error != 0 && result)
        result = base::system_error(fmt::format("pin a thread of the clock test to CPU {}", w.cpu), w.pin_error);
  if (result)
    for (const auto& w : workers)
      if (!all_came && !w.came.load(std::memory_order_relaxed)) result->push_back(w.cpu);
  if (result && all_came)
    shared.gate.open();
  else
    shared.gate.give_up();
  const auto cpus = base::system::allowed_cpus();
  for (std::size_t i = 0; i < started; ++i) join(workers[i], shared.deadline_ns, cpus);
  return result;
}

}  // namespace

std::vector<unsigned> usable_cpus() {
  const auto cpus = base::system::allowed_cpus();
  return {cpus.begin(), cpus.end()};
}

base::Expected<Recording> record(const TestOptions& options) {
  const std::uint64_t begin_ns = monotonic_ns();
  if (auto ok = check(options); !ok) return ok.error();
  Shared shared;
  shared.sequence.store(options.first_sequence);
  shared.claim_places = loop_of(options.barrier);
  shared.deadline_ns = options.max_ns == 0 ? 0 : begin_ns + options.max_ns;
  auto workers = make_workers(options);
  auto late = run_threads(shared, workers);
  if (!late) return late.error();
  Recording recording;
  for (auto& w : workers) recording.streams.push_back(std::move(w.entries));
  recording.late = std::move(*late);
  recording.started = recording.late.empty();
  recording.took_ns = monotonic_ns() - begin_ns;
  return recording;
}

base::Expected<TestRun> run_test(const TestOptions& options) {
  constexpr unsigned kAttempts = 20;
  TestOptions left = options;
  TestRun run;
  run.max_ns = options.max_ns;
  do {
    const auto recording = record(left);
    if (!recording) return recording.error();
    run.findings = analyse(recording->streams, options.most_mismatches);
    run.started = recording->started;
    run.late = recording->late;
    run.took_ns += recording->took_ns;
    ++run.attempts;
    if (!run.started || options.cpus.size() == 1 || outcome_of(run) != Outcome::not_tested) break;
    if (options.max_ns != 0) left.max_ns = options.max_ns - std::min(run.took_ns, options.max_ns);
    left.entries_per_cpu =
        std::max(left.entries_per_cpu, std::min(4 * left.entries_per_cpu, full_entries(left.cpus.size())));
  } while (run.attempts < kAttempts && (options.max_ns == 0 || left.max_ns != 0));
  return run;
}

}  // namespace fathom::clock::cores
