// The parts of a queue outside the I/O path: memory, waiting, splitting, ending with an error.
#include "nvme/queue_core.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <new>

#include "clock/sources/source.h"
#include "nvme/doorbell_cost.h"
#include "nvme/prp.h"
#include "nvme/registers.h"

namespace fathom::nvme {

struct QueueCore::Waiting {
  Command command;
  std::uint64_t iova;
  std::uint32_t bytes;
  Callback callback;
  void* context;
  Waiting* next;
};

struct QueueCore::Split {
  QueueCore* queue;
  Callback callback;
  void* context;
  std::uint32_t parts_left;
  Completion first_error;  // status 0: no error
  Split* next;
};

namespace {

constexpr std::size_t kLine = 64;

std::byte* aligned_zeroes(std::size_t bytes, std::size_t alignment) {
  auto* memory = static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{alignment}));
  std::memset(memory, 0, bytes);
  return memory;
}

}  // namespace

// The requested alignment is at most a page. Deallocation only needs to know that the alignment was extended.
void QueueCore::AlignedDelete::operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{4096}); }

QueueCore::QueueCore() = default;
QueueCore::~QueueCore() { release(); }

base::Expected<void> QueueCore::make(Transport& transport, std::uint16_t qid, const QueueOptions& options,
                                     const QueueLimits& limits) {
  assert(std::has_single_bit(options.entries) && options.entries >= 2);
  transport_ = &transport;
  dead_ = false;
  qid_ = qid;
  limits_ = limits;
  const std::uint32_t entries = options.entries;
  in_flight_max_ = options.in_flight == 0 ? entries - 1 : std::min(options.in_flight, entries - 1);
  sq_mask_ = cq_mask_ = entries - 1;
  cq_shift_ = static_cast<std::uint32_t>(std::countr_zero(entries));
  list_stride_ = prp_list_bytes(limits.transfer_bytes_max);

  DmaMemory* const wanted[] = {&sq_memory_, &cq_memory_, &list_memory_};
  const std::size_t bytes[] = {entries * sizeof(Command),
                               static_cast<std::size_t>(entries) * limits.completion_entry_bytes,
                               static_cast<std::size_t>(in_flight_max_) * list_stride_};
  for (std::size_t i = 0; i < std::size(wanted); ++i) {
    auto memory = transport.allocate(bytes[i]);
    if (!memory) {
      release();
      return memory.error();
    }
    *wanted[i] = *memory;
  }
  sq_ = reinterpret_cast<Command*>(sq_memory_.memory);
  cq_ = cq_memory_.memory;

  tracker_stride_ = options.trackers_4k_apart ? 4096 : sizeof(Tracker);
  tracker_mask_ = std::bit_ceil(in_flight_max_) - 1;
  tracker_memory_.reset(aligned_zeroes((std::size_t{tracker_mask_} + 1) * tracker_stride_, 4096));
  request_memory_.reset(aligned_zeroes(static_cast<std::size_t>(in_flight_max_) * kLine, 4096));
  trackers_ = tracker_memory_.get();
  free_memory_ = std::make_unique<std::uint16_t[]>(in_flight_max_);
  free_ = free_memory_.get();

  waiting_memory_ = std::make_unique<Waiting[]>(options.requests);
  for (std::uint32_t i = 0; i < options.requests; ++i) {
    waiting_memory_[i].next = waiting_free_;
    waiting_free_ = &waiting_memory_[i];
  }
  split_memory_ = std::make_unique<Split[]>(options.splits);
  for (std::uint32_t i = 0; i < options.splits; ++i) {
    split_memory_[i].next = split_free_;
    split_free_ = &split_memory_[i];
  }

  volatile std::uint32_t* const doorbells = transport.doorbells();
  sq_doorbell_ = doorbells + sq_doorbell_offset(qid, limits.doorbell_stride_bytes) / 4;
  cq_doorbell_ = doorbells + cq_doorbell_offset(qid, limits.doorbell_stride_bytes) / 4;
  cost_ticks_ = transport.doorbell_cost_ns() == 0 ? 0 : doorbell_cost_ticks(transport.doorbell_cost_ns());
  rewind();
  return {};
}

