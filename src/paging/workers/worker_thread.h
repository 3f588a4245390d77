// One measuring thread, from its start to the end of its record. Thread rule: start() and join() by the process's main
// thread.
#pragma once
#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/error.h"
#include "paging/sources/access_source.h"
#include "paging/sources/thread_stack.h"
#include "paging/workers/worker_state.h"

namespace fathom::paging::workers {

// The calling thread to these CPUs; none: it stays as it is. Returns errno, 0 for none.
int bind_to(const std::vector<int>& cpus);

class WorkerThread {
 public:
  // cpus: bound to; empty: not.
  WorkerThread(const Plan& plan, const WorkerInputs& inputs, SharedState& state, sources::ThreadRecord& record,
               std::unique_ptr<sources::AccessSource> source, std::vector<int> cpus);
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;
  ~WorkerThread() { join(); }

  base::Expected<void> start();
  void join();
  // Told before Step::warm_up is taken.
  void set_base(std::byte* base) { base_.store(base, std::memory_order_release); }
  const sources::AccessSource& source() const { return *source_; }
  // Beside its record: all that measuring touches of it. Once started.
  std::vector<std::span<const std::byte>> memory() const;
  std::uint64_t starved() const { return starved_; }  // by the end of the window: the cost is measured on a dry trace

 private:
  void run();
  void prepare();
  void warm();
  void measure();

  const Plan& plan_;
  const WorkerInputs& inputs_;
  SharedState& state_;
  sources::ThreadRecord& record_;
  std::unique_ptr<sources::AccessSource> source_;
  std::vector<int> cpus_;
  std::atomic<std::byte*> base_{nullptr};
  std::uint64_t starved_ = 0;
  sources::ThreadStack stack_{sources::kThreadStackBytes};
  pthread_t thread_{};
  bool started_ = false;
};

}  // namespace fathom::paging::workers
