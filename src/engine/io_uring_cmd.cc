// io_uring_cmd's cold half: what each target is, setting up the ring, and waiting. See the header.
#include "engine/io_uring_cmd.h"

#include <fmt/format.h>

#include "engine/parts.h"
#include "engine/uring_setup.h"
#include "io/options/io_uring.h"
#include "nvme/status.h"

namespace fathom::engine {

base::Expected<void> UringCmdEngine::open(const Setup& setup) {
  close();
  fallbacks_.clear();
  if (auto done = identify_all(setup); !done) return done;
  if (auto done = set_up(setup); !done) {
    close();
    return done;
  }
  refused_done_.open(setup.targets, setup.depth);
  return {};
}

base::Expected<void> UringCmdEngine::identify_all(const Setup& setup) {
  namespaces_.clear();
  fds_.clear();
  for (const io::Target& target : setup.targets) {
    auto ns = identify_(target.fd, target.path);
    if (!ns) return ns.error();
    // A stride is the largest request, rounded up to a page, and so is the limit.
    if (ns->largest_bytes != 0 && setup.buffer_stride > ns->largest_bytes)
      return base::Error{
          base::ErrorKind::usage,
          fmt::format("io_uring_cmd: `{}` takes {} bytes a command at most (MDTS)", target.path, ns->largest_bytes),
          "passthrough splits nothing, as the block layer does",
          fmt::format("write `bs={}` or less, or use ioengine=io_uring on its block device", ns->largest_bytes),
          {},
          EINVAL};
    namespaces_.push_back(*ns);
    fds_.push_back(target.fd);
  }
  return {};
}

base::Expected<void> UringCmdEngine::set_up(const Setup& setup) {
  io_uring_params params;
  if (auto done = set_up_ring(setup, IORING_SETUP_SQE128 | IORING_SETUP_CQE32, ring_, params, fallbacks_); !done) {
    if (done.error().sys_errno == EINVAL) done.error().cause = "NVMe passthrough needs Linux 5.19 or later";
    return done;
  }
  open_ = true;
  const auto& own = setup.options.of<io::IoUringOptions>();
  polled_by_thread_ = setup.options.kernel_submits;
  fixed_buffers_ = own.fixedbufs;
  force_unit_access_ = setup.options.sync_writes;
  sq_mask_ = params.sq_entries - 1;
  cq_mask_ = params.cq_entries - 1;
  sq_tail_ = *ring_.sq.ktail;
  posted_ = refused_ = 0;
  auto files = register_files(setup, ring_, fds_);
  if (!files) return files.error();
  if (fixed_buffers_)
    if (auto done = register_buffers(setup, ring_); !done) return done;
  const EnterBy by = register_ring(ring_, fallbacks_);
  enter_fd_ = by.fd;
  enter_flags_ = by.flags;
  slots_.assign(setup.depth, {});
  for (std::uint32_t slot = 0; slot < setup.depth; ++slot) {
    io_uring_sqe& sqe = ring_.sq.sqes[slot << 1];
    std::memset(static_cast<void*>(&sqe), 0, 2 * sizeof sqe);
    sqe.opcode = IORING_OP_URING_CMD;
    sqe.cmd_op = NVME_URING_CMD_IO;
    sqe.flags = static_cast<std::uint8_t>((*files ? IOSQE_FIXED_FILE : 0) | (own.force_async ? IOSQE_ASYNC : 0));
    sqe.user_data = slot;
  }
  return {};
}

// The kernel's thread takes the SQEs by itself unless it has gone to sleep.
int UringCmdEngine::wake_thread() {
  // Full fence: either we see that it sleeps, or it sees the new tail before it goes to sleep.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const unsigned flags = std::atomic_ref(*ring_.sq.kflags).load(std::memory_order_relaxed);
  if (flags & IORING_SQ_NEED_WAKEUP)
    if (const int rc = enter(posted_, 0, IORING_ENTER_SQ_WAKEUP); rc < 0) return rc;
  return static_cast<int>(posted_);
}

int UringCmdEngine::reap_waiting(unsigned min, std::size_t n, std::span<io::Completion> out) {
  const std::size_t wanted = std::min<std::size_t>(min, out.size());
  for (;;) {
    const unsigned missing = wanted > n ? static_cast<unsigned>(wanted - n) : 0;
    if (const int rc = enter(0, missing, IORING_ENTER_GETEVENTS); rc < 0) return n ? static_cast<int>(n) : rc;
    n += drain(out.subspan(n));
    if (n >= wanted) return static_cast<int>(n);
  }
}

std::string UringCmdEngine::explain(std::uint32_t slot) const {
  const std::uint16_t status = slots_[slot].status;
  return status == 0 ? "" : nvme::status_text(status);
}

void UringCmdEngine::close() {
  if (!open_) return;
  io_uring_queue_exit(&ring_);
  open_ = false;
}

std::unique_ptr<BatchEngine> make_io_uring_cmd() { return std::make_unique<Batched<UringCmdEngine>>(); }

}  // namespace fathom::engine
