// An adapter for any engine with a queue: two indirect calls per batch, one to submit and one to reap.
// The loop of run/ is compiled once for Batch and drives all these engines.
// A separate loop per engine would multiply the compiled loops (clock x stamps x pacing).
// The cost at run time is a few instructions per I/O, for the list of posted requests.
// null, io_uring, nvme and sim do not use it, since their paths are measured to the instruction.
//
// A new engine derives from BatchEngine, or follows engine.h and is passed in as Batched<E>.
// Thread rule and errors: as in engine.h.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace fathom::engine {

// One request of a batch. The loop keeps the request until the slot has been reaped.
struct Posted {
  const io::Request* request;
  std::byte* buffer;
  std::uint32_t slot;
};

// As in engine.h, except that post() and ring() are one call.
class BatchEngine {
 public:
  virtual ~BatchEngine() = default;
  virtual base::Expected<void> open(const Setup& setup) = 0;
  // Returns the values of ring(). If it takes part of a batch, an empty batch requests the rest.
  virtual int submit(std::span<const Posted> batch, unsigned wait_for) = 0;
  virtual int reap(unsigned min, std::span<io::Completion> out) = 0;
  virtual void close() = 0;
  // Features that were requested but are not available, as text.
  virtual std::vector<std::string> fallbacks() const { return {}; }
  // Why the I/O of a slot failed; empty: unknown.
  virtual std::string explain(std::uint32_t /*slot*/) const { return {}; }
  // Makes completed writes durable, for targets without a descriptor. Nothing is in flight. Returns 0 or an errno.
  virtual int sync_targets() { return 0; }
};

// Instantiated in the engine's file, where the compiler merges its calls with these.
template <class Engine>
class Batched final : public BatchEngine {
 public:
  base::Expected<void> open(const Setup& setup) override { return engine_.open(setup); }
  [[gnu::flatten]] int submit(std::span<const Posted> batch, unsigned wait_for) override {
    for (const Posted& p : batch) engine_.post(p.slot, *p.request, p.buffer);
    return engine_.ring(wait_for);
  }
  [[gnu::flatten]] int reap(unsigned min, std::span<io::Completion> out) override { return engine_.reap(min, out); }
  void close() override { engine_.close(); }
  std::vector<std::string> fallbacks() const override {
    if constexpr (requires { engine_.fallbacks(); }) return engine_.fallbacks();
    return {};
  }
  std::string explain(std::uint32_t slot) const override {
    if constexpr (requires { engine_.explain(slot); }) return engine_.explain(slot);
    return {};
  }

 private:
  Engine engine_;
};

// The engine class that the loop uses.
class Batch {
 public:
  static constexpr bool kTakesBatches = true;
  explicit Batch(BatchEngine& engine) : engine_(engine) {}

  base::Expected<void> open(const Setup& setup) {
    batch_ = std::make_unique<Posted[]>(setup.depth);
    posted_ = 0;
    return engine_.open(setup);
  }
  [[gnu::always_inline]] void post(std::uint32_t slot, const io::Request& request, std::byte* buffer) {
    batch_[posted_++] = {&request, buffer, slot};
  }
  [[gnu::always_inline]] int ring(unsigned wait_for = 0) {
    return engine_.submit({batch_.get(), std::exchange(posted_, 0u)}, wait_for);
  }
  [[gnu::always_inline]] int reap(unsigned min, std::span<io::Completion> out) { return engine_.reap(min, out); }
  void close() { engine_.close(); }
  std::vector<std::string> fallbacks() const { return engine_.fallbacks(); }
  std::string explain(std::uint32_t slot) const { return engine_.explain(slot); }

 private:
  BatchEngine& engine_;
  std::unique_ptr<Posted[]> batch_;
  std::uint32_t posted_ = 0;
};

}  // namespace fathom::engine
