// Every way to open an engine, as one table, so that "every engine runs every basic job" is a loop. An engine class has
// no virtual calls; this box gives the tests one type for all of them.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/null.h"
#include "engine/parts.h"
#include "engine/queue/io_uring.h"
#include "engine/queue/libaio.h"
#include "engine/sim.h"
#include "engine/syscall_engine.h"
#include "io/engines.h"
#include "io/options/io_uring.h"
#include "io/options/libaio.h"

namespace fathom::engine::test {

class Box {
 public:
  virtual ~Box() = default;
  virtual base::Expected<void> open(const Setup& setup) = 0;
  virtual void post(std::uint32_t slot, const io::Request& request, std::byte* buffer) = 0;
  virtual int ring() = 0;
  virtual int reap(unsigned min, std::span<io::Completion> out) = 0;
  virtual void close() = 0;
};

template <class E>
class BoxOf final : public Box {
 public:
  base::Expected<void> open(const Setup& setup) override { return engine_.open(setup); }
  void post(std::uint32_t slot, const io::Request& r, std::byte* buffer) override { engine_.post(slot, r, buffer); }
  int ring() override { return engine_.ring(); }
  int reap(unsigned min, std::span<io::Completion> out) override { return engine_.reap(min, out); }
  void close() override { engine_.close(); }

 private:
  E engine_;
};

// An engine without a queue behind the same face: one request, done inside ring().
template <class E>
class BoxOfOne final : public Box {
 public:
  base::Expected<void> open(const Setup& setup) override { return engine_.open(setup); }
  void post(std::uint32_t slot, const io::Request& r, std::byte* buffer) override {
    posted_ = {slot, r, buffer};
    state_ = State::posted;
  }
  int ring() override {
    if (state_ != State::posted) return 0;
    done_ = {posted_.slot, engine_.do_one(posted_.request, posted_.buffer)};
    state_ = State::done;
    return 1;
  }
  int reap(unsigned, std::span<io::Completion> out) override {
    if (state_ != State::done || out.empty()) return 0;
    out[0] = done_;
    state_ = State::idle;
    return 1;
  }
  void close() override { engine_.close(); }

 private:
  enum class State { idle, posted, done };
  struct Posted {
    std::uint32_t slot;
    io::Request request;
    std::byte* buffer;
  };
  E engine_;
  Posted posted_{};
  io::Completion done_;
  State state_ = State::idle;
};

template <class E>
std::unique_ptr<Box> make_box() {
  if constexpr (requires(E e, io::Request r, std::byte * b) { e.post(0u, r, b); })
    return std::make_unique<BoxOf<E>>();
  else
    return std::make_unique<BoxOfOne<E>>();
}

template <const Calls& kCalls>
struct Calling : SyscallEngine {
  Calling() : SyscallEngine(kCalls) {}
};

// What run/'s loop sees of an engine that is handed whole batches; it keeps the requests, as the loop does.
template <auto kMake>
class InBatches {
 public:
  base::Expected<void> open(const Setup& setup) {
    requests_.resize(setup.depth);
    return batch_.open(setup);
  }
  void post(std::uint32_t slot, const io::Request& request, std::byte* buffer) {
    batch_.post(slot, requests_[slot] = request, buffer);
  }
  int ring() { return batch_.ring(); }
  int reap(unsigned min, std::span<io::Completion> out) { return batch_.reap(min, out); }
  void close() { batch_.close(); }

