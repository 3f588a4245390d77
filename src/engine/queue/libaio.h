// libaio: the kernel's older asynchronous interface. One iocb a slot, its constant fields set at open; io_submit takes
// pointers to those that were posted. sync and trim are plain calls in ring() (fio's choice: kernels differ in what
// they accept as aio fsync). A request that io_submit refuses (bad descriptor, misaligned) is finished with that errno;
// the ones behind it go with the next ring.
#pragma once
#include <libaio.h>
#include <sys/uio.h>

#include <array>
#include <memory>
#include <vector>

#include "engine/engine.h"
#include "engine/queue/request_priorities.h"
#include "engine/side_calls.h"

namespace fathom::engine::queue {

class LibaioEngine {
 public:
  LibaioEngine() = default;
  LibaioEngine(const LibaioEngine&) = delete;
  LibaioEngine& operator=(const LibaioEngine&) = delete;
  ~LibaioEngine() { close(); }

  // io: io_setup failed (help names /proc/sys/fs/aio-max-nr).
  base::Expected<void> open(const Setup& setup);
  [[gnu::always_inline]] void post(std::uint32_t slot, const io::Request& request, std::byte* buffer) {
    if (rare_[io::index(request.dir)]) [[unlikely]]
      return post_rare(slot, request, buffer);
    iocb& cb = iocbs_[slot];
    cb.aio_fildes = fds_[request.target];
    cb.aio_lio_opcode = kOpcodes[io::index(request.dir)];
    cb.u.c.buf = buffer;
    cb.u.c.nbytes = request.length;
    cb.u.c.offset = static_cast<long long>(request.offset);
    pending_[posted_++] = &cb;
  }
  int ring(unsigned wait_for = 0);
  int reap(unsigned min, std::span<io::Completion> out);
  void close();

 private:
  static constexpr std::array<short, 2> kOpcodes{IO_CMD_PREAD, IO_CMD_PWRITE};
  void post_rare(std::uint32_t slot, const io::Request& request, std::byte* buffer);
  int handed_over(int rc);
  long look(std::size_t most);
  long wait(std::size_t least, std::size_t most);
  int wait_for(unsigned min, std::span<io::Completion> out);
  std::size_t read_ring(std::span<io::Completion> out);

  std::unique_ptr<iocb[]> iocbs_;     // one a slot
  std::unique_ptr<iocb*[]> pending_;  // posted and not handed over, in order
  std::uint32_t posted_ = 0;
  std::array<bool, 4> rare_{};  // by direction: post_rare() knows how
  bool vectored_ = false;
  std::array<int, 2> rw_flags_{};  // by direction: nowait; atomic
  std::vector<int> fds_;           // one a target
  std::vector<iovec> iovecs_;      // one a slot, of libaio_vectored
  RequestPriorities priorities_;
  std::vector<io_event> events_;  // depth of them: scratch for io_getevents
  bool userspace_reap_ = false;
  io_context_t context_ = nullptr;
  SideCalls side_;
};

}  // namespace fathom::engine::queue
