// The I/O path of the driver: a submission ring, a completion ring, and short functions over them.
//
// Problem: the cost of a command is the memory that it accesses. Its 64 bytes and its completion are unavoidable.
// A doorbell is a write across the bus, and a further cache line may be a miss.
// Either can cost more than all instructions of the path together.
//
// Choice: posting a command and ringing the doorbell are two calls. The caller thus chooses the number of doorbell
// writes. Besides the members of the queue, submission accesses the entry, its tracker and the list of free slots.
// Completion accesses the entry, the tracker that its command id names, and the same list.
// The entry has the phase bit that marks it as new. The driver reads no head pointer from the device.
// Source: NVM Express Base Specification 1.4, section 4.6.
// The path has no lock, allocation, virtual call or clock read.
// A Policy, fixed at compile time, selects the variants (how entries are copied, where the trackers are).
// Commands that cross a page or find no slot are posted out of line, in queue_core.cc.
// A command that fails is an ordinary completion here: its handler or callback gets the status.
// A completion of a command that was not in flight is counted there, and no callback runs.
//
// Thread rule: one owner thread, as in queue_core.h. A handler or callback may submit, but must not poll.
// Units: `lba` and `blocks` count logical blocks, `bytes` is the length of the data, `iova` its device address.
//
// poll() takes a handler for the owner's commands (those posted without a callback):
//   handler(void* context, std::uint16_t status)   status without the phase bit; 0: success
// poll() may copy the handler. Keep it small, and let it refer to data elsewhere.
#pragma once
#include <algorithm>
#include <atomic>
#include <cassert>
#include <type_traits>

#include "nvme/policy.h"
#include "nvme/prp.h"
#include "nvme/queue_core.h"
#include "nvme/sq_copy.h"

namespace fathom::nvme {

template <Policy P>
class QueuePair : public QueueCore {
 public:
  static constexpr Policy kPolicy = P;
  static constexpr std::size_t kEntryBytes = P.wide_entries ? 64 : 16;

  // Posts a read or write, with a callback. blocks > 0, and bytes = blocks * block size.
  // `flags` is ORed into CDW12 (kForceUnitAccess). Returns the values of submit().
  [[gnu::always_inline]] int read_write(NvmOpcode opcode, std::uint32_t nsid, std::uint64_t lba, std::uint32_t blocks,
                                        std::uint64_t iova, std::uint32_t bytes, Callback callback, void* context,
                                        std::uint32_t flags = 0) {
    if (!fits(iova, bytes)) [[unlikely]]
      return post_slowly(opcode, nsid, lba, blocks, iova, bytes, callback, context, flags);
    Tracker& t = post_well(opcode, nsid, lba, blocks, iova, context, flags);
    t.callback = callback;
    t.state = kCalled;
    return 0;
  }
  // The same for the owner: the handler of poll() receives the completion.
  [[gnu::always_inline]] int post(NvmOpcode opcode, std::uint32_t nsid, std::uint64_t lba, std::uint32_t blocks,
                                  std::uint64_t iova, std::uint32_t bytes, void* context, std::uint32_t flags = 0) {
    if (!fits(iova, bytes)) [[unlikely]]
      return post_slowly(opcode, nsid, lba, blocks, iova, bytes, nullptr, context, flags);
    post_well(opcode, nsid, lba, blocks, iova, context, flags);
    return 0;
  }

  // The same for a command with a prepared constant part: `head` is command_head() with CID 0.
  // The data begins at a page boundary. A block has 1 << block_shift bytes.
  [[gnu::always_inline]] int post_prepared(std::uint64_t head, std::uint64_t lba, std::uint32_t block_shift,
                                           std::uint32_t flags, std::uint64_t iova, std::uint32_t bytes,
                                           void* context) {
    if (free_count_ <= reserved_ || bytes > kPageBytes) [[unlikely]]
      return post_slowly(static_cast<NvmOpcode>(head & 0xff), static_cast<std::uint32_t>(head >> 32), lba,
                         bytes >> block_shift, iova, bytes, nullptr, context, flags);
    assert(iova % kPageBytes == 0);
    post_words(head, lba, ((bytes >> block_shift) - 1) | flags, iova, context);
    return 0;
  }

  // Announces every command posted since the last call, with one write to the device.
  [[gnu::always_inline]] void ring() {
    if (sq_rung_ == sq_tail_) return;
    // The commands must be in memory before the doorbell that announces them.
    ring_barrier<P.copy>();
    write_doorbell(sq_doorbell_, static_cast<std::uint32_t>(sq_tail_) & sq_mask_);
    sq_rung_ = sq_tail_;
    ++sq_doorbells_;
    if (cost_ticks_ != 0) [[unlikely]]
      spin_for_doorbell();
  }

