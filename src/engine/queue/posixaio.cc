// posixaio: aio_read, aio_write and aio_fsync of the C library, which runs them in its own threads. A request without
// space (EAGAIN) waits until another one has completed. A trim is not supported there: it is a system call, made after
// everything before it has completed.
#include <aio.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <vector>

#include "engine/file_ops.h"
#include "engine/parts.h"

namespace fathom::engine {
namespace {

// The C library keeps its threads for the next request. After a fork, its data about them remain, but the threads do
// not exist. The child's requests would then wait forever.
std::atomic<pid_t> used_by = 0;

base::Expected<void> threads_are_ours() {
  const pid_t self = ::getpid();
  if (const pid_t before = used_by.exchange(self); before == 0 || before == self) return {};
  auto e = base::system_error("posixaio in a process together with posixaio in threads", EBUSY);
  e.help = "write `thread` for all jobs with ioengine=posixaio, or for none of them";
  return e;
}

class PosixAio final : public BatchEngine {
 public:
  base::Expected<void> open(const Setup& setup) override {
    if (auto ours = threads_are_ours(); !ours) return ours;
    targets_ = setup.targets;
    blocks_ = std::vector<aiocb>(setup.depth);
    for (auto* list : {&waiting_, &in_flight_}) {
      list->clear();
      list->reserve(setup.depth);
    }
    done_.clear();
    done_.reserve(setup.depth);
    list_.reserve(setup.depth);
    return {};
  }

  int submit(std::span<const Posted> batch, unsigned) override {
    for (const Posted& p : batch) {
      set_up(p);
      waiting_.push_back(p.slot);
    }
    std::size_t taken = 0;
    int err = 0;
    while (taken < waiting_.size() && (err = start(waiting_[taken])) == 0) ++taken;
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(taken));
    return taken == 0 && err != 0 ? -err : static_cast<int>(taken);
  }

  int reap(unsigned min, std::span<io::Completion> out) override {
    const std::size_t least = std::min<std::size_t>(min, out.size());
    for (;;) {
      collect();
      if (done_.size() >= least || in_flight_.empty()) break;
      list_.clear();
      for (const std::uint32_t slot : in_flight_) list_.push_back(&blocks_[slot]);
      if (::aio_suspend(list_.data(), static_cast<int>(list_.size()), nullptr) != 0 && errno != EAGAIN) {
        if (done_.empty()) return -errno;
        break;
      }
    }
    const std::size_t n = std::min(out.size(), done_.size());
    std::copy_n(done_.begin(), n, out.begin());
    done_.erase(done_.begin(), done_.begin() + static_cast<std::ptrdiff_t>(n));
    return static_cast<int>(n);
  }

  void close() override {}

 private:
  void set_up(const Posted& p) {
    const io::Request& request = *p.request;
    aiocb& block = blocks_[p.slot];
    block = {};
    block.aio_fildes = targets_[request.target].fd;
    block.aio_buf = p.buffer;
    block.aio_nbytes = request.length;
    block.aio_offset = static_cast<off_t>(request.offset);
    block.aio_sigevent.sigev_notify = SIGEV_NONE;
    block.aio_sigevent.sigev_value.sival_ptr = const_cast<io::Request*>(p.request);
  }

  // Returns 0, or EAGAIN: no space now. Any other error is the result of the request.
  int start(std::uint32_t slot) {
    aiocb& block = blocks_[slot];
    const auto& request = *static_cast<const io::Request*>(block.aio_sigevent.sigev_value.sival_ptr);
    if (request.dir == io::Dir::trim) {
      if (!in_flight_.empty()) return EAGAIN;
      done_.push_back({slot, trim_range(targets_[request.target], request)});
      return 0;
    }
    const int rc = request.dir == io::Dir::read ? ::aio_read(&block)
                   : request.dir == io::Dir::write
                       ? ::aio_write(&block)
                       : ::aio_fsync(request.flags & io::kDataSync ? O_DSYNC : O_SYNC, &block);
    if (rc == 0) {
      in_flight_.push_back(slot);
      return 0;
    }
    if (errno == EAGAIN) return EAGAIN;
    done_.push_back({slot, -errno});
    return 0;
  }

  void collect() {
    std::erase_if(in_flight_, [&](std::uint32_t slot) {
      const int err = ::aio_error(&blocks_[slot]);
      if (err == EINPROGRESS) return false;
      const auto moved = static_cast<std::int32_t>(::aio_return(&blocks_[slot]));
      done_.push_back({slot, err != 0 ? -err : moved});
      return true;
    });
  }

  std::span<const io::Target> targets_;
  std::vector<aiocb> blocks_;                       // one per slot
  std::vector<std::uint32_t> waiting_, in_flight_;  // slots, in the order in which they were posted
  std::vector<const aiocb*> list_;                  // scratch for aio_suspend
  std::vector<io::Completion> done_;
};

}  // namespace

std::unique_ptr<BatchEngine> make_posixaio() { return std::make_unique<PosixAio>(); }

}  // namespace fathom::engine
