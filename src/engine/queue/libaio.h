// libaio: the kernel's older asynchronous interface. One iocb per slot, with its constant fields set at open. io_submit
// takes pointers to the posted ones. sync and trim are plain calls in ring() (fio's choice: kernels differ in the aio
// fsync that they accept). A request that io_submit refuses (bad descriptor, misaligned) finishes with that errno. The
// next ring submits those behind it.
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

  std::unique_ptr<iocb[]> iocbs_;     // one per slot
  std::unique_ptr<iocb*[]> pending_;  // posted, but not submitted, in order
  std::uint32_t posted_ = 0;
  std::array<bool, 4> rare_{};  // by direction: handled by post_rare()
  bool vectored_ = false;
  std::array<int, 2> rw_flags_{};  // by direction: nowait; atomic
  std::vector<int> fds_;           // one per target
  std::vector<iovec> iovecs_;      // one per slot, for libaio_vectored
  RequestPriorities priorities_;
  std::vector<io_event> events_;  // `depth` entries: scratch space for io_getevents
  bool userspace_reap_ = false;
  io_context_t context_ = nullptr;
  SideCalls side_;
};

}  // namespace fathom::engine::queue