  // Handles at most `max` available completions without waiting. Returns their number.
  // It also submits commands that waited for a slot, and rings their doorbell.
  template <class Handler>
  [[gnu::always_inline]] unsigned poll(unsigned max, Handler&& handler) {
    ++polls_;
    unsigned n = 0;
    while (n < max) {
      const unsigned at = static_cast<unsigned>(cq_head_) & cq_mask_;
      const unsigned room = std::min(max - n, cq_mask_ + 1 - at);
      const unsigned got = P.cq_read == CqRead::line ? take_lines(at, room, handler) : take(at, room, handler);
      n += got;
      if (got < room) break;
    }
    if (n != 0) [[likely]]
      after_poll();
    else
      ++idle_polls_;
    return n;
  }
  // For users that give every command a callback.
  unsigned poll(unsigned max) {
    const auto nobody = [](void*, std::uint16_t) {};
    return poll(max, nobody);
  }
  // True if a completion is available: a cheaper test for loops that poll repeatedly.
  // count_idle() adds such tests to the counters.
  [[gnu::always_inline]] bool ready() const {
    const unsigned at = static_cast<unsigned>(cq_head_) & cq_mask_;
    return (entry(at) >> 48 & 1) == phase();
  }
  void count_idle(std::uint64_t polls) {
    polls_ += polls;
    idle_polls_ += polls;
  }

 private:
  [[gnu::always_inline]] bool fits(std::uint64_t iova, std::uint32_t bytes) const {
    return free_count_ > reserved_ && (iova & 4095) + bytes <= 4096;
  }
  [[gnu::always_inline]] Tracker& post_well(NvmOpcode opcode, std::uint32_t nsid, std::uint64_t lba,
                                            std::uint32_t blocks, std::uint64_t iova, void* context,
                                            std::uint32_t flags) {
    return post_words(command_head(static_cast<std::uint8_t>(opcode), 0, nsid), lba, (blocks - 1) | flags, iova,
                      context);
  }
  [[gnu::always_inline]] Tracker& post_words(std::uint64_t head, std::uint64_t lba, std::uint32_t cdw12,
                                             std::uint64_t iova, void* context) {
    const std::uint16_t cid = free_[--free_count_];
    Tracker& t = at(cid);
    t.state = kOwners;
    keep_context(t, cid, context);
    if constexpr (P.divide) lba = divided(lba);
    write_command<P.copy>(&sq_[static_cast<std::uint32_t>(sq_tail_) & sq_mask_],
                          {head | static_cast<std::uint64_t>(cid) << 16, iova, 0, lba, cdw12, 0});
    ++sq_tail_;
    if constexpr (P.sq_doorbell == SqDoorbell::command) ring();
    return t;
  }
  [[gnu::noinline]] int post_slowly(NvmOpcode opcode, std::uint32_t nsid, std::uint64_t lba, std::uint32_t blocks,
                                    std::uint64_t iova, std::uint32_t bytes, Callback callback, void* context,
                                    std::uint32_t flags) {
    Command c;
    c.opcode = static_cast<std::uint8_t>(opcode);
    c.nsid = nsid;
    c.cdw10 = static_cast<std::uint32_t>(lba);
    c.cdw11 = static_cast<std::uint32_t>(lba >> 32);
    // If the command is split, QueueCore::split() sets the block count of each part.
    c.cdw12 = ((blocks - 1) & 0xffff) | flags;
    return submit_slowly(c, iova, bytes, blocks == 0 ? 0 : bytes / blocks, callback, context);
  }

  static constexpr std::size_t kTrackerBytes = P.trackers_4k_apart ? 4096 : sizeof(Tracker);
  [[gnu::always_inline]] Tracker& at(std::uint32_t cid) const {
    return *reinterpret_cast<Tracker*>(trackers_ + cid * kTrackerBytes);
  }
  [[gnu::always_inline]] void keep_context(Tracker& t, std::uint16_t cid, void* context) {
    if constexpr (P.context == Context::in_request) {
      t.request = request_memory_.get() + static_cast<std::size_t>(cid) * 64;
      *static_cast<void**>(t.request) = context;
    }
    t.context = context;
  }
  [[gnu::always_inline]] static void* context_of(const Tracker& t) {
    if constexpr (P.context == Context::in_request)
      return *static_cast<void**>(t.request);
    else
      return t.context;
  }
  [[gnu::always_inline]] static std::uint64_t divided(std::uint64_t lba) {
    std::uint64_t by = 0x7fff;
    asm("" : "+r"(by));
    return lba / by * by + lba % by;
  }

