// vsync: joins adjacent requests of a batch to one readv or writev. The order of a batch is kept. Requests of one file
// and direction, each beginning at the end of the previous one, share one seek and call. Another file or direction, or
// a gap, begins the next call. Batches of one request (iodepth_batch=1) are therefore never joined.
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <vector>

#include "engine/file_ops.h"
#include "engine/parts.h"
#include "engine/raw_call.h"

namespace fathom::engine {
namespace {

class Vsync final : public BatchEngine {
 public:
  base::Expected<void> open(const Setup& setup) override {
    targets_ = setup.targets;
    vector_.resize(setup.depth);
    done_.clear();
    done_.reserve(setup.depth);
    return {};
  }

  int submit(std::span<const Posted> batch, unsigned) override {
    for (std::size_t first = 0; first < batch.size();) {
      const std::size_t n = neighbours(batch.subspan(first));
      do_together(batch.subspan(first, n));
      first += n;
    }
    return static_cast<int>(batch.size());
  }

  int reap(unsigned, std::span<io::Completion> out) override {
    const std::size_t n = std::min(out.size(), done_.size());
    std::copy_n(done_.begin(), n, out.begin());
    done_.erase(done_.begin(), done_.begin() + static_cast<std::ptrdiff_t>(n));
    return static_cast<int>(n);
  }

  void close() override {}

 private:
  // The number of requests at the front of the batch that one call can handle.
  static std::size_t neighbours(std::span<const Posted> batch) {
    const io::Request& first = *batch[0].request;
    if (first.dir >= io::Dir::trim) return 1;
    std::size_t n = 1;
    for (std::uint64_t end = first.offset + first.length; n < std::min<std::size_t>(batch.size(), IOV_MAX); ++n) {
      const io::Request& next = *batch[n].request;
      if (next.target != first.target || next.dir != first.dir || next.offset != end) break;
      end += next.length;
    }
    return n;
  }

  void do_together(std::span<const Posted> group) {
    const io::Request& first = *group[0].request;
    const io::Target& target = targets_[first.target];
    if (first.dir == io::Dir::trim) return finish(group[0], trim_range(target, first));
    if (first.dir == io::Dir::sync) return finish(group[0], sync_file(target.fd, first));
    std::size_t wanted = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
      vector_[i] = {group[i].buffer, group[i].request->length};
      wanted += group[i].request->length;
    }
    share_out(group, transfer(target.fd, first, {vector_.data(), group.size()}, wanted));
  }

  // One seek and one call; further calls only after a short result. Returns the bytes moved, or -errno.
  static long transfer(int fd, const io::Request& first, std::span<iovec> vector, std::size_t wanted) {
    if (::lseek(fd, static_cast<off_t>(first.offset), SEEK_SET) < 0) return -errno;
    const long call = first.dir == io::Dir::read ? SYS_readv : SYS_writev;
    std::size_t moved = 0;
    while (moved < wanted) {
      const long n = raw_call(call, fd, as_argument(vector.data()), static_cast<long>(vector.size()));
      if (n <= 0) return moved > 0 ? static_cast<long>(moved) : n;
      moved += static_cast<std::size_t>(n);
      skip(vector, static_cast<std::size_t>(n));
    }
    return static_cast<long>(moved);
  }

  static void skip(std::span<iovec>& vector, std::size_t bytes) {
    while (!vector.empty() && bytes >= vector[0].iov_len) {
      bytes -= vector[0].iov_len;
      vector = vector.subspan(1);
    }
    if (vector.empty()) return;
    vector[0].iov_base = static_cast<std::byte*>(vector[0].iov_base) + bytes;
    vector[0].iov_len -= bytes;
  }

  // An error applies to all requests. Otherwise the bytes moved are assigned in order, from the first request on.
  void share_out(std::span<const Posted> group, long moved) {
    for (const Posted& p : group) {
      if (moved < 0) {
        finish(p, static_cast<std::int32_t>(moved));
        continue;
      }
      const long own = std::min<long>(moved, p.request->length);
      finish(p, static_cast<std::int32_t>(own));
      moved -= own;
    }
  }

  void finish(const Posted& p, std::int32_t result) { done_.push_back({p.slot, result}); }

  std::span<const io::Target> targets_;
  std::vector<iovec> vector_;
  std::vector<io::Completion> done_;
};

}  // namespace

std::unique_ptr<BatchEngine> make_vsync() { return std::make_unique<Vsync>(); }

}  // namespace fathom::engine
