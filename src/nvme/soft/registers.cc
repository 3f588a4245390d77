// Controller registers with an effect: CAP, and the state machine of CC and CSTS (NVM Express Base Specification 2.0c,
// sections 3.1.3, 3.5, 3.6). Enabling an unsupported configuration sets CSTS.CFS, and the controller does not become
// ready.
#include "nvme/registers.h"

#include "nvme/soft/state.h"

namespace fathom::nvme::soft {
namespace {

constexpr std::uint32_t kReadyWithin_500ms = 2;  // CAP.TO
constexpr unsigned kLargestPage_log2 = 4;        // CAP.MPSMAX: 64 KiB

void start(State& state, std::uint32_t cc) {
  const std::uint32_t command_set = (cc >> 4) & 7, page_log2 = (cc >> 7) & 0xf, arbitration = (cc >> 11) & 7;
  if (state.options.has_fault(FaultKind::never_ready)) return;
  if (command_set != 0 || arbitration != 0 || page_log2 > kLargestPage_log2) return fail(state);
  state.page_bytes = 4096u << page_log2;
  if (!make_admin_queues(state)) return fail(state);
  state.registers.csts.store(kCstsReady, std::memory_order_relaxed);
  state.running.store(true, std::memory_order_relaxed);
}

void shut_down(State& state) {
  state.running.store(false, std::memory_order_relaxed);
  if (state.store != nullptr) state.store->flush();
  auto& csts = state.registers.csts;
  csts.store((csts.load(std::memory_order_relaxed) & ~kCstsShutdownMask) | kCstsShutdownComplete,
             std::memory_order_relaxed);
}

}  // namespace

std::uint64_t capabilities(const Options& options) {
  return std::uint64_t{options.queue_entries_max - 1} | 1ull << 16 | std::uint64_t{kReadyWithin_500ms} << 24 |
         std::uint64_t{options.doorbell_stride} << 32 | 1ull << 37 | std::uint64_t{kLargestPage_log2} << 52;
}

void write_cc(State& state, std::uint32_t value) {
  const std::uint32_t before = state.registers.cc.exchange(value, std::memory_order_relaxed);
  const bool was_enabled = before & kCcEnable, enabled = value & kCcEnable;
  if (was_enabled && !enabled) stop(state);
  if (!was_enabled && enabled) start(state, value);
  if ((value & kCcShutdownMask) != 0 && (before & kCcShutdownMask) == 0) shut_down(state);
}

void stop(State& state) {
  state.running.store(false, std::memory_order_relaxed);
  state.registers.csts.store(0, std::memory_order_relaxed);
  drop_all_queues(state);
  state.events.clear();
  state.features.fill(0);
  state.temperature = {};
  state.io_queues = state.options.io_queues_max;
}

void fail(State& state) {
  state.running.store(false, std::memory_order_relaxed);
  state.registers.csts.fetch_or(kCstsFatal, std::memory_order_release);
}

void take_away(State& state) {
  state.running.store(false, std::memory_order_relaxed);
  state.gone.store(true, std::memory_order_release);
}

}  // namespace fathom::nvme::soft
