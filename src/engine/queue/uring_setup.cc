// Sets up a ring, registers resources, and explains what the kernel refuses.
#include "engine/queue/uring_setup.h"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <cstring>

#include "io/options/hipri.h"
#include "io/options/io_uring.h"
#include "io/options/nowait.h"
#include "io/options/uncached.h"

namespace fathom::engine::queue {
namespace {

constexpr unsigned kOurTaskWork = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN;

// Features to drop one by one, newest first, while setup returns EINVAL (an older kernel).
struct Surrender {
  unsigned flags;
  const char* name;
};
constexpr Surrender kSurrenders[] = {
    {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, "IORING_SETUP_SINGLE_ISSUER|DEFER_TASKRUN"},
    {IORING_SETUP_COOP_TASKRUN, "IORING_SETUP_COOP_TASKRUN"},
    {IORING_SETUP_CQSIZE, "IORING_SETUP_CQSIZE"},
};

io_uring_params wanted_params(const Setup& setup, unsigned extra_flags) {
  io_uring_params params{};
  const io::EngineOptions& options = setup.options;
  params.flags = IORING_SETUP_CQSIZE | extra_flags;
  params.cq_entries = std::bit_ceil(setup.depth);
  if (options.of<io::HipriOptions>().hipri) params.flags |= IORING_SETUP_IOPOLL;
  if (!options.kernel_submits) {
    params.flags |= kOurTaskWork;
    return params;
  }
  params.flags |= IORING_SETUP_SQPOLL;  // the kernel's thread runs the task work, so none of this engine's flags apply
  if (const int cpu = options.of<io::IoUringOptions>().sqthread_poll_cpu; cpu >= 0) {
    params.flags |= IORING_SETUP_SQ_AFF;
    params.sq_thread_cpu = static_cast<unsigned>(cpu);
  }
  return params;
}

}  // namespace

int rw_flags_of(const io::EngineOptions& options) {
  const unsigned nowait = options.of<io::NowaitOptions>().nowait ? unsigned{RWF_NOWAIT} : 0;
  return static_cast<int>(nowait | (options.of<io::UncachedOptions>().uncached ? io::UncachedOptions::kFlag : 0));
}

namespace {

base::Error setup_error(int err, const Setup& setup) {
  base::Error e = base::system_error(fmt::format("io_uring: cannot set up a ring for iodepth={}", setup.depth), err);
  if (err == ENOSYS) e.cause = "this kernel has no io_uring";
  if (err == EPERM) {
    e.cause = "io_uring is disabled for this user, or a sandbox forbids it";
    e.help = "run `sysctl kernel.io_uring_disabled=0`, or write ioengine=libaio";
  }
  if (err == ENOMEM) {
    e.kind = base::ErrorKind::privilege;
    e.cause = "RLIMIT_MEMLOCK is too small for the ring";
    e.help = "raise `ulimit -l`, or lower iodepth";
  }
  if (err == EINVAL) e.help = "write iodepth=32768 or less; sqthread_poll_cpu= must be an online CPU";
  return e;
}

base::Error buffers_error(int err, const Setup& setup) {
  base::Error e = base::system_error(
      fmt::format("fixedbufs: the kernel refused to register {} buffers of {} bytes", setup.depth, setup.buffer_stride),
      err);
  if (err == ENOMEM) {
    e.kind = base::ErrorKind::privilege;
    e.cause = "RLIMIT_MEMLOCK is smaller than the buffers";
    e.help = "raise `ulimit -l`, lower iodepth or bs, or omit fixedbufs";
  }
  if (err == EINVAL) e.help = "lower iodepth, or omit fixedbufs: at most 16384 buffers can be registered";
  return e;
}

}  // namespace

base::Expected<void> set_up_ring(const Setup& setup, unsigned extra_flags, io_uring& ring, io_uring_params& params,
                                 std::vector<std::string>& fallbacks) {
  const io_uring_params wanted = wanted_params(setup, extra_flags);
  params = wanted;
  int rc = io_uring_queue_init_params(setup.depth, &ring, &params);
  for (const Surrender& s : kSurrenders) {
    if (rc != -EINVAL) break;
    if (!(wanted.flags & s.flags)) continue;
    fallbacks.push_back(fmt::format("io_uring: the kernel refused {}", s.name));
    const unsigned remaining = params.flags & ~s.flags;
    params = wanted;
    params.flags = remaining;
    rc = io_uring_queue_init_params(setup.depth, &ring, &params);
  }
  if (rc < 0) return setup_error(-rc, setup);
  return {};
}

base::Expected<void> register_buffers(const Setup& setup, io_uring& ring) {
  std::vector<iovec> buffers(setup.depth);
  for (std::uint32_t i = 0; i < setup.depth; ++i)
    buffers[i] = {setup.buffers + i * setup.buffer_stride, setup.buffer_stride};
  if (const int rc = io_uring_register_buffers(&ring, buffers.data(), setup.depth); rc < 0)
    return buffers_error(-rc, setup);
  return {};
}

base::Expected<bool> register_files(const Setup& setup, io_uring& ring, std::vector<int>& fds) {
  if (!setup.options.of<io::IoUringOptions>().registerfiles && !setup.options.kernel_submits) return false;
  if (const int rc = io_uring_register_files(&ring, fds.data(), static_cast<unsigned>(fds.size())); rc < 0)
    return base::system_error(fmt::format("registerfiles: the kernel refused to register {} files", fds.size()), -rc);
  for (std::size_t i = 0; i < fds.size(); ++i) fds[i] = static_cast<int>(i);
  return true;
}

EnterBy register_ring(io_uring& ring, std::vector<std::string>& fallbacks) {
  if (const int rc = io_uring_register_ring_fd(&ring); rc < 0)
    fallbacks.push_back(fmt::format("io_uring: the ring's descriptor could not be registered: {}", strerror(-rc)));
  return {ring.enter_ring_fd, ring.enter_ring_fd == ring.ring_fd ? 0 : IORING_ENTER_REGISTERED_RING};
}

}  // namespace fathom::engine::queue
