// io_uring_cmd: NVMe commands through the kernel's driver, bypassing its block layer, on a namespace's character device
// (/dev/ng0n1): IORING_OP_URING_CMD in entries of double size (SQE128, CQE32). It lies between io_uring and the nvme
// engine: the difference from io_uring is the cost of the block layer, the difference from nvme that of kernel and
// interrupts. Reads, writes, flushes and trims (dataset management) all use the ring. As in io_uring.h slot i has SQE
// i, with its constant fields set at open. A command that the device refuses ends with an errno; explain() returns its
// status.
#pragma once
#include <liburing.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/queue/data_placement.h"
#include "engine/queue/io_uring_cmd_shaper.h"
#include "engine/queue/nvme_passthrough.h"
#include "engine/queue/protection.h"
#include "engine/queue/request_priorities.h"
#include "engine/queue/uring_setup.h"
#include "engine/side_calls.h"

namespace fathom::engine::queue {

// A submission entry of 128 bytes for a command; `sqe` has its constant fields.
inline void put_command(io_uring_sqe& sqe, int fd, const nvme_uring_cmd& command, bool fixed_buffer,
                        std::uint16_t slot) {
  static_assert(offsetof(io_uring_sqe, cmd) == 48 && sizeof(nvme_uring_cmd) <= 128 - 48);
  sqe.fd = fd;
  sqe.uring_cmd_flags = fixed_buffer ? IORING_URING_CMD_FIXED : 0;
  sqe.buf_index = fixed_buffer ? slot : 0;
  std::memcpy(sqe.cmd, &command, sizeof command);
}

class UringCmdEngine {
 public:
  using Identify = base::Expected<NvmeNamespace> (*)(int fd, const std::string& path);
  explicit UringCmdEngine(Identify identify = identify_namespace) : identify_(identify) {}
  UringCmdEngine(const UringCmdEngine&) = delete;
  UringCmdEngine& operator=(const UringCmdEngine&) = delete;
  ~UringCmdEngine() { close(); }

  base::Expected<void> open(const Setup& setup);
  std::vector<std::string> fallbacks() const { return fallbacks_; }

  void post(std::uint32_t slot, const io::Request& request, std::byte* buffer) {
    const NvmeNamespace& ns = namespaces_[request.target];
    Slot& s = slots_[slot];
    s.length = request.length;
    s.status = 0;
    if (rare_[io::index(request.dir)] || !is_whole(ns, request)) [[unlikely]]
      return post_rare(slot, request, buffer);
    put_command(ring_.sq.sqes[slot << 1], fds_[request.target],
                nvme_command_for(ns, request, buffer, s.range, force_unit_access_), fixed_buffers_,
                static_cast<std::uint16_t>(slot));
    push(slot);
  }

  int ring(unsigned wait_for = 0) {
    const auto refused = static_cast<int>(std::exchange(refused_, 0));
    if (posted_ == 0) return refused;
    if (refused_done_.has_done()) wait_for = 0;
    // Release: the kernel (or its polling thread) that sees the new tail also sees the SQEs and index entries before
    // it.
    std::atomic_ref(*ring_.sq.ktail).store(sq_tail_, std::memory_order_release);
    const int rc = polled_by_thread_ ? wake_thread() : enter(posted_, wait_for, IORING_ENTER_GETEVENTS);
    if (rc < 0) return refused > 0 ? refused : rc;
    posted_ -= static_cast<unsigned>(rc);
    return rc + refused;
  }

  int reap(unsigned min, std::span<io::Completion> out) {
    if (reaps_rare_) [[unlikely]]
      return reap_rare(min, out);
    const std::size_t n = drain(out);
    if (n >= std::max(min, 1u) || n == out.size()) return static_cast<int>(n);
    return reap_waiting(min, n, out);
  }

  // Why the last I/O of a slot failed: "LBA Out of Range (SCT 0h, SC 80h, DNR)"; empty: the device returned no status.
  std::string explain(std::uint32_t slot) const;
  void close();