 private:
  std::unique_ptr<BatchEngine> engine_ = kMake();
  Batch batch_{*engine_};
  std::vector<io::Request> requests_;
};

using Info = io::EngineTraits;
// What every engine is held to that reads and writes files.
inline bool moves_file_data(const Info& i) { return i.needs_files && i.keeps_data; }

struct Case {
  const char* engine;   // name in io::engines()
  const char* variant;  // for the test's name
  std::unique_ptr<Box> (*make)();
  void (*set)(io::EngineOptions&);
  const Info& info() const { return *io::find_engine(engine); }
  io::EngineOptions options() const {
    io::EngineOptions o;
    if (set) set(o);
    return o;
  }
};
inline void PrintTo(const Case& c, std::ostream* os) { *os << c.engine << " " << c.variant; }

using Options = io::EngineOptions;
inline io::IoUringOptions& ring(Options& o) { return o.own.get<io::IoUringOptions>(); }
inline constexpr Case kCases[] = {
    {"null", "plain", make_box<NullEngine>, nullptr},
    {"sync", "plain", make_box<Calling<sync_calls>>, nullptr},
    {"psync", "plain", make_box<Calling<psync_calls>>, nullptr},
    {"pvsync2", "plain", make_box<Calling<pvsync2_calls>>, nullptr},
    {"mmap", "sequential", make_box<Calling<mmap_calls>>, nullptr},
    {"mmap", "random", make_box<Calling<mmap_calls>>, [](Options& o) { o.random = true; }},
    {"mmap", "direct", make_box<Calling<mmap_calls>>, [](Options& o) { o.direct = true; }},
    {"libaio", "plain", make_box<queue::LibaioEngine>, nullptr},
    {"libaio", "userspace_reap", make_box<queue::LibaioEngine>,
     [](Options& o) { o.own.get<io::LibaioOptions>().userspace_reap = true; }},
    {"io_uring", "plain", make_box<queue::UringEngine>, nullptr},
    {"io_uring", "vectored", make_box<queue::UringEngine>, [](Options& o) { o.vectored = true; }},
    {"io_uring", "fixedbufs", make_box<queue::UringEngine>, [](Options& o) { ring(o).fixedbufs = true; }},
    {"io_uring", "registerfiles", make_box<queue::UringEngine>, [](Options& o) { ring(o).registerfiles = true; }},
    {"io_uring", "fixed_and_registered", make_box<queue::UringEngine>,
     [](Options& o) { ring(o).fixedbufs = ring(o).registerfiles = true; }},
    {"io_uring", "force_async", make_box<queue::UringEngine>, [](Options& o) { ring(o).force_async = true; }},
    {"io_uring", "sqthread_poll", make_box<queue::UringEngine>, [](Options& o) { o.kernel_submits = true; }},
    {"io_uring", "sqthread_poll_cpu", make_box<queue::UringEngine>,
     [](Options& o) { o.kernel_submits = true, ring(o).sqthread_poll_cpu = 0; }},
    {"sim", "plain", make_box<SimEngine>, nullptr},
    {"pvsync", "plain", make_box<Calling<pvsync_calls>>, nullptr},
    {"splice", "plain", make_box<Calling<splice_calls>>, nullptr},
    {"vsync", "plain", make_box<InBatches<make_vsync>>, nullptr},
    {"posixaio", "plain", make_box<InBatches<make_posixaio>>, nullptr},
    {"falloc", "plain", make_box<Calling<falloc_calls>>, nullptr},
    {"ftruncate", "plain", make_box<Calling<ftruncate_calls>>, nullptr},
    {"page_fault", "plain", make_box<Calling<page_fault_calls>>, nullptr},
    {"filecreate", "plain", make_box<Calling<filecreate_calls>>, nullptr},
    {"filestat", "plain", make_box<Calling<filestat_calls>>, nullptr},
    {"filedelete", "plain", make_box<Calling<filedelete_calls>>, nullptr},
    {"dircreate", "plain", make_box<Calling<dircreate_calls>>, nullptr},
    {"dirstat", "plain", make_box<Calling<dirstat_calls>>, nullptr},
    {"dirdelete", "plain", make_box<Calling<dirdelete_calls>>, nullptr},
    {"cpuio", "plain", make_box<Calling<cpuio_calls>>, nullptr},
    {"exec", "plain", make_box<Calling<exec_calls>>, nullptr},
    {"net", "plain", make_box<Calling<net_calls>>, nullptr},
    {"netsplice", "plain", make_box<Calling<netsplice_calls>>, nullptr},
    {"e4defrag", "plain", make_box<Calling<e4defrag_calls>>, nullptr},
};

inline std::string case_name(const ::testing::TestParamInfo<Case>& p) {
  return std::string(p.param.engine) + "_" + p.param.variant;
}

// The rows for which `keep` holds.
inline std::vector<Case> cases(bool (*keep)(const Info&)) {
  std::vector<Case> out;
  for (const Case& c : kCases)
    if (keep(c.info())) out.push_back(c);
  return out;
}

}  // namespace fathom::engine::test
