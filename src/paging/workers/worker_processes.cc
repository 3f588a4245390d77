// The inputs of each process, and what is kept of its messages.
#include "paging/workers/worker_processes.h"

#include <utility>

#include "paging/workers/worker_message.h"
#include "result/findings/once.h"

namespace fathom::paging::workers {

WorkerProcesses::WorkerProcesses(const Plan& plan, const WorkerInputs& inputs, SharedState& state,
                                 std::span<ProcessRecord> processes, std::span<sources::ThreadRecord> threads)
    : plan_(plan),
      inputs_(inputs),
      state_(state),
      records_(processes),
      threads_(threads),
      pids_(processes.size()),
      group_(processes.size()) {}

WorkerProcesses::~WorkerProcesses() { kill(5'000'000'000); }

int WorkerProcesses::work(unsigned process, const worker::Voice& voice) {
  const auto number = static_cast<int>(process);
  const auto first = static_cast<unsigned>(plan_.first_worker(number));
  const auto own_threads = threads_.subspan(first, static_cast<std::size_t>(plan_.threads_of(number)));
  Plan own = plan_;
  own.region.seed += process;  // no two processes have the same pages, so nothing merges them
  if (!own.process_nodes.empty()) own.region.memory_nodes = own.process_nodes[process % own.process_nodes.size()];
  return run_worker_process(
      {own, inputs_, state_, records_[process], own_threads, first, static_cast<unsigned>(threads_.size()), voice});
}

base::Expected<void> WorkerProcesses::start(const std::function<base::Expected<void>(int pid)>& admit) {
  for (unsigned i = 0; i < pids_.size(); ++i) {
    const auto admit_one = [this, i, &admit](pid_t pid) {
      pids_[i] = pid;
      return admit ? admit(pid) : base::Expected<void>();
    };
    const auto body = [this, i](const worker::Voice& voice) { return work(i, voice); };
    if (auto ok = group_.start(i, {false, body, admit_one}); !ok) return ok;
  }
  return {};
}

void WorkerProcesses::keep(const worker::Heard& heard) {
  for (const auto& message : heard.messages) {
    if (message.kind == worker::Kind::error && !error_) error_ = message.error();
    if (message.kind != worker::Kind::other) continue;
    if (auto finding = decode(message.bytes)) result::findings::add_once(findings_, std::move(*finding));
  }
  for (const auto& end : heard.ends)
    if (!end.whole || end.status != 0) deaths_.push_back({pids_[end.worker], end});
}

bool WorkerProcesses::all_at(ProcessPhase phase) const {
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const auto at = records_[i].get_phase();
    if (lives(i) && (at < phase || at == ProcessPhase::failed)) return false;
  }
  return true;
}

void WorkerProcesses::ask_to_stop() {
  for (auto& process : records_) process.stop.store(1, std::memory_order_relaxed);
  for (auto& thread : threads_) thread.head.live.stop.store(1, std::memory_order_relaxed);
}

}  // namespace fathom::paging::workers
