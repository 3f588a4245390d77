// io_uring's cold half: setting up, registering, and the requests that are not plain reads and writes. See the header.
#include "engine/io_uring.h"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <cstring>

namespace fathom::engine {
namespace {

constexpr unsigned kOurTaskWork = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN;
constexpr unsigned kSpinsBeforeSleep = 1u << 16;  // some milliseconds

// What to give up, one row after the other, while setup says EINVAL (an older kernel). Newest feature first.
struct Surrender {
  unsigned flags;
  const char* name;
};
constexpr Surrender kSurrenders[] = {
    {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, "IORING_SETUP_SINGLE_ISSUER|DEFER_TASKRUN"},
    {IORING_SETUP_COOP_TASKRUN, "IORING_SETUP_COOP_TASKRUN"},
    {IORING_SETUP_CQSIZE, "IORING_SETUP_CQSIZE"},
};

io_uring_params wanted_params(const Setup& setup) {
  io_uring_params params{};
  const io::EngineOptions& options = setup.options;
  params.flags = IORING_SETUP_CQSIZE;
  params.cq_entries = std::bit_ceil(setup.depth);
  if (options.hipri) params.flags |= IORING_SETUP_IOPOLL;
  if (!options.sqthread_poll) {
    params.flags |= kOurTaskWork;
    return params;
  }
  params.flags |= IORING_SETUP_SQPOLL;  // its thread runs the task work: none of our own flags go with it
  if (options.sqthread_poll_cpu >= 0) {
    params.flags |= IORING_SETUP_SQ_AFF;
    params.sq_thread_cpu = static_cast<unsigned>(options.sqthread_poll_cpu);
  }
  return params;
}

base::Error setup_error(int err, const Setup& setup) {
  base::Error e = base::system_error(fmt::format("io_uring: cannot set up a ring for iodepth={}", setup.depth), err);
  if (err == ENOSYS) e.cause = "this kernel has no io_uring";
  if (err == EPERM) {
    e.cause = "io_uring is disabled for this user, or a sandbox forbids it";
    e.help = "sysctl kernel.io_uring_disabled=0, or ioengine=libaio";
  }
  if (err == ENOMEM) {
    e.kind = base::ErrorKind::privilege;
    e.cause = "RLIMIT_MEMLOCK is too small for the ring";
    e.help = "raise `ulimit -l`, or lower iodepth";
  }
  if (err == EINVAL) e.help = "iodepth may be 32768 at most; sqthread_poll_cpu must be a CPU that is online";
  return e;
}

base::Error buffers_error(int err, const Setup& setup) {
  base::Error e = base::system_error(
      fmt::format("fixedbufs: the kernel refused to register {} buffers of {} bytes", setup.depth, setup.buffer_stride),
      err);
  if (err == ENOMEM) {
    e.kind = base::ErrorKind::privilege;
    e.cause = "RLIMIT_MEMLOCK is smaller than the buffers";
    e.help = "raise `ulimit -l`, lower iodepth or bs, or leave fixedbufs out";
  }
  if (err == EINVAL) e.help = "at most 16384 buffers can be registered: lower iodepth, or leave fixedbufs out";
  return e;
}

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
  const io_uring_params wanted = wanted_params(setup);
  io_uring_params params = wanted;
  int rc = io_uring_queue_init_params(setup.depth, &ring_, &params);
  for (const Surrender& s : kSurrenders) {
    if (rc != -EINVAL) break;
    if (!(wanted.flags & s.flags)) continue;
    fallbacks_.push_back(fmt::format("io_uring: the kernel refused {}", s.name));
    const unsigned remaining = params.flags & ~s.flags;
    params = wanted;
    params.flags = remaining;
    rc = io_uring_queue_init_params(setup.depth, &ring_, &params);
  }
  if (rc < 0) return setup_error(-rc, setup);
  open_ = true;
  polled_by_thread_ = setup.options.sqthread_poll;
  sq_mask_ = params.sq_entries - 1;
  cq_mask_ = params.cq_entries - 1;
  sq_tail_ = *ring_.sq.ktail;
  posted_ = 0;
  return {};
}

base::Expected<void> UringEngine::register_what_was_asked(const Setup& setup) {
  fds_.clear();
  for (const io::Target& target : setup.targets) fds_.push_back(target.fd);
  base_flags_ = setup.options.force_async ? IOSQE_ASYNC : 0;
  if (setup.options.registerfiles || setup.options.sqthread_poll) {  // fio: a polling thread implies registered files
    if (const int rc = io_uring_register_files(&ring_, fds_.data(), static_cast<unsigned>(fds_.size())); rc < 0)
      return base::system_error(fmt::format("registerfiles: the kernel refused to register {} files", fds_.size()),
                                -rc);
    for (std::size_t i = 0; i < fds_.size(); ++i) fds_[i] = static_cast<int>(i);
    base_flags_ |= IOSQE_FIXED_FILE;
  }
  iovecs_.assign(setup.depth, iovec{});
  if (setup.options.fixedbufs) {
    for (std::uint32_t i = 0; i < setup.depth; ++i)
      iovecs_[i] = {setup.buffers + i * setup.buffer_stride, setup.buffer_stride};
    if (const int rc = io_uring_register_buffers(&ring_, iovecs_.data(), setup.depth); rc < 0)
      return buffers_error(-rc, setup);
  }
  if (const int rc = io_uring_register_ring_fd(&ring_); rc < 0)
    fallbacks_.push_back(fmt::format("io_uring: the ring's descriptor could not be registered: {}", strerror(-rc)));
  enter_fd_ = ring_.enter_ring_fd;
  enter_flags_ = enter_fd_ == ring_.ring_fd ? 0 : IORING_ENTER_REGISTERED_RING;
  return {};
}

void UringEngine::prepare_sqes(const Setup& setup) {
  const io::EngineOptions& options = setup.options;
  const bool vectored = !options.fixedbufs && !options.nonvectored;
  if (options.fixedbufs) {
    opcodes_ = {IORING_OP_READ_FIXED, IORING_OP_WRITE_FIXED};
  } else if (vectored) {
    opcodes_ = {IORING_OP_READV, IORING_OP_WRITEV};
  } else {
    opcodes_ = {IORING_OP_READ, IORING_OP_WRITE};
  }
  rare_ = {vectored, vectored, true, true};
  for (std::uint32_t slot = 0; slot < setup.depth; ++slot) {
    io_uring_sqe& sqe = ring_.sq.sqes[slot];
    std::memset(&sqe, 0, sizeof(sqe));
    sqe.flags = base_flags_;
    sqe.user_data = slot;
  }
}

void UringEngine::post_rare(std::uint32_t slot, const io::Request& request, std::byte* buffer) {
  if (request.dir == io::Dir::trim) return side_.push(slot, request, posted_);
  io_uring_sqe& sqe = ring_.sq.sqes[slot];
  sqe.fd = fds_[request.target];
  if (request.dir == io::Dir::sync) {
    sqe.opcode = IORING_OP_FSYNC;
    sqe.fsync_flags = (request.flags & io::kDataSync) ? IORING_FSYNC_DATASYNC : 0;
    sqe.off = sqe.addr = sqe.len = sqe.buf_index = 0;
  } else {
    iovecs_[slot] = {buffer, request.length};
    sqe.opcode = opcodes_[io::index(request.dir)];
    sqe.rw_flags = 0;
    sqe.off = request.offset;
    sqe.addr = reinterpret_cast<std::uint64_t>(&iovecs_[slot]);
    sqe.len = 1;
  }
  push(slot);
}

// The kernel's thread takes the SQEs by itself unless it has gone to sleep.
int UringEngine::wake_thread(unsigned n) {
  // Full fence: either we see that it sleeps, or it sees the new tail before it goes to sleep.
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

// With a polling thread fio waits by watching the ring; a wait that grows long is slept through in the kernel.
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

}  // namespace fathom::engine
