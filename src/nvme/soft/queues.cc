// Creates and deletes queues, with every refusal of the specification (NVM Express Base Specification 2.0c, sections
// 5.4-5.7). Rings are physically contiguous (CAP.CQR): one address range within one mapped region. If the driver unmaps
// that memory, the queue stops until the memory is mapped again.
#include <algorithm>

#include "nvme/soft/state.h"

namespace fathom::nvme::soft {
namespace {

std::uint16_t queue_id(const Command& command) { return static_cast<std::uint16_t>(command.cdw10); }
std::uint32_t queue_entries(const Command& command) { return (command.cdw10 >> 16) + 1; }

template <class Ring>
bool exists(const std::vector<std::unique_ptr<Ring>>& rings, std::uint32_t id) {
  return id < rings.size() && rings[id] != nullptr;
}

template <class Ring>
bool may_create(const State& state, const std::vector<std::unique_ptr<Ring>>& rings, std::uint32_t id) {
  return id >= 1 && id <= state.io_queues && !exists(rings, id);
}

// size_log2: CC.IOSQES or CC.IOCQES, which must already be set.
Status check_shape(const State& state, const Command& command, unsigned size_log2, unsigned least, unsigned most) {
  const std::uint32_t entries = queue_entries(command);
  if (entries < 2 || entries > state.options.queue_entries_max) return kInvalidQueueSize;
  if (size_log2 < least || size_log2 > most) return kInvalidQueueSize;
  if ((command.cdw11 & 1) == 0) return kInvalidField;  // PC
  if (command.prp1 % state.page_bytes != 0) return kInvalidPrpOffset;
  return kSuccess;
}

template <class Ring>
bool find_ring(const State& state, Ring& queue) {
  constexpr memory::Access kAccess =
      std::is_same_v<Ring, memory::CompletionRing> ? memory::Access::write : memory::Access::read;
  queue.ring = state.regions.find(queue.iova, queue.bytes(), kAccess);
  return queue.ring != nullptr && reinterpret_cast<std::uintptr_t>(queue.ring) % 64 == 0;
}

std::unique_ptr<memory::CompletionRing> make_completion_ring(const State& state, std::uint16_t id, std::uint64_t iova,
                                                             std::uint32_t entries, unsigned size_log2) {
  auto ring = std::make_unique<memory::CompletionRing>();
  ring->id = id;
  ring->entries = entries;
  ring->entry_bytes = static_cast<std::uint16_t>(1u << size_log2);
  ring->iova = iova;
  ring->doorbell = state.cq_doorbell(id);
  return find_ring(state, *ring) ? std::move(ring) : nullptr;
}

std::unique_ptr<memory::SubmissionRing> make_submission_ring(const State& state, std::uint16_t id, std::uint64_t iova,
                                                             std::uint32_t entries,
                                                             memory::CompletionRing* completions) {
  auto ring = std::make_unique<memory::SubmissionRing>();
  ring->id = id;
  ring->entries = entries;
  ring->iova = iova;
  ring->doorbell = state.sq_doorbell(id);
  ring->completions = completions;
  return find_ring(state, *ring) ? std::move(ring) : nullptr;
}

void zero(volatile std::uint32_t* doorbell) { __atomic_store_n(doorbell, 0u, __ATOMIC_RELAXED); }

void forget_pending(State& state, const memory::SubmissionRing& sq) {
  const auto kept =
      std::partition(state.pending.begin(), state.pending.end(), [&](const Pending& p) { return p.sq_id != sq.id; });
  for (auto p = kept; p != state.pending.end(); ++p) {
    if (sq.completions->ring != nullptr)
      complete(sq, p->cid, {kAbortedBySqDeletion});
    else
      --sq.completions->reserved;
  }
  state.pending.erase(kept, state.pending.end());
  std::make_heap(state.pending.begin(), state.pending.end());
}

}  // namespace

Outcome create_completion_queue(State& state, const Command& command) {
  const std::uint16_t id = queue_id(command);
  if (!may_create(state, state.completion, id)) return {kInvalidQueueIdentifier};
  const unsigned size_log2 = (state.registers.cc.load(std::memory_order_relaxed) >> 20) & 0xf;
  if (const Status status = check_shape(state, command, size_log2, 4, state.options.cqes); status != kSuccess)
    return {status};
  if ((command.cdw11 >> 16) > state.options.io_queues_max) return {kInvalidInterruptVector};
  auto ring = make_completion_ring(state, id, command.prp1, queue_entries(command), size_log2);
  if (ring == nullptr) return {kDataTransferError};
  zero(state.cq_doorbell(id));
  state.completion[id] = std::move(ring);
  return {};
}

Outcome create_submission_queue(State& state, const Command& command) {
  const std::uint16_t id = queue_id(command);
  if (!may_create(state, state.submission, id)) return {kInvalidQueueIdentifier};
  const std::uint32_t completions = command.cdw11 >> 16;
  if (completions == 0 || completions > state.io_queues) return {kInvalidQueueIdentifier};
  if (!exists(state.completion, completions)) return {kCompletionQueueInvalid};
  const unsigned size_log2 = (state.registers.cc.load(std::memory_order_relaxed) >> 16) & 0xf;
  if (const Status status = check_shape(state, command, size_log2, 6, 6); status != kSuccess) return {status};
  memory::CompletionRing* target = state.completion[completions].get();
  auto ring = make_submission_ring(state, id, command.prp1, queue_entries(command), target);
  if (ring == nullptr) return {kDataTransferError};
  zero(state.sq_doorbell(id));
  ++target->users;
  state.active.push_back(ring.get());
  state.submission[id] = std::move(ring);
  return {};
}

Outcome delete_submission_queue(State& state, const Command& command) {
  const std::uint16_t id = queue_id(command);
  if (id == 0 || !exists(state.submission, id)) return {kInvalidQueueIdentifier};
  memory::SubmissionRing& sq = *state.submission[id];
  forget_pending(state, sq);
  add_counts(state.counters, sq, state.shape.block_shift);
  --sq.completions->users;
  std::erase(state.active, &sq);
  zero(state.sq_doorbell(id));
  state.submission[id].reset();
  return {};
}

Outcome delete_completion_queue(State& state, const Command& command) {
  const std::uint16_t id = queue_id(command);
  if (id == 0 || !exists(state.completion, id)) return {kInvalidQueueIdentifier};
  if (state.completion[id]->users != 0) return {kInvalidQueueDeletion};
  zero(state.cq_doorbell(id));
  state.completion[id].reset();
  return {};
}

bool make_admin_queues(State& state) {
  const std::uint32_t sizes = state.registers.aqa.load(std::memory_order_relaxed);
  const std::uint32_t sq_entries = (sizes & 0xfff) + 1, cq_entries = ((sizes >> 16) & 0xfff) + 1;
  const std::uint64_t asq = state.registers.asq.load(std::memory_order_relaxed);
  const std::uint64_t acq = state.registers.acq.load(std::memory_order_relaxed);
  if (sq_entries < 2 || cq_entries < 2 || asq % state.page_bytes != 0 || acq % state.page_bytes != 0) return false;
  auto cq = make_completion_ring(state, 0, acq, cq_entries, 4);
  auto sq = make_submission_ring(state, 0, asq, sq_entries, cq.get());
  if (cq == nullptr || sq == nullptr) return false;
  zero(state.sq_doorbell(0));
  zero(state.cq_doorbell(0));
  state.admin = sq.get();
  state.completion[0] = std::move(cq);
  state.submission[0] = std::move(sq);
  return true;
}

void drop_all_queues(State& state) {
  for (const memory::SubmissionRing* sq : state.active) add_counts(state.counters, *sq, state.shape.block_shift);
  state.active.clear();
  state.pending.clear();
  state.admin = nullptr;
  for (auto& sq : state.submission) sq.reset();
  for (auto& cq : state.completion) cq.reset();
  for (std::uint32_t word = 0; word < kDoorbellBytes / 4; ++word) zero(state.doorbells + word);
}

// The queue's identifier remains, but the queue will never get memory again.
void forget_ring_at(State& state, std::uint64_t iova) {
  constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  const auto forget = [&](auto& queues) {
    for (auto& queue : queues) {
      if (queue == nullptr || queue->iova != iova) continue;
      queue->iova = kNowhere;
      queue->ring = nullptr;
    }
  };
  forget(state.submission);
  forget(state.completion);
}

void find_rings(State& state) {
  const auto find_each = [&](auto& queues) {
    for (auto& queue : queues)
      if (queue != nullptr && !find_ring(state, *queue)) queue->ring = nullptr;
  };
  find_each(state.submission);
  find_each(state.completion);
}

}  // namespace fathom::nvme::soft
