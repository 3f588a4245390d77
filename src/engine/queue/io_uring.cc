// io_uring outside the hot path: setup, registration, and requests that are not plain reads and writes. See the header.
#include "engine/queue/io_uring.h"

#include <cstring>

#include "engine/queue/uring_setup.h"
#include "io/options/io_uring.h"

namespace fathom::engine::queue {
namespace {

constexpr unsigned kSpinsBeforeSleep = 1u << 16;  // some milliseconds

}  // namespace

base::Expected<void> UringEngine::open(const Setup& setup) {
  close();
  fallbacks_.clear();
  if (auto done = set_up(setup); !done) return done;
  if (auto done = register_what_was_asked(setup); !done) {
    close();
    return done;
  }
  prepare_sqes(setup);
  side_.open(setup.targets, setup.depth);
  return {};
}

base::Expected<void> UringEngine::set_up(const Setup& setup) {
  io_uring_params params;
  if (auto done = set_up_ring(setup, 0, ring_, params, fallbacks_); !done) return done;
  open_ = true;
  polled_by_thread_ = setup.options.kernel_submits;
  sq_mask_ = params.sq_entries - 1;
  cq_mask_ = params.cq_entries - 1;
  sq_tail_ = *ring_.sq.ktail;
  posted_ = 0;
  return {};
}

base::Expected<void> UringEngine::register_what_was_asked(const Setup& setup) {
  fds_.clear();
  for (const io::Target& target : setup.targets) fds_.push_back(target.fd);
  forced_async_ = AsyncCadence(setup.options.of<io::IoUringOptions>().force_async);
  base_flags_ = forced_async_.all() ? IOSQE_ASYNC : 0;
  auto files = register_files(setup, ring_, fds_);
  if (!files) return files.error();
  if (*files) base_flags_ |= IOSQE_FIXED_FILE;
  iovecs_.assign(setup.depth, iovec{});
  if (setup.options.of<io::IoUringOptions>().fixedbufs)
    if (auto done = register_buffers(setup, ring_); !done) return done;
  const EnterBy by = register_ring(ring_, fallbacks_);
  enter_fd_ = by.fd;
  enter_flags_ = by.flags;
  return {};
}

void UringEngine::prepare_sqes(const Setup& setup) {
  const bool fixed = setup.options.of<io::IoUringOptions>().fixedbufs;
  const bool vectored = !fixed && setup.options.vectored;
  if (fixed) {
    opcodes_ = {IORING_OP_READ_FIXED, IORING_OP_WRITE_FIXED};
  } else if (vectored) {
    opcodes_ = {IORING_OP_READV, IORING_OP_WRITEV};
  } else {
    opcodes_ = {IORING_OP_READ, IORING_OP_WRITE};
  }
  vectored_ = vectored;
  fixed_ = fixed;
  const int rw_flags = rw_flags_of(setup.options);
  rw_flags_ = {rw_flags, rw_flags | (setup.job.atomic ? kAtomicWrite : 0)};
  priorities_ = RequestPriorities(setup.options.of<io::CmdprioOptions>());
  const bool special = vectored || rw_flags_[1] != 0 || setup.job.dsync || priorities_.used() || forced_async_.some();
  rare_ = {special, special, true, true};
  for (std::uint32_t slot = 0; slot < setup.depth; ++slot) {
    io_uring_sqe& sqe = ring_.sq.sqes[slot];
    std::memset(&sqe, 0, sizeof(sqe));
    sqe.flags = base_flags_;
    sqe.user_data = slot;
  }
}

void UringEngine::post_rare(std::uint32_t slot, const io::Request& request, std::byte* buffer) {
  const bool range_sync = (request.flags & io::kRangeSyncMask) != 0;
  if (request.dir == io::Dir::trim || range_sync) return side_.push(slot, request, posted_);
  io_uring_sqe& sqe = ring_.sq.sqes[slot];
  sqe.fd = fds_[request.target];
  sqe.ioprio = priorities_.of(request);
  sqe.flags = static_cast<std::uint8_t>(base_flags_ | (forced_async_.next() ? IOSQE_ASYNC : 0));
  if (request.dir == io::Dir::sync) {
    sqe.opcode = IORING_OP_FSYNC;
    sqe.fsync_flags = (request.flags & io::kDataSync) ? IORING_FSYNC_DATASYNC : 0;
    sqe.off = sqe.addr = sqe.len = sqe.buf_index = 0;
  } else {
    iovecs_[slot] = {buffer, request.length};
    const void* const place = vectored_ ? static_cast<const void*>(&iovecs_[slot]) : buffer;
    sqe.opcode = opcodes_[io::index(request.dir)];
    sqe.rw_flags = rw_flags_[io::index(request.dir)] | write_through_of(request);
    sqe.off = request.offset;
    sqe.addr = reinterpret_cast<std::uint64_t>(place);
    sqe.len = vectored_ ? 1 : request.length;
    sqe.buf_index = static_cast<std::uint16_t>(fixed_ ? slot : 0);
  }
  push(slot);
}

// The kernel's thread takes the SQEs itself, unless it sleeps.
int UringEngine::wake_thread(unsigned n) {
  // Full fence: either this thread sees the sleep flag, or the kernel's thread sees the new tail before it sleeps.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const unsigned flags = std::atomic_ref(*ring_.sq.kflags).load(std::memory_order_relaxed);
  if (flags & IORING_SQ_NEED_WAKEUP)
    if (const int rc = enter(n, 0, IORING_ENTER_SQ_WAKEUP); rc < 0) return rc;
  return static_cast<int>(n);
}

int UringEngine::reap_waiting(unsigned min, std::size_t n, std::span<io::Completion> out) {
  const std::size_t wanted = std::min<std::size_t>(min, out.size());
  for (;;) {
    if (!polled_by_thread_ || (wanted > n && !spin_for_completion())) {
      const unsigned missing = wanted > n ? static_cast<unsigned>(wanted - n) : 0;
      const int rc = enter(0, missing, IORING_ENTER_GETEVENTS);
      if (rc < 0) return n ? static_cast<int>(n) : rc;
    }
    n += drain(out.subspan(n));
    if (n >= wanted) return static_cast<int>(n);
  }
}

// With a polling thread, fio waits by polling the ring. Here a long wait sleeps in the kernel.
bool UringEngine::spin_for_completion() const {
  const unsigned head = *ring_.cq.khead;
  for (unsigned i = 0; i < kSpinsBeforeSleep; ++i) {
    if (std::atomic_ref(*ring_.cq.ktail).load(std::memory_order_acquire) != head) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return false;
}

void UringEngine::close() {
  if (!open_) return;
  io_uring_queue_exit(&ring_);
  open_ = false;
}

}  // namespace fathom::engine::queue
