// One measuring thread, from its start to the end of its record. Thread rule: the process's main thread calls start()
// and join().
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

// Binds the calling thread to these CPUs; empty: no change. Returns errno, 0: success.
int bind_to(const std::vector<int>& cpus);

class WorkerThread {
 public:
  // cpus: to bind to; empty: not bound.
  WorkerThread(const Plan& plan, const WorkerInputs& inputs, SharedState& state, sources::ThreadRecord& record,
               std::unique_ptr<sources::AccessSource> source, std::vector<int> cpus);
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;
  ~WorkerThread() { join(); }

  base::Expected<void> start();
  void join();
  // Call before Step::warm_up is taken.
  void set_base(std::byte* base) { base_.store(base, std::memory_order_release); }
  const sources::AccessSource& source() const { return *source_; }
  // All that measuring touches besides its record. Valid once started.
  std::vector<std::span<const std::byte>> memory() const;
  // Up to the window's end: the address cost is measured on a dry trace.
  std::uint64_t starved() const { return starved_; }

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
