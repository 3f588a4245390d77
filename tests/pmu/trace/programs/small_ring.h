// An io_uring for tests, by the kernel's own calls: requests are submitted one at a time, each with a number of its own,
// and completions are counted. Source: include/uapi/linux/io_uring.h.
#pragma once
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/system/fd.h"

namespace fathom::pmu::trace::programs::testing {

class SmallRing {
 public:
  static constexpr unsigned kEntries = 8;
  SmallRing() {
    io_uring_params params{};
    fd_.reset(static_cast<int>(::syscall(__NR_io_uring_setup, kEntries, &params)));
    if (!fd_ || (params.features & IORING_FEAT_SINGLE_MMAP) == 0) return;
    const std::size_t bytes = params.cq_off.cqes + params.cq_entries * sizeof(io_uring_cqe);
    auto* const ring = static_cast<char*>(map(bytes, IORING_OFF_SQ_RING));
    sqes_ = static_cast<io_uring_sqe*>(map(params.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES));
    if (ring == MAP_FAILED || sqes_ == MAP_FAILED) return;
    sq_tail_ = reinterpret_cast<unsigned*>(ring + params.sq_off.tail);
    sq_array_ = reinterpret_cast<unsigned*>(ring + params.sq_off.array);
    cq_head_ = reinterpret_cast<unsigned*>(ring + params.cq_off.head);
    cq_tail_ = reinterpret_cast<unsigned*>(ring + params.cq_off.tail);
    cqes_ = reinterpret_cast<io_uring_cqe*>(ring + params.cq_off.cqes);
    mask_ = params.cq_entries - 1;
    sq_mask_ = params.sq_entries - 1;
  }
  SmallRing(const SmallRing&) = delete;
  bool ok() const { return cqes_ != nullptr; }

  // The kernel has it in hand when this returns.
  bool submit(io_uring_sqe request, std::uint64_t number) {
    request.user_data = number;
    const unsigned tail = *sq_tail_, at = tail & sq_mask_;
    sqes_[at] = request;
    sq_array_[at] = at;
    std::atomic_ref(*sq_tail_).store(tail + 1, std::memory_order_release);
    return enter(1, 0) == 1;
  }
  // The next that is over, and what became of it.
  std::optional<std::pair<std::uint64_t, int>> reap() {
    while (std::atomic_ref(*cq_tail_).load(std::memory_order_acquire) == *cq_head_)
      if (enter(0, 1) < 0) return std::nullopt;
    const io_uring_cqe& cqe = cqes_[*cq_head_ & mask_];
    const std::pair<std::uint64_t, int> found(cqe.user_data, cqe.res);
    std::atomic_ref(*cq_head_).store(*cq_head_ + 1, std::memory_order_release);
    return found;
  }

 private:
  void* map(std::size_t bytes, off_t offset) const {
    return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd_.get(), offset);
  }
  long enter(unsigned submit, unsigned wait_for) const {
    return ::syscall(__NR_io_uring_enter, fd_.get(), submit, wait_for, wait_for > 0 ? IORING_ENTER_GETEVENTS : 0u,
                     nullptr, 0);
  }
  base::system::UniqueFd fd_;
  io_uring_sqe* sqes_ = nullptr;
  unsigned *sq_tail_ = nullptr, *sq_array_ = nullptr, *cq_head_ = nullptr, *cq_tail_ = nullptr;
  io_uring_cqe* cqes_ = nullptr;
  unsigned mask_ = 0, sq_mask_ = 0;
};

inline io_uring_sqe read_request(int fd, void* to, std::uint32_t bytes, std::uint64_t offset) {
  io_uring_sqe request{};
  request.opcode = IORING_OP_READ;
  request.fd = fd;
  request.addr = reinterpret_cast<std::uintptr_t>(to);
  request.len = bytes;
  request.off = offset;
  return request;
}

}  // namespace fathom::pmu::trace::programs::testing