  // One load reads the half of an entry that the path needs (SQHD, SQID, CID, status with the phase).
  // No part of it can therefore be older than the phase bit.
  // Acquire: data that the device wrote before the entry is read after it.
  [[gnu::always_inline]] std::uint64_t entry(unsigned index) const {
    auto& word = *reinterpret_cast<std::uint64_t*>(cq_ + index * kEntryBytes + 8);
    return std::atomic_ref(word).load(std::memory_order_acquire);
  }
  // The phase bit of entries written in this lap; it is 1 in the first lap.
  [[gnu::always_inline]] std::uint64_t phase() const { return (cq_head_ >> cq_shift_ & 1) ^ 1; }
  [[gnu::always_inline]] static constexpr std::uint32_t cid_of(std::uint64_t e) {
    return static_cast<std::uint32_t>(e >> 32) & 0xffff;
  }

  // Lookahead: an entry that is not written yet has an old CID.
  // A prefetch of any tracker's address is harmless, so it needs no test of the CID.
  // The pipeline reads the tracker to get the context, so it tests the CID first.
  template <class Handler>
  [[gnu::always_inline]] unsigned take(unsigned at_index, unsigned room, Handler& handler) {
    const std::uint64_t wanted = phase();
    const unsigned end = at_index + room;
    unsigned i = at_index;
    std::uint64_t e = entry(i);
    while ((e >> 48 & 1) == wanted) {
      ++i;
      if (i == end) {
        complete(e, i - 1, handler);
        break;
      }
      const std::uint64_t next = entry(i);
      if constexpr (P.lookahead == Lookahead::pipeline) {
        if (i + 1 < end) __builtin_prefetch(&at(cid_of(entry(i + 1))), 1);
        if (const std::uint32_t cid = cid_of(next); cid < in_flight_max_) __builtin_prefetch(at(cid).context, 1);
      } else if constexpr (P.lookahead == Lookahead::next) {
        __builtin_prefetch(&at(cid_of(next)), 1);
      }
      complete(e, i - 1, handler);
      e = next;
    }
    return i - at_index;
  }
  // The device may write entries in a line that also has finished entries.
  // So the code first reads entries of a line into registers, then handles them.
  // If take_four() refuses a line, take_some() reads that line again.
  template <class Handler>
  [[gnu::always_inline]] unsigned take_lines(unsigned at_index, unsigned room, Handler& handler) {
    constexpr unsigned kPerLine = 64 / kEntryBytes;
    const std::uint64_t wanted = phase() << 48;
    const unsigned end = at_index + room;
    unsigned i = at_index;
    while (i < end) {
      if constexpr (kPerLine == 4 && P.cq_doorbell != CqDoorbell::entry) {
        if constexpr (std::is_copy_assignable_v<Handler>) {
          Handler local = handler;  // may live in registers
          while (i % 4 == 0 && end - i >= 4 && take_four(i, wanted, local)) i += 4;
          handler = local;
        } else {
          while (i % 4 == 0 && end - i >= 4 && take_four(i, wanted, handler)) i += 4;
        }
        if (i >= end) break;
      }
      const unsigned here = std::min(kPerLine - i % kPerLine, end - i);
      const unsigned taken = take_some(i, here, wanted, handler);
      i += taken;
      if (taken < here) break;
    }
    return i - at_index;
  }
  // Handles four successful completions, all of the owner's commands, at minimal cost.
  // Returns false without any effect if one of them is missing or different.
  template <class Handler>
  [[gnu::always_inline]] bool take_four(unsigned i, std::uint64_t wanted, Handler& handler) {
    auto* const words = reinterpret_cast<std::uint64_t*>(cq_ + i * kEntryBytes);
    const auto word = [words](unsigned n) __attribute__((always_inline)) {
      return std::atomic_ref(words[n]).load(std::memory_order_acquire);
    };
    const std::uint64_t e0 = word(1), e1 = word(3), e2 = word(5), e3 = word(7);
    // Tests in all four that the phase is the expected one and the status is zero: bits 48 to 63 at once.
    if (((e0 ^ wanted) | (e1 ^ wanted) | (e2 ^ wanted) | (e3 ^ wanted)) >> 48 != 0) return false;
    const std::uint32_t c0 = cid_of(e0), c1 = cid_of(e1), c2 = cid_of(e2), c3 = cid_of(e3);
    if ((c0 | c1 | c2 | c3) > tracker_mask_) [[unlikely]]
      return false;
    // A CID may occur twice in one line. The first check then marks it as not in flight before the second.
    Tracker &t0 = at(c0), &t1 = at(c1), &t2 = at(c2), &t3 = at(c3);
    if (t0.state != kOwners) [[unlikely]]
      return false;
    t0.state = kFree;
    if (t1.state != kOwners) [[unlikely]]
      return t0.state = kOwners, false;
    t1.state = kFree;
    if (t2.state != kOwners) [[unlikely]]
      return t0.state = t1.state = kOwners, false;
    t2.state = kFree;
    if (t3.state != kOwners) [[unlikely]]
      return t0.state = t1.state = t2.state = kOwners, false;
    t3.state = kFree;
    // Read all contexts before a handler runs. It may submit, and so reuse these trackers.
    void *const x0 = context_of(t0), *const x1 = context_of(t1), *const x2 = context_of(t2), *const x3 = context_of(t3);
    std::uint16_t* const free = free_ + free_count_;
    free[0] = static_cast<std::uint16_t>(c0);
    free[1] = static_cast<std::uint16_t>(c1);
    free[2] = static_cast<std::uint16_t>(c2);
    free[3] = static_cast<std::uint16_t>(c3);
    free_count_ += 4;
    cq_head_ += 4;
    handler(x0, std::uint16_t{0});
    handler(x1, std::uint16_t{0});
    handler(x2, std::uint16_t{0});
    handler(x3, std::uint16_t{0});
    return true;
  }
  template <class Handler>
  [[gnu::noinline]] unsigned take_some(unsigned index, unsigned here, std::uint64_t wanted, Handler& handler) {
    std::uint64_t line[64 / kEntryBytes];
    for (unsigned k = 0; k < here; ++k) line[k] = entry(index + k);
    unsigned valid = 0;
    while (valid < here && ((line[valid] ^ wanted) >> 48 & 1) == 0) {
      __builtin_prefetch(&at(cid_of(line[valid])), 1);
      ++valid;
    }
    for (unsigned k = 0; k < valid; ++k) complete(line[k], index + k, handler);
    return valid;
  }
  template <class Handler>
  [[gnu::always_inline]] void complete(std::uint64_t e, unsigned index, Handler& handler) {
    const std::uint32_t cid = cid_of(e);
    ++cq_head_;
    if (cid >= in_flight_max_ || at(cid).state == kFree) [[unlikely]]
      return unexpected_completion(e);
    Tracker& t = at(cid);
    t.state = kFree;
    free_[free_count_++] = static_cast<std::uint16_t>(cid);
    if (t.callback == nullptr) [[likely]]
      handler(context_of(t), static_cast<std::uint16_t>(e >> 49));
    else
      call_back(t, index);
    if constexpr (P.cq_doorbell == CqDoorbell::entry) ring_cq();
  }
  [[gnu::noinline, gnu::cold]] void call_back(Tracker& t, unsigned index) {
    const Completion copy = *reinterpret_cast<const Completion*>(cq_ + index * kEntryBytes);
    const Callback callback = t.callback;
    t.callback = nullptr;
    callback(context_of(t), copy);
  }
  [[gnu::always_inline]] void after_poll() {
    if constexpr (P.cq_doorbell == CqDoorbell::poll) ring_cq();
    // The device never needs more free entries than commands can be in flight.
    if constexpr (P.cq_doorbell == CqDoorbell::lazy)
      if (cq_head_ - cq_rung_ + in_flight_max_ > cq_mask_) ring_cq();
    if (waiting_count_ != 0) [[unlikely]]
      feed();
  }
  // The submitter of waiting commands called ring() before they were posted, and may submit nothing more.
  // So this function rings for them.
  [[gnu::noinline]] void feed() {
    submit_waiting();
    ring();
  }
  [[gnu::always_inline]] void ring_cq() {
    // The device may overwrite the entries after this write. Entries are read before it: it is a release store.
    write_doorbell(cq_doorbell_, static_cast<std::uint32_t>(cq_head_) & cq_mask_);
    cq_rung_ = cq_head_;
    ++cq_doorbells_;
    if (cost_ticks_ != 0) [[unlikely]]
      spin_for_doorbell();
  }
};

// The queue pair with the default policy, for users of the library.
using IoQueue = QueuePair<Policy{}>;

}  // namespace fathom::nvme
