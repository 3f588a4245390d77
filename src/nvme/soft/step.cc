// One step of the controller: reads the doorbells, fetches new commands, posts completions that are done or due. The
// work of a step is bounded: one batch per queue, and every pending completion once.
#include <algorithm>
#include <cassert>

#include "nvme/soft/state.h"

namespace fathom::nvme::soft {
namespace {

constexpr std::uint32_t kBatch = 128;
constexpr unsigned kStepsBetweenLooks = 4096;

// Accepts the driver's head if it is between the previous head and the controller's tail. Any other value is reported
// once, and ignored.
void see_head(State& state, memory::CompletionRing& cq) {
  const std::uint32_t head = memory::load_doorbell(cq.doorbell);
  if (head == cq.head || head == cq.bad_head) return;
  const auto ahead = [&](std::uint32_t slot) { return slot >= cq.head ? slot - cq.head : slot + cq.entries - cq.head; };
  if (head < cq.entries && ahead(head) <= ahead(cq.tail)) {
    cq.head = head;
    return;
  }
  cq.bad_head = head;
  state.events.happen(memory::kInvalidDoorbellValue);
}

void push_pending(State& state, const Pending& pending) {
  state.pending.push_back(pending);
  std::push_heap(state.pending.begin(), state.pending.end());
}

void finish(State& state, const memory::SubmissionRing& sq, const Pending& pending) {
  memory::CompletionRing& cq = *sq.completions;
  switch (pending.fault) {
    case FaultKind::drop:
      --cq.reserved;
      return;
    case FaultKind::wrong_phase:
      --cq.reserved;
      cq.post(pending.outcome.result,
              memory::completion_word(sq.head, sq.id, pending.cid, pending.outcome.status, cq.phase ^ 1));
      return;
    case FaultKind::duplicate_cid:
      complete(sq, pending.cid, pending.outcome);
      see_head(state, cq);
      if (cq.room() == 0) return;
      ++cq.reserved;
      break;
    default:
      break;
  }
  complete(sq, pending.cid, pending.outcome);
}

// The time when a completion is due; 0: at once.
std::uint64_t due_ns(State& state, const Fault* fault) {
  const std::uint64_t late = fault != nullptr && fault->kind == FaultKind::late ? fault->late_ns : 0;
  const std::uint64_t takes = state.latency.next_ns() + late;
  return takes == 0 ? 0 : state.clock() + takes;
}

void fetch_io(State& state, memory::SubmissionRing& sq, const Command& command) {
  const Fault* fault = state.faults.any() ? state.faults.next() : nullptr;
  const FaultKind kind = fault != nullptr ? fault->kind : FaultKind::late;
  if (kind == FaultKind::fatal) return fail(state);
  if (kind == FaultKind::removal) return take_away(state);
  Pending pending;
  pending.sq_id = sq.id;
  pending.cid = command.cid;
  pending.fault = kind;
  pending.outcome = kind == FaultKind::status ? Outcome{fault->status} : execute_io(state, command);
  if (pending.outcome.status != kSuccess) note_error(state, sq.id, command.cid, command, pending.outcome.status);
  pending.due_ns = due_ns(state, fault);
  pending.order = ++state.fetched;
  if (pending.due_ns == 0)
    finish(state, sq, pending);
  else
    push_pending(state, pending);
}

void fetch_admin(State& state, memory::SubmissionRing& sq, const Command& command) {
  const Outcome outcome = execute_admin(state, command);
  if (outcome.status != kSuccess) note_error(state, sq.id, command.cid, command, outcome.status);
  if (outcome.later)
    --sq.completions->reserved;
  else
    complete(sq, command.cid, outcome);
}

void fetch_one(State& state, memory::SubmissionRing& sq) {
  Command command;  // a copy, because the driver could change it
  std::memcpy(&command, sq.ring + std::size_t{sq.head} * sizeof command, sizeof command);
  sq.advance(1);
  ++sq.completions->reserved;
  sq.id == 0 ? fetch_admin(state, sq, command) : fetch_io(state, sq, command);
}

unsigned serve(State& state, memory::SubmissionRing& sq, std::uint32_t tail) {
  if (tail >= sq.entries) {
    if (tail != sq.bad_tail) state.events.happen(memory::kInvalidDoorbellValue);
    sq.bad_tail = tail;
    return 0;
  }
  memory::CompletionRing& cq = *sq.completions;
  if (sq.ring == nullptr || cq.ring == nullptr) return 0;
  std::uint32_t count = std::min(kBatch, tail > sq.head ? tail - sq.head : tail + sq.entries - sq.head);
  if (cq.room() < count) see_head(state, cq);
  count = std::min(count, cq.room());
  std::uint32_t done = 0;
  while (done < count && state.running.load(std::memory_order_relaxed)) {
    if (state.ideal && sq.id != 0) done += serve_ideal(state.shape, sq, count - done);
    if (done == count) break;
    fetch_one(state, sq);
    ++done;
    if (cq.room() < count - done) count = done + cq.room();
  }
  return done;
}

unsigned post_due(State& state) {
  const std::uint64_t now = state.clock();
  unsigned done = 0;
  while (!state.pending.empty() && state.pending.front().due_ns <= now) {
    std::pop_heap(state.pending.begin(), state.pending.end());
    const Pending pending = state.pending.back();
    const memory::SubmissionRing& sq = *state.submission[pending.sq_id];
    if (sq.completions->ring == nullptr) {  // waits until the driver maps its memory again
      std::push_heap(state.pending.begin(), state.pending.end());
      break;
    }
    state.pending.pop_back();
    finish(state, sq, pending);
    ++done;
  }
  return done;
}

unsigned answer_events(State& state) {
  memory::CompletionRing& cq = *state.admin->completions;
  see_head(state, cq);
  unsigned done = 0;
  for (; cq.ring != nullptr && cq.room() != 0; ++done) {
    const auto answer = state.events.answer();
    if (!answer) break;
    ++cq.reserved;
    complete(*state.admin, answer->cid, {kSuccess, answer->event.result()});
  }
  return done;
}

// Doorbells of missing queues are zeroed when the queue is deleted. Any other value there was written by the driver.
void look_at_other_doorbells(State& state) {
  const auto look = [&](bool exists, volatile std::uint32_t* word) {
    if (exists || memory::load_doorbell(word) == 0) return;
    __atomic_store_n(word, 0u, __ATOMIC_RELAXED);
    state.events.happen(memory::kInvalidDoorbellRegister);
  };
  for (std::uint32_t id = 1; id <= state.options.io_queues_max; ++id) {
    look(state.submission[id] != nullptr, state.sq_doorbell(id));
    look(state.completion[id] != nullptr, state.cq_doorbell(id));
  }
}

}  // namespace

void complete(const memory::SubmissionRing& sq, std::uint16_t cid, const Outcome& outcome) {
  memory::CompletionRing& cq = *sq.completions;
  assert(cq.reserved != 0);
  --cq.reserved;
  cq.post(outcome.result, memory::completion_word(sq.head, sq.id, cid, outcome.status, cq.phase));
}

void note_error(State& state, std::uint16_t sq_id, std::uint16_t cid, const Command& command, Status status) {
  commands::ErrorEntry entry;
  entry.sq_id = sq_id;
  entry.cid = cid;
  entry.status = static_cast<std::uint16_t>(status << 1);
  entry.nsid = command.nsid;
  if (sq_id != 0) entry.lba = command.cdw10 | std::uint64_t{command.cdw11} << 32;
  state.errors.add(entry);
  if (status == kUnrecoveredReadError || status == kWriteFault) ++state.counters.media_errors;
}

unsigned step(State& state) {
  unsigned done = 0;
  const std::uint32_t admin_tail = memory::load_doorbell(state.admin->doorbell);
  if (admin_tail != state.admin->head) done += serve(state, *state.admin, admin_tail);
  for (memory::SubmissionRing* sq : state.active) {
    const std::uint32_t tail = memory::load_doorbell(sq->doorbell);
    if (tail != sq->head) done += serve(state, *sq, tail);
  }
  if (!state.running.load(std::memory_order_relaxed)) return done;
  if (!state.pending.empty()) done += post_due(state);
  if (state.events.waiting()) done += answer_events(state);
  if (++state.steps_to_look == kStepsBetweenLooks) {
    state.steps_to_look = 0;
    look_at_other_doorbells(state);
  }
  return done;
}

}  // namespace fathom::nvme::soft