void QueueCore::release() {
  if (transport_ == nullptr) return;
  for (DmaMemory* memory : {&sq_memory_, &cq_memory_, &list_memory_}) {
    if (memory->memory != nullptr) transport_->release(*memory);
    *memory = {};
  }
  // A poll() or ring() of a released queue finds this memory and does nothing.
  alignas(64) static std::byte nothing[64] = {};
  cq_ = nothing;
  cq_mask_ = cq_shift_ = 0;
  cq_head_ = cq_rung_ = 0;
  sq_rung_ = sq_tail_;
  dead_ = true;
  transport_ = nullptr;
  waiting_first_ = waiting_last_ = waiting_free_ = nullptr;
  split_free_ = nullptr;
  in_flight_max_ = free_count_ = waiting_count_ = 0;
  gate();
}

void QueueCore::rewind() {
  assert(waiting_count_ == 0);
  cleared_.commands -= sq_tail_;  // modulo 2^64: counts() continues from its last values
  cleared_.completions -= cq_head_;
  sq_tail_ = sq_rung_ = cq_head_ = cq_rung_ = 0;
  std::memset(sq_memory_.memory, 0, sq_memory_.bytes);
  std::memset(cq_memory_.memory, 0, cq_memory_.bytes);
  for (std::uint32_t i = 0; i < in_flight_max_; ++i) {
    tracker(i) = Tracker{};
    free_[i] = static_cast<std::uint16_t>(in_flight_max_ - 1 - i);
  }
  free_count_ = in_flight_max_;
  gate();
}

// The I/O path checks one number to know whether it may continue: no command waits, and the queue is alive.
void QueueCore::gate() { reserved_ = dead_ || waiting_count_ != 0 ? ~0u : 0; }

void QueueCore::kill() {
  dead_ = true;
  gate();
}

void QueueCore::revive() {
  dead_ = false;
  gate();
}

int QueueCore::submit(const Command& command, std::uint64_t iova, std::uint32_t bytes, std::uint32_t block_bytes,
                      Callback callback, void* context) {
  return submit_slowly(command, iova, bytes, block_bytes, callback, context);
}

int QueueCore::submit_slowly(const Command& command, std::uint64_t iova, std::uint32_t bytes, std::uint32_t block_bytes,
                             Callback callback, void* context) {
  if (dead_) return -ENXIO;
  if (bytes > limits_.transfer_bytes_max) return split(command, iova, bytes, block_bytes, callback, context);
  if (free_count_ <= reserved_) return enqueue(command, iova, bytes, callback, context);
  place(command, iova, bytes, callback, context);
  return 0;
}

int QueueCore::deallocate(std::uint32_t nsid, std::uint64_t lba, std::uint32_t blocks, Callback callback,
                          void* context) {
  Command c;
  c.opcode = static_cast<std::uint8_t>(NvmOpcode::dataset_management);
  c.nsid = nsid;
  c.cdw11 = kDsmDeallocate;
  // The range is written into the command's own list once the command has a CID. Until then, dwords that the command
  // does not use hold it.
  c.cdw13 = blocks;
  c.cdw14 = static_cast<std::uint32_t>(lba);
  c.cdw15 = static_cast<std::uint32_t>(lba >> 32);
  return submit_slowly(c, 0, 0, 0, callback, context);
}

// Requires a free CID and a free slot.
void QueueCore::place(const Command& wanted, std::uint64_t iova, std::uint32_t bytes, Callback callback,
                      void* context) {
  const std::uint16_t cid = free_[--free_count_];
  Command command = wanted;
  command.cid = cid;
  Tracker& t = tracker(cid);
  t.callback = callback;
  t.context = context;
  t.state = callback == nullptr ? kOwners : kCalled;
  t.request = request_memory_.get() + static_cast<std::size_t>(cid) * kLine;
  *static_cast<void**>(t.request) = context;
  if (bytes != 0)
    make_prps(command, cid, iova, bytes);
  else if (command.opcode == static_cast<std::uint8_t>(NvmOpcode::dataset_management) && qid_ != 0)
    place_range(command, cid);
  sq_[static_cast<std::uint32_t>(sq_tail_) & sq_mask_] = command;
  ++sq_tail_;
}

