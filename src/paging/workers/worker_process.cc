// In the order of the process's life.
#include "paging/workers/worker_process.h"

#include <signal.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "paging/memory/region.h"
#include "paging/workers/worker_message.h"
#include "paging/workers/worker_thread.h"
#include "result/findings/rows.h"

namespace fathom::paging::workers {
namespace {

constexpr std::size_t kPagesLookedAt = 4096;  // to determine their nodes

// Threads leave every signal to the main thread, which ignores signals that end a run.
void leave_signals_to_the_parent() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

using Threads = std::vector<std::unique_ptr<WorkerThread>>;

// On any exit from the scope, no thread outlives what was made before it: the region that it touches.
struct JoinedAtTheEnd {
  Threads& threads;
  ~JoinedAtTheEnd() {
    for (auto& thread : threads) thread->join();
  }
};

base::Expected<void> make_threads(const WorkerProcess& p, Threads& threads) {
  const auto& cpus = p.plan.thread_cpus;
  for (unsigned i = 0; i < p.threads.size(); ++i) {
    const unsigned worker = p.first_worker + i;
    auto source = sources::make_source(p.plan.pattern, p.plan.region.set_bytes, worker, p.workers);
    if (!source) return source.error();
    threads.push_back(std::make_unique<WorkerThread>(p.plan, p.inputs, p.state, p.threads[i], std::move(*source),
                                                     cpus.empty() ? std::vector<int>{} : cpus[worker % cpus.size()]));
  }
  for (auto& thread : threads)
    if (auto ok = thread->start(); !ok) return ok;
  return {};
}

bool all_at(std::span<sources::ThreadRecord> threads, sources::ThreadPhase phase) {
  for (const auto& t : threads)
    if (t.head.live.phase.load(std::memory_order_acquire) < static_cast<std::uint32_t>(phase)) return false;
  return true;
}

// False: aborted.
bool await_threads(const WorkerProcess& p, sources::ThreadPhase phase) {
  while (!all_at(p.threads, phase)) {
    if (p.state.steps.aborted()) return false;
    sleep_ns(200'000);
  }
  return true;
}

// The pages are placed where this thread runs while it fills them. So it runs on the CPUs of its threads, or where it
// is bound.
void bind_to_threads(const WorkerProcess& p) {
  const auto& cpus = p.plan.thread_cpus;
  std::vector<int> all;
  for (unsigned i = 0; i < p.threads.size() && !cpus.empty(); ++i) {
    const auto& of_one = cpus[(p.first_worker + i) % cpus.size()];
    all.insert(all.end(), of_one.begin(), of_one.end());
  }
  bind_to(all);
}

base::Expected<memory::Region> map_and_fill(const WorkerProcess& p) {
  std::vector<result::Finding> findings;
  p.record.set_phase(ProcessPhase::mapping);
  auto region = memory::Region::map(p.plan.region, findings);
  if (!region) return region;
  p.record.page_bytes = region->page_bytes();
  p.record.mapped_ns = monotonic_ns();
  p.record.set_phase(ProcessPhase::filling);
  const auto stop = [&] { return p.record.stop.load(std::memory_order_relaxed) != 0; };
  for (auto& f : region->fill(p.plan.region, stop, &p.record.filled_bytes)) findings.push_back(std::move(f));
  for (const auto& f : findings) p.voice.other(encode(f));
  return region;
}

void report_placement(const WorkerProcess& p, const memory::Region& region) {
  const auto where = memory::pages_by_node(region.data(), p.plan.region.set_bytes, kPagesLookedAt);
  for (const auto& f : memory::placement_findings(p.plan.region, where)) p.voice.other(encode(f));
}

void say_of_sources(const WorkerProcess& p, const Threads& threads) {
  std::uint64_t starved = 0;
  const char* trouble = nullptr;
  for (const auto& thread : threads) {
    starved += thread->starved();
    if (trouble == nullptr) trouble = thread->source().trouble();
  }
  if (starved > 0)
    p.voice.other(encode(result::findings::found("paging.trace_starved", {.values = {{"blocks", starved}}})));
  if (trouble != nullptr)
    p.voice.other(encode(result::findings::found("paging.trace_changed", {.values = {{"cause", trouble}}})));
}

// Called when its threads exist, with their stacks and all sources of their accesses.
void lock_memory(const WorkerProcess& p, const Threads& threads) {
  std::vector<std::span<const std::byte>> all;
  for (const auto& thread : threads) {
    std::uint64_t bytes = sizeof(sources::ThreadRecord);
    for (const auto& memory : thread->memory()) {
      bytes += memory.size();
      all.push_back(memory);
    }
    p.record.thread_bytes = std::max(p.record.thread_bytes, bytes);
  }
  p.record.locked = touch::lock_pages(p.threads, all, p.record.lock_errno);
}

base::Expected<void> work(const WorkerProcess& p, Threads& threads) {
  if (auto ok = make_threads(p, threads); !ok) return ok;
  if (!await_threads(p, sources::ThreadPhase::prepared)) return {};
  lock_memory(p, threads);
  touch::keep_where_it_is();
  bind_to_threads(p);
  auto region = map_and_fill(p);
  if (!region) return region.error();
  const bool first_placed = p.plan.region.initial_node >= 0;  // the kernel may move these pages during the run
  if (first_placed) report_placement(p, *region);
  const JoinedAtTheEnd joined{threads};
  for (auto& thread : threads) thread->set_base(region->data());
  p.record.set_phase(ProcessPhase::filled);
  if (!await_threads(p, sources::ThreadPhase::ready)) return {};
  p.record.set_phase(ProcessPhase::ready);
  if (!await_step(p.state, Step::go)) return {};
  for (auto& thread : threads) thread->join();
  // Without a fill, a page is placed at its first access.
  if (!first_placed && !p.plan.region.memory_nodes.empty()) report_placement(p, *region);
  say_of_sources(p, threads);
  p.record.set_phase(ProcessPhase::ended);
  await_step(p.state, Step::unmap);
  region->unmap();
  p.record.set_phase(ProcessPhase::unmapped);
  return {};
}

}  // namespace

int run_worker_process(const WorkerProcess& process) {
  leave_signals_to_the_parent();
  Threads threads;
  const auto ok = work(process, threads);
  if (!ok) {
    process.voice.error(ok.error());
    process.record.set_phase(ProcessPhase::failed);
    process.state.steps.abort();  // so that the threads and the other processes do not wait forever
  }
  for (auto& thread : threads) thread->join();
  return ok ? 0 : 1;
}

}  // namespace fathom::paging::workers
