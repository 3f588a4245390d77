// Fills a file in chunks.
#include "run/files/layout_fill.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/text/unit_text.h"

namespace fathom::run::files {
namespace {

constexpr std::size_t kChunkBytes = 1u << 20;

// Truncates or removes a file that was not filled to its end. Otherwise the next run would accept it and read holes.
void take_back(int fd, const PlannedTarget& t, std::uint64_t filled) {
  if (t.exists && ::ftruncate(fd, static_cast<off_t>(filled)) == 0) return;
  ::unlink(t.path.c_str());
}

base::Error cannot_fill(const PlannedTarget& t, std::uint64_t free, int err) {
  auto e = base::system_error("lay out `" + t.path + "`", err);
  if (err != ENOSPC && err != EDQUOT) return e;
  const std::uint64_t needed = t.size_needed - t.size_now;
  e.cause = fmt::format("{} bytes ({}) are needed, {} bytes ({}) were free", needed, base::text::mib_text(needed), free,
                        base::text::mib_text(free));
  if (err == EDQUOT) e.cause += ", and the user's quota is used up";
  e.help = "free space, lower size= or nrfiles=, or use another directory=";
  return e;
}

}  // namespace

base::Expected<bool> fill_file(int fd, const PlannedTarget& t, std::uint64_t free, const FillPlan& fill,
                               LayoutProgress& progress, const LayoutListener& listener,
                               const std::atomic<std::uint32_t>& stop) {
  // A chunk consists of whole writes of the job: each write starts its pattern from the beginning.
  const std::uint64_t chunk_bytes =
      std::max(kChunkBytes / fill.contents.largest, std::uint64_t{1}) * fill.contents.largest;
  std::vector<std::byte> chunk(chunk_bytes);
  std::uint64_t at = t.size_now;
  // The seed depends on the offset, so that data appended to an older part do not repeat it.
  workload::bytes::Refill refill(fill.contents, std::hash<std::string>{}(t.path) + at);
  while (at < t.size_needed && stop.load() == 0) {
    const auto n = std::min(chunk_bytes, t.size_needed - at);
    refill.fill({chunk.data(), n});
    const ssize_t written = ::pwrite(fd, chunk.data(), n, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int err = written < 0 ? errno : ENOSPC;
      if (fill.until_full && (err == ENOSPC || err == EDQUOT)) break;
      take_back(fd, t, at);
      return cannot_fill(t, free, err);
    }
    at += static_cast<std::uint64_t>(written);
    progress.done_bytes += static_cast<std::uint64_t>(written);
    if (listener) listener(progress);
  }
  if (at < t.size_needed && (!fill.until_full || stop.load() != 0)) {
    take_back(fd, t, at);
    return false;
  }
  if (!fill.sync) return true;
  if (::fsync(fd) != 0) {
    const int err = errno;
    if (err == ENOSPC || err == EDQUOT) {  // found only now: the written data are not on the disk
      take_back(fd, t, t.size_now);
      return cannot_fill(t, free, err);
    }
    return base::system_error("sync `" + t.path + "`", err);
  }
  ::posix_fadvise(fd, 0, static_cast<off_t>(t.size_needed), POSIX_FADV_DONTNEED);
  return true;
}

}  // namespace fathom::run::files