void QueueCore::place_range(Command& command, std::uint16_t cid) {
  const std::size_t at = static_cast<std::size_t>(cid) * list_stride_;
  const DsmRange range{0, command.cdw13, command.cdw14 | static_cast<std::uint64_t>(command.cdw15) << 32};
  std::memcpy(list_memory_.memory + at, &range, sizeof range);
  command.cdw13 = command.cdw14 = command.cdw15 = 0;
  command.prp1 = list_memory_.iova + at;
}

void QueueCore::make_prps(Command& command, std::uint16_t cid, std::uint64_t iova, std::uint32_t bytes) {
  const std::size_t at = static_cast<std::size_t>(cid) * list_stride_;
  const auto prps =
      describe_data(iova, bytes, reinterpret_cast<std::uint64_t*>(list_memory_.memory + at), list_memory_.iova + at);
  command.prp1 = prps.prp1;
  command.prp2 = prps.prp2;
}

int QueueCore::enqueue(const Command& command, std::uint64_t iova, std::uint32_t bytes, Callback callback,
                       void* context) {
  if (waiting_free_ == nullptr) return -ENOMEM;
  Waiting* w = waiting_free_;
  waiting_free_ = w->next;
  *w = {command, iova, bytes, callback, context, nullptr};
  if (waiting_last_ == nullptr)
    waiting_first_ = w;
  else
    waiting_last_->next = w;
  waiting_last_ = w;
  ++waiting_count_;
  ++rare_.waited;
  gate();
  return 0;
}

void QueueCore::submit_waiting() {
  while (waiting_first_ != nullptr && free_count_ != 0) {
    const Waiting w = *waiting_first_;
    drop_first_waiting();
    place(w.command, w.iova, w.bytes, w.callback, w.context);
  }
}

void QueueCore::drop_first_waiting() {
  Waiting* w = waiting_first_;
  waiting_first_ = w->next;
  if (waiting_first_ == nullptr) waiting_last_ = nullptr;
  w->next = waiting_free_;
  waiting_free_ = w;
  --waiting_count_;
  gate();
}

// Takes all parts or none: their number is known before the first is taken.
int QueueCore::split(const Command& command, std::uint64_t iova, std::uint32_t bytes, std::uint32_t block_bytes,
                     Callback callback, void* context) {
  const auto opcode = static_cast<NvmOpcode>(command.opcode);
  if (qid_ == 0 || block_bytes == 0 || (opcode != NvmOpcode::read && opcode != NvmOpcode::write)) return -EINVAL;
  const std::uint32_t part = limits_.transfer_bytes_max - limits_.transfer_bytes_max % block_bytes;
  if (part == 0) return -EINVAL;
  const std::uint32_t parts = (bytes + part - 1) / part;
  std::uint32_t room = reserved_ == 0 ? free_count_ : 0;
  for (const Waiting* w = waiting_free_; w != nullptr && room < parts; w = w->next) ++room;
  if (room < parts || split_free_ == nullptr) return -ENOMEM;

  Split* s = split_free_;
  split_free_ = s->next;
  *s = {this, callback, context, parts, {}, nullptr};
  ++rare_.split;
  std::uint64_t lba = command.cdw10 | static_cast<std::uint64_t>(command.cdw11) << 32;
  for (std::uint32_t done = 0; done < bytes; done += part) {
    const std::uint32_t now = std::min(part, bytes - done);
    Command c = command;
    c.cdw10 = static_cast<std::uint32_t>(lba);
    c.cdw11 = static_cast<std::uint32_t>(lba >> 32);
    c.cdw12 = (command.cdw12 & 0xffff0000u) | (now / block_bytes - 1);
    lba += now / block_bytes;
    if (free_count_ > reserved_)
      place(c, iova + done, now, split_part_done, s);
    else
      enqueue(c, iova + done, now, split_part_done, s);
  }
  return 0;
}

