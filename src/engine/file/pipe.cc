// The pipe's system calls; see the header.
#include "engine/file/pipe.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace fathom::engine::file {

base::Expected<void> SplicePipe::open() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return base::system_error("pipe", errno);
  out.reset(fds[0]);
  in.reset(fds[1]);
  return {};
}

long SplicePipe::to_memory(std::byte* to, std::size_t bytes) {
  std::size_t moved = 0;
  while (moved < bytes) {
    const iovec rest{to + moved, bytes - moved};
    const long n = reads_ ? ::read(out.get(), rest.iov_base, rest.iov_len) : ::vmsplice(out.get(), &rest, 1, 0);
    if (n < 0 && !reads_ && (errno == EFAULT || errno == EBADF || errno == EINVAL)) {
      reads_ = true;
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? -errno : -EIO;
    moved += static_cast<std::size_t>(n);
  }
  return static_cast<long>(moved);
}

long SplicePipe::from_memory(const std::byte* from, std::size_t bytes) {
  std::size_t moved = 0;
  while (moved < bytes) {
    const iovec rest{const_cast<std::byte*>(from) + moved, bytes - moved};
    const long n = ::vmsplice(in.get(), &rest, 1, SPLICE_F_NONBLOCK);
    if (n < 0 && errno == EINTR) continue;
    // A buffer that does not begin on a page boundary needs one page more than the pipe may hold. The rest goes with
    // the next call.
    if (n < 0 && errno == EAGAIN && moved > 0) break;
    if (n <= 0) return n < 0 ? -errno : -EIO;
    moved += static_cast<std::size_t>(n);
  }
  return static_cast<long>(moved);
}

}  // namespace fathom::engine::file
