// Any engine with a queue, behind two indirect calls a batch: one hands over what was posted, one takes what has
// finished. run/'s loop is compiled once for Batch and serves them all, where each engine of its own would cost the
// compiler a set of loops (clock x stamps x pacing). What it costs at run time are a few instructions an I/O, for the
// list of what was posted; null, io_uring, nvme and sim, whose paths are measured to the instruction, do without it.
//
// A new engine derives from BatchEngine, or is written as engine.h says and handed in as Batched<E>.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace fathom::engine {

// One request of a batch. It is the loop's, which keeps it until the slot has been reaped.
struct Posted {
  const io::Request* request;
  std::byte* buffer;
  std::uint32_t slot;
};

// As engine.h says, but that post() and ring() are one call.
class BatchEngine {
 public:
  virtual ~BatchEngine() = default;
  virtual base::Expected<void> open(const Setup& setup) = 0;
  // Returns what ring() does. Of a batch that was taken in part the rest is asked for again by an empty one.
  virtual int submit(std::span<const Posted> batch, unsigned wait_for) = 0;
  virtual int reap(unsigned min, std::span<io::Completion> out) = 0;
  virtual void close() = 0;
  virtual std::vector<std::string> fallbacks() const { return {}; }
  virtual std::string explain(std::uint32_t /*slot*/) const { return {}; }
};

// Instantiated in the engine's own file, where its calls become one piece with these.
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

// What the loop sees.
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
