// libaio's system calls; see the header.
#include "engine/queue/libaio.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "engine/parts.h"
#include "engine/raw_call.h"
#include "io/options/libaio.h"
#include "io/options/nowait.h"

namespace fathom::engine::queue {
namespace {

// The completion ring, as the kernel maps it at the address that io_setup returns. The layout is part of its ABI, as
// `magic` indicates.
struct AioRing {
  unsigned id;
  unsigned nr;
  unsigned head;
  unsigned tail;
  unsigned magic;
  unsigned compat_features;
  unsigned incompat_features;
  unsigned header_length;
};
static_assert(sizeof(AioRing) == 32);
constexpr unsigned kOwnPriority = 1 << 1;  // IOCB_FLAG_IOPRIO; its header conflicts with libaio's
constexpr unsigned kAioRingMagic = 0xa10a10a1;

AioRing* ring_of(io_context_t context) { return reinterpret_cast<AioRing*>(context); }

io::Completion completion_of(const io_event& event) {
  return {static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(event.data)),
          static_cast<std::int32_t>(static_cast<long>(event.res))};
}

}  // namespace

base::Expected<void> LibaioEngine::open(const Setup& setup) {
  close();
  if (const int rc = io_setup(static_cast<int>(setup.depth), &context_); rc < 0) {
    context_ = nullptr;
    base::Error e = base::system_error(fmt::format("libaio: io_setup for iodepth={}", setup.depth), -rc);
    if (rc == -EAGAIN) {
      e.cause = "the machine's limit of asynchronous requests is used up (/proc/sys/fs/aio-max-nr)";
      e.help = "raise the limit with `sysctl fs.aio-max-nr=1048576`, or use fewer jobs or a smaller iodepth";
    }
    return e;
  }
  iocbs_ = std::make_unique<iocb[]>(setup.depth);
  for (std::uint32_t slot = 0; slot < setup.depth; ++slot)
    iocbs_[slot].data = reinterpret_cast<void*>(std::uintptr_t{slot});  // NOLINT(performance-no-int-to-ptr): a number
  const int rw_flags = setup.options.of<io::NowaitOptions>().nowait ? RWF_NOWAIT : 0;
  rw_flags_ = {rw_flags, rw_flags | (setup.job.atomic ? kAtomicWrite : 0)};
  for (std::uint32_t slot = 0; slot < setup.depth; ++slot) iocbs_[slot].aio_rw_flags = rw_flags;
  vectored_ = setup.options.of<io::LibaioOptions>().vectored;
  priorities_ = RequestPriorities(setup.options.of<io::CmdprioOptions>());
  const bool special = vectored_ || priorities_.used() || setup.job.atomic || setup.job.dsync;
  rare_ = {special, special, true, true};
  iovecs_.assign(setup.depth, iovec{});
  pending_ = std::make_unique<iocb*[]>(setup.depth);
  posted_ = 0;
  fds_.clear();
  for (const io::Target& target : setup.targets) fds_.push_back(target.fd);
  events_.resize(setup.depth);
  userspace_reap_ = setup.options.of<io::LibaioOptions>().userspace_reap && ring_of(context_)->magic == kAioRingMagic;
  side_.open(setup.targets, setup.depth);
  return {};
}

void LibaioEngine::post_rare(std::uint32_t slot, const io::Request& request, std::byte* buffer) {
  if (request.dir >= io::Dir::trim) return side_.push(slot, request, posted_);
  iocb& cb = iocbs_[slot];
  const bool read = request.dir == io::Dir::read;
  cb.aio_fildes = fds_[request.target];
  if (vectored_) {
    iovecs_[slot] = {buffer, request.length};
    cb.aio_lio_opcode = read ? IO_CMD_PREADV : IO_CMD_PWRITEV;
    cb.u.c.buf = &iovecs_[slot];
    cb.u.c.nbytes = 1;
  } else {
    cb.aio_lio_opcode = read ? IO_CMD_PREAD : IO_CMD_PWRITE;
    cb.u.c.buf = buffer;
    cb.u.c.nbytes = request.length;
  }
  cb.u.c.offset = static_cast<long long>(request.offset);
  cb.aio_rw_flags = rw_flags_[io::index(request.dir)] | write_through_of(request);
  const std::uint16_t priority = priorities_.of(request);
  cb.aio_reqprio = static_cast<short>(priority);
  cb.u.c.flags = priority != 0 ? kOwnPriority : 0;
  pending_[posted_++] = &cb;
}

