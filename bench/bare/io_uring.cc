// bare_io_uring FILE BATCH registered|plain SECONDS: random 4 KiB reads at depth 128. One io_uring_enter submits BATCH
// requests and waits for BATCH completions; the ring's flags, its registered descriptor and SQEs that are prepared once
// are those of src/engine/queue/io_uring.cc. registered: fixed buffers and a registered file.
#include <liburing.h>
#include <sys/uio.h>

#include <atomic>

#include "bare.h"

namespace {

constexpr unsigned kDepth = 128;

struct Ring {
  io_uring ring{};
  int enter_fd;
  unsigned sq_tail = 0, batch;

  Ring(int fd, char* memory, unsigned batch_size, bool registered) : batch(batch_size) {
    io_uring_params params{};
    params.flags =
        IORING_SETUP_CQSIZE | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN;
    params.cq_entries = kDepth;
    if (io_uring_queue_init_params(kDepth, &ring, &params) < 0) bare::fail("io_uring_setup");
    if (io_uring_register_ring_fd(&ring) < 0) bare::fail("register ring");
    enter_fd = ring.enter_ring_fd;
    iovec vectors[kDepth];
    for (unsigned i = 0; i < kDepth; ++i) {
      vectors[i] = {memory + i * bare::kBlock, bare::kBlock};
      io_uring_sqe& sqe = ring.sq.sqes[i];
      if (registered)
        io_uring_prep_read_fixed(&sqe, 0, vectors[i].iov_base, bare::kBlock, 0, static_cast<int>(i));
      else
        io_uring_prep_read(&sqe, fd, vectors[i].iov_base, bare::kBlock, 0);
      sqe.flags = registered ? IOSQE_FIXED_FILE : 0;
      sqe.user_data = i;
    }
    if (registered &&
        (io_uring_register_files(&ring, &fd, 1) < 0 || io_uring_register_buffers(&ring, vectors, kDepth) < 0))
      bare::fail("register");
  }
  void post(std::uint32_t slot, std::uint64_t offset) {
    ring.sq.sqes[slot].off = offset;
    ring.sq.array[sq_tail++ % kDepth] = slot;
  }
  void enter(unsigned wait_for) {
    std::atomic_ref(*ring.sq.ktail).store(sq_tail, std::memory_order_release);
    if (io_uring_enter(static_cast<unsigned>(enter_fd), batch, wait_for,
                       IORING_ENTER_GETEVENTS | IORING_ENTER_REGISTERED_RING, nullptr) < 0 &&
        errno != EINTR)
      bare::fail("io_uring_enter");
  }
  std::uint32_t take(unsigned head) {
    const io_uring_cqe& cqe = ring.cq.cqes[head % kDepth];
    if (cqe.res != static_cast<int>(bare::kBlock)) bare::fail("read");
    return static_cast<std::uint32_t>(cqe.user_data);
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const bare::File file(argv[1]);
  Ring ring(file.fd, bare::buffers(kDepth), static_cast<unsigned>(std::atoi(argv[2])),
            std::strcmp(argv[3], "registered") == 0);
  fathom::base::Prng prng(1);
  const auto offset = [&] { return prng.below(file.blocks) * bare::kBlock; };
  unsigned head = 0;
  for (std::uint32_t slot = 0; slot < kDepth; ++slot) {
    ring.post(slot, offset());
    if ((slot + 1) % ring.batch == 0) ring.enter(slot + 1 == kDepth ? ring.batch : 0);
  }
  return bare::measure(std::atof(argv[4]), [&](volatile sig_atomic_t& stop) {
    std::uint64_t ios = 0;
    while (!stop) {
      while (std::atomic_ref(*ring.ring.cq.ktail).load(std::memory_order_acquire) - head < ring.batch)
        ring.enter(ring.batch);
      for (unsigned i = 0; i < ring.batch; ++i) ring.post(ring.take(head++), offset());
      std::atomic_ref(*ring.ring.cq.khead).store(head, std::memory_order_release);
      ring.enter(ring.batch);
      ios += ring.batch;
    }
    return ios;
  });
}