 private:
  struct Slot {
    nvme::DsmRange range;
    std::uint32_t length = 0;
    std::uint16_t status = 0;
  };
  std::size_t drain(std::span<io::Completion> out) {
    const unsigned head = *ring_.cq.khead;
    // Acquire: the CQEs before this tail are complete. Release below: the kernel may reuse the entries read.
    const unsigned tail = std::atomic_ref(*ring_.cq.ktail).load(std::memory_order_acquire);
    const std::size_t n = std::min<std::size_t>(tail - head, out.size());
    for (std::size_t i = 0; i < n; ++i) out[i] = completion_of(ring_.cq.cqes[((head + i) & cq_mask_) << 1]);
    if (n) std::atomic_ref(*ring_.cq.khead).store(head + static_cast<unsigned>(n), std::memory_order_release);
    return n;
  }
  io::Completion completion_of(const io_uring_cqe& cqe) {
    const auto slot = static_cast<std::uint32_t>(cqe.user_data);
    Slot& s = slots_[slot];
    if (cqe.res == 0) [[likely]]
      return {slot, static_cast<std::int32_t>(s.length)};
    if (cqe.res < 0) return {slot, cqe.res};
    s.status = static_cast<std::uint16_t>(cqe.res);
    return {slot, -errno_of_status(s.status)};
  }
  int enter(unsigned to_submit, unsigned min, unsigned flags) {
    return io_uring_enter(static_cast<unsigned>(enter_fd_), to_submit, min, flags | enter_flags_, nullptr);
  }
  void refuse(std::uint32_t slot) { end_now(slot, -EINVAL); }
  // Without a command.
  void end_now(std::uint32_t slot, std::int32_t result) {
    refused_done_.finish(slot, result);
    reaps_rare_ = true;
    ++refused_;
  }
  void post_zone_trim(std::uint32_t slot, const io::Request& request);
  void refuse_request(std::uint32_t slot, const io::Request& request);
  void push(std::uint32_t slot) {
    ring_.sq.array[sq_tail_++ & sq_mask_] = slot;
    ++posted_;
  }
  // Requests that become no command, and those that post() does not handle.
  [[gnu::noinline]] void post_rare(std::uint32_t slot, const io::Request& request, std::byte* buffer);
  [[gnu::noinline]] int reap_rare(unsigned min, std::span<io::Completion> out);
  int wake_thread();
  int reap_waiting(unsigned min, std::size_t n, std::span<io::Completion> out);
  base::Expected<void> prepare_placement(const Setup& setup);
  base::Expected<void> find_zones(const Setup& setup, const io::Target& target, NvmeNamespace& ns);
  base::Expected<void> identify_all(const Setup& setup);
  base::Expected<void> set_up(const Setup& setup);

  const Identify identify_;
  std::vector<NvmeNamespace> namespaces_;  // by target
  std::vector<int> fds_;                   // by target: descriptor, or index into the registered files
  std::vector<Slot> slots_;
  io::TrimRanges* ranges_ = nullptr;         // num_range
  std::vector<nvme::DsmRange> slot_ranges_;  // of those in flight, grouped by slot
  std::array<bool, 4> rare_{};               // by direction
  NvmeCommandShaper shaper_;
  DataPlacement placement_;
  Protection protection_;
  std::uint8_t base_flags_ = 0;
  AsyncCadence forced_async_;
  RequestPriorities priorities_;
  unsigned sq_tail_ = 0, sq_mask_ = 0, cq_mask_ = 0;
  unsigned posted_ = 0;   // posted, but not yet taken by the kernel
  unsigned refused_ = 0;  // posted, but no command was made
  int enter_fd_ = -1;
  unsigned enter_flags_ = 0;
  bool polled_by_thread_ = false, fixed_buffers_ = false, force_unit_access_ = false;
  SideCalls refused_done_;
  bool reaps_rare_ = false;  // reap must add completions from outside the ring, or check data
  io_uring ring_{};
  bool open_ = false;
  std::vector<std::string> fallbacks_;
};

}  // namespace fathom::engine::queue