int LibaioEngine::ring(unsigned /*wait_for*/) {
  std::uint32_t n = posted_;
  if (side_.waiting()) [[unlikely]] {
    n = side_.ahead();
    if (n == 0) {
      side_.run_first();
      return 1;
    }
  }
  if (n == 0) return 0;
  const int rc = static_cast<int>(
      raw_call(SYS_io_submit, as_argument(context_), static_cast<long>(n), as_argument(pending_.get())));
  if (rc == static_cast<int>(posted_)) [[likely]] {
    posted_ = 0;
    if (side_.waiting()) [[unlikely]]
      side_.handed_over(n);
    return rc;
  }
  return handed_over(rc);
}

// Handles a partial submission: the remaining requests move to the front. An error belongs to the first request, which
// the kernel has not taken.
int LibaioEngine::handed_over(int rc) {
  if (rc == -EAGAIN || rc == -EINTR) return rc;
  if (rc < 0) {
    side_.finish(completion_of({.data = pending_[0]->data, .obj = nullptr, .res = 0, .res2 = 0}).slot, rc);
    rc = 1;
  }
  const auto taken = static_cast<std::uint32_t>(rc);
  posted_ -= taken;
  std::memmove(pending_.get(), pending_.get() + taken, posted_ * sizeof(void*));
  side_.handed_over(taken);
  return rc;
}

int LibaioEngine::reap(unsigned min, std::span<io::Completion> out) {
  if (!side_.has_done() && !userspace_reap_) [[likely]]
    return wait_for(min, out);
  std::size_t n = side_.has_done() ? side_.take(out) : 0;
  if (userspace_reap_) n += read_ring(out.subspan(n));
  if (n == out.size() || (n > 0 && n >= min) || (userspace_reap_ && min == 0)) return static_cast<int>(n);
  const int rc = wait_for(min > n ? min - static_cast<unsigned>(n) : 0, out.subspan(n));
  if (rc < 0) return n ? static_cast<int>(n) : rc;
  return static_cast<int>(n) + rc;
}

// libaio's function reads the ring first, so an empty ring costs no system call.
long LibaioEngine::look(std::size_t most) {
  timespec no_wait{};
  return io_getevents(context_, 0, static_cast<long>(most), events_.data(), &no_wait);
}

long LibaioEngine::wait(std::size_t least, std::size_t most) {
  return raw_call(SYS_io_getevents, as_argument(context_), static_cast<long>(least), static_cast<long>(most),
                  as_argument(events_.data()), 0);
}

int LibaioEngine::wait_for(unsigned min, std::span<io::Completion> out) {
  const std::size_t most = std::min(out.size(), events_.size());
  const std::size_t least = std::min<std::size_t>(min, most);
  const int rc = static_cast<int>(least == 0 ? look(most) : wait(least, most));
  for (int i = 0; i < rc; ++i) out[static_cast<std::size_t>(i)] = completion_of(events_[static_cast<std::size_t>(i)]);
  return rc;
}

std::size_t LibaioEngine::read_ring(std::span<io::Completion> out) {
  AioRing* ring = ring_of(context_);
  const auto* events =
      reinterpret_cast<const io_event*>(reinterpret_cast<const std::byte*>(ring) + ring->header_length);
  unsigned head = ring->head;
  // Acquire: the events before this tail are complete. Release below: the kernel may reuse the entries that were read.
  const unsigned tail = std::atomic_ref(ring->tail).load(std::memory_order_acquire);
  std::size_t n = 0;
  for (; head != tail && n < out.size(); ++n) {
    out[n] = completion_of(events[head]);
    if (++head == ring->nr) head = 0;
  }
  if (n) std::atomic_ref(ring->head).store(head, std::memory_order_release);
  return n;
}

void LibaioEngine::close() {
  if (!context_) return;
  io_destroy(context_);
  context_ = nullptr;
}

}  // namespace fathom::engine::queue

namespace fathom::engine {

using namespace queue;

std::unique_ptr<BatchEngine> make_libaio() { return std::make_unique<Batched<LibaioEngine>>(); }

}  // namespace fathom::engine
