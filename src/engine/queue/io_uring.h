// io_uring: one SQE per slot. open() sets its constant fields (user data, buffer index, flags), and post() patches the
// rest. The SQ index array then names the posted slots. liburing sets up the rings, and the loop's three calls use the
// mapped rings directly: liburing's get_sqe/flush would refill every SQE, and support only SQEs in ring order.
// The engine's thread runs completions in io_uring_enter (DEFER_TASKRUN), not an interrupt of whatever runs. Therefore
// reap(0) enters the kernel once if the completion ring is empty. ring() also runs completions, and waits in the same
// call for what its caller would wait for next: the next reap then needs no call. Trim is a plain system call in
// ring(). hipri on a device without poll queues: every I/O ends with -EOPNOTSUPP.
#pragma once
#include <liburing.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/queue/request_priorities.h"
#include "engine/queue/uring_setup.h"
#include "engine/side_calls.h"

namespace fathom::engine::queue {

class UringEngine {
 public:
  UringEngine() = default;
  UringEngine(const UringEngine&) = delete;
  UringEngine& operator=(const UringEngine&) = delete;
  ~UringEngine() { close(); }

  // privilege: io_uring is disabled, or RLIMIT_MEMLOCK prevents fixed buffers. io: any other failure of setup or
  // registration.
  base::Expected<void> open(const Setup& setup);
  // Features that open() requested but did not get; empty: it got all.
  std::vector<std::string> fallbacks() const { return fallbacks_; }

  [[gnu::always_inline]] void post(std::uint32_t slot, const io::Request& request, std::byte* buffer) {
    if (rare_[io::index(request.dir)]) [[unlikely]]
      return post_rare(slot, request, buffer);
    io_uring_sqe& sqe = ring_.sq.sqes[slot];
    sqe.opcode = opcodes_[io::index(request.dir)];
    sqe.rw_flags = 0;
    sqe.fd = fds_[request.target];
    sqe.off = request.offset;
    sqe.addr = reinterpret_cast<std::uint64_t>(buffer);
    sqe.len = request.length;
    sqe.buf_index = static_cast<std::uint16_t>(slot);  // a sync in this slot has cleared it
    push(slot);
  }

  [[gnu::always_inline]] int ring(unsigned wait_for = 0) {
    unsigned n = posted_;
    if (side_.waiting()) [[unlikely]] {
      n = side_.ahead();
      if (n == 0) {
        side_.run_first();
        return 1;
      }
    }
    if (n == 0) return 0;
    // A trim never produces a completion in the ring: only reap(), which handles both, waits then.
    if (side_.waiting() || side_.has_done()) [[unlikely]]
      wait_for = 0;
    // Release: the kernel (or its polling thread) that sees the new tail also sees the SQEs and index entries written
    // before it.
    std::atomic_ref(*ring_.sq.ktail).store(sq_tail_ - posted_ + n, std::memory_order_release);
    const int rc = polled_by_thread_ ? wake_thread(n) : enter(n, wait_for, IORING_ENTER_GETEVENTS);
    if (rc <= 0) return rc;
    posted_ -= static_cast<unsigned>(rc);
    if (side_.waiting()) [[unlikely]]
      side_.handed_over(static_cast<std::uint32_t>(rc));
    return rc;
  }

  [[gnu::always_inline]] int reap(unsigned min, std::span<io::Completion> out) {
    std::size_t n = side_.has_done() ? side_.take(out) : 0;
    n += drain(out.subspan(n));
    if (n >= std::max(min, 1u) || n == out.size()) return static_cast<int>(n);
    return reap_waiting(min, n, out);
  }
  void close();

 private:
  [[gnu::always_inline]] void push(std::uint32_t slot) {
    ring_.sq.array[sq_tail_++ & sq_mask_] = slot;
    ++posted_;
  }
  [[gnu::always_inline]] std::size_t drain(std::span<io::Completion> out) {
    const unsigned head = *ring_.cq.khead;
    // Acquire: the CQEs before this tail are complete. Release below: the kernel may reuse the entries read.
    const unsigned tail = std::atomic_ref(*ring_.cq.ktail).load(std::memory_order_acquire);
    const std::size_t n = std::min<std::size_t>(tail - head, out.size());
    for (std::size_t i = 0; i < n; ++i) {
      const io_uring_cqe& cqe = ring_.cq.cqes[(head + static_cast<unsigned>(i)) & cq_mask_];
      out[i] = {static_cast<std::uint32_t>(cqe.user_data), cqe.res};
    }
    if (n) std::atomic_ref(*ring_.cq.khead).store(head + static_cast<unsigned>(n), std::memory_order_release);
    return n;
  }
  [[gnu::always_inline]] int enter(unsigned to_submit, unsigned min, unsigned flags) {
    return io_uring_enter(static_cast<unsigned>(enter_fd_), to_submit, min, flags | enter_flags_, nullptr);
  }
  void post_rare(std::uint32_t slot, const io::Request& request, std::byte* buffer);
  int wake_thread(unsigned n);
  int reap_waiting(unsigned min, std::size_t n, std::span<io::Completion> out);
  bool spin_for_completion() const;
  base::Expected<void> set_up(const Setup& setup);
  base::Expected<void> register_what_was_asked(const Setup& setup);
  void prepare_sqes(const Setup& setup);

  // submission
  std::array<std::uint8_t, 2> opcodes_{};
  std::array<bool, 4> rare_{};  // by direction: handled by post_rare()
  bool vectored_ = false, fixed_ = false;
  std::array<int, 2> rw_flags_{};  // by direction: nowait, uncached; atomic
  AsyncCadence forced_async_;
  RequestPriorities priorities_;
  std::vector<int> fds_;  // by target: descriptor, or index into the registered files
  unsigned sq_tail_ = 0;  // own copy; the kernel sees it at ring()
  unsigned sq_mask_ = 0;
  unsigned posted_ = 0;  // posted, but not yet taken by the kernel
  unsigned cq_mask_ = 0;
  int enter_fd_ = -1;
  unsigned enter_flags_ = 0;
  bool polled_by_thread_ = false;
  SideCalls side_;
  io_uring ring_{};
  // set up once
  bool open_ = false;
  std::uint8_t base_flags_ = 0;  // of every SQE: registered files, forced to a worker thread
  std::vector<iovec> iovecs_;    // by slot
  std::vector<std::string> fallbacks_;
};

}  // namespace fathom::engine::queue
