// Forking, hearing, reaping.
#include "paging/worker_crew.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace fathom::paging {

WorkerCrew::WorkerCrew(const Plan& plan, const WorkerInputs& inputs, SharedState& state,
                       std::span<ProcessRecord> processes, std::span<ThreadRecord> threads)
    : plan_(plan),
      inputs_(inputs),
      state_(state),
      records_(processes),
      threads_(threads),
      children_(processes.size()) {}

WorkerCrew::~WorkerCrew() { kill(5'000'000'000); }

base::Expected<void> WorkerCrew::start(const std::function<base::Expected<void>(int pid)>& join) {
  for (unsigned i = 0; i < children_.size(); ++i)
    if (auto ok = fork_one(i, join); !ok) return ok;
  return {};
}

base::Expected<void> WorkerCrew::fork_one(unsigned process, const std::function<base::Expected<void>(int pid)>& join) {
  int joined[2], message[2];
  if (::pipe2(joined, O_CLOEXEC) != 0) return base::system_error("pipe", errno);
  base::UniqueFd joined_read(joined[0]), joined_write(joined[1]);
  if (::pipe2(message, O_CLOEXEC | O_NONBLOCK) != 0) return base::system_error("pipe", errno);
  base::UniqueFd message_read(message[0]), message_write(message[1]);

  const int parent = static_cast<int>(::getpid());
  const int pid = static_cast<int>(::fork());
  if (pid < 0) return base::system_error("fork", errno);
  if (pid == 0) {
    joined_write.reset();
    message_read.reset();
    const auto number = static_cast<int>(process);
    const auto first = static_cast<unsigned>(plan_.first_worker(number));
    const auto own_threads = threads_.subspan(first, static_cast<std::size_t>(plan_.threads_of(number)));
    Plan own = plan_;
    own.region.seed += process;  // no two processes have the same pages: nothing merges them
    if (!own.process_nodes.empty()) own.region.memory_nodes = own.process_nodes[process % own.process_nodes.size()];
    ::_exit(
        run_worker_process({own, inputs_, state_, records_[process], own_threads, first,
                            static_cast<unsigned>(threads_.size()), parent, joined_read.get(), message_write.get()}));
  }
  auto& child = children_[process];
  child.pid = pid;
  child.alive = true;
  child.message_fd = std::move(message_read);
  if (join)
    if (auto ok = join(pid); !ok) return ok;
  if (::write(joined_write.get(), "j", 1) != 1) return base::system_error("write to a pipe", errno);
  return {};
}

void WorkerCrew::hear(Child& child) {
  char bytes[4096];
  ssize_t got;
  while ((got = ::read(child.message_fd.get(), bytes, sizeof bytes)) > 0)
    child.said.append(bytes, static_cast<std::size_t>(got));
}

void WorkerCrew::look() {
  for (unsigned i = 0; i < children_.size(); ++i) {
    auto& child = children_[i];
    if (!child.alive) continue;
    hear(child);
    int status = 0;
    if (::waitpid(child.pid, &status, WNOHANG) != child.pid) continue;
    child.alive = false;
    hear(child);
    note_end(i, status);
  }
}

void WorkerCrew::note_end(unsigned process, int status) {
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  const int exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  if (signal == 0 && exit_status == 0) return;
  const auto step = state_.step.load(std::memory_order_acquire);
  const bool before = step != static_cast<std::uint32_t>(Step::go) && step != static_cast<std::uint32_t>(Step::unmap);
  const auto& child = children_[process];
  deaths_.push_back({static_cast<int>(process), child.pid, signal, exit_status, before, child.killed});
}

bool WorkerCrew::all_at(ProcessPhase phase) const {
  for (std::size_t i = 0; i < children_.size(); ++i) {
    const auto at = records_[i].get_phase();
    if (children_[i].alive && (at < phase || at == ProcessPhase::failed)) return false;
  }
  return true;
}

unsigned WorkerCrew::living() const {
  return static_cast<unsigned>(std::count_if(children_.begin(), children_.end(), [](auto& c) { return c.alive; }));
}

WorkerMessages WorkerCrew::messages() const {
  WorkerMessages all;
  for (const auto& child : children_) {
    auto of_one = decode(child.said);
    for (auto& f : of_one.findings) {
      const bool known = std::any_of(all.findings.begin(), all.findings.end(),
                                     [&](auto& o) { return o.id == f.id && o.evidence == f.evidence; });
      if (!known) all.findings.push_back(std::move(f));
    }
    if (of_one.error && !all.error) all.error = std::move(of_one.error);
  }
  return all;
}

void WorkerCrew::ask_to_stop() {
  for (auto& process : records_) process.stop.store(1, std::memory_order_relaxed);
  for (auto& thread : threads_) thread.head.live.stop.store(1, std::memory_order_relaxed);
}

void WorkerCrew::kill(std::uint64_t patience_ns) {
  look();
  for (auto& child : children_) {
    if (!child.alive) continue;
    child.killed = true;
    ::kill(child.pid, SIGKILL);
  }
  const std::uint64_t give_up_ns = monotonic_ns() + patience_ns;
  for (look(); living() > 0 && monotonic_ns() < give_up_ns; look()) sleep_ns(500'000);
}

}  // namespace fathom::paging