void QueueCore::split_part_done(void* context, const Completion& completion) {
  auto* s = static_cast<Split*>(context);
  if (status_of(s->first_error) == 0 && status_of(completion) != 0) s->first_error = completion;
  if (--s->parts_left != 0) return;
  QueueCore& queue = *s->queue;
  const Split done = *s;
  s->next = queue.split_free_;
  queue.split_free_ = s;
  Completion whole = completion;
  whole.status = done.first_error.status;
  queue.finish(done.callback, done.context, whole);
}

void QueueCore::finish(Callback callback, void* context, const Completion& completion) {
  if (callback != nullptr)
    callback(context, completion);
  else if (owner_callback_ != nullptr)
    owner_callback_(owner_, context, status_of(completion));
}

// Two loops: a callback may submit while this runs. Such a command is ended too, or finds the gate closed.
void QueueCore::abort_all(std::uint16_t status) {
  const bool was_dead = dead_;
  kill();
  Completion completion;
  completion.sq_id = qid_;
  completion.status = static_cast<std::uint16_t>(status << 1);
  for (std::uint32_t cid = 0; cid < in_flight_max_; ++cid) {
    Tracker& t = tracker(cid);
    if (t.state == kFree) continue;
    const Tracker was = t;
    t.state = kFree;
    t.callback = nullptr;
    free_[free_count_++] = static_cast<std::uint16_t>(cid);
    ++rare_.aborted;
    completion.cid = static_cast<std::uint16_t>(cid);
    finish(was.callback, was.context, completion);
  }
  completion.cid = 0xffff;
  while (waiting_first_ != nullptr) {
    const Waiting w = *waiting_first_;
    drop_first_waiting();
    ++rare_.aborted;
    finish(w.callback, w.context, completion);
  }
  dead_ = was_dead;
  gate();
}

int QueueCore::overdue(std::uint32_t checks) {
  int found = -1;
  for (std::uint32_t cid = 0; cid < in_flight_max_; ++cid) {
    Tracker& t = tracker(cid);
    if (t.state == kFree) continue;
    if (t.state / kSeenOnce + 1 >= checks && found < 0) found = static_cast<int>(cid);
    t.state += kSeenOnce;
  }
  if (found >= 0) ++rare_.timeouts;
  return found;
}

void QueueCore::unexpected_completion(std::uint64_t /*entry*/) { ++rare_.unexpected; }

void QueueCore::spin_for_doorbell() const {
  const std::uint64_t from = clock::sources::CpuClock::now().v;
  while (clock::sources::CpuClock::now().v - from < cost_ticks_) {
  }
}

QueueCounts QueueCore::counts() const {
  QueueCounts c = rare_;
  c.commands = sq_tail_ - cleared_.commands;
  c.completions = cq_head_ - cleared_.completions;
  c.sq_doorbells = sq_doorbells_;
  c.cq_doorbells = cq_doorbells_;
  c.polls = polls_;
  c.idle_polls = idle_polls_;
  // Nothing is in flight, and an entry of this lap exists. This is one completion more than there were commands. The
  // identifier of a duplicate is often in use again by then, so only the count shows it.
  if (cq_ != nullptr && !dead_ && in_flight() == 0) {
    const std::size_t entry_bytes = limits_.completion_entry_bytes;
    auto& word = *reinterpret_cast<std::uint64_t*>(cq_ + (cq_head_ & cq_mask_) * entry_bytes + 8);
    const std::uint64_t phase = (cq_head_ >> cq_shift_ & 1) ^ 1;
    if ((std::atomic_ref(word).load(std::memory_order_acquire) >> 48 & 1) == phase) ++c.unexpected;
  }
  return c;
}

void QueueCore::clear_counts() {
  rare_ = {};
  cleared_.commands = sq_tail_;
  cleared_.completions = cq_head_;
  sq_doorbells_ = cq_doorbells_ = polls_ = idle_polls_ = 0;
}

// offsetof for a type without standard layout is conditionally supported (C++20, 17.2.4). g++ and clang support it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
QueueCore::Layout QueueCore::layout() {
  return {offsetof(QueueCore, sq_), offsetof(QueueCore, cq_), offsetof(QueueCore, free_count_)};
}
#pragma GCC diagnostic pop

}  // namespace fathom::nvme
