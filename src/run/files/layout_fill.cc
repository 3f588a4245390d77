// Fills a file in chunks.
#include "run/files/layout_fill.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/text/unit_text.h"
#include "engine/batch.h"

namespace fathom::run::files {
namespace {

constexpr std::uint64_t kChunkBytes = 1u << 20;

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

// Writes by an engine, several in flight.
constexpr std::uint32_t kWritesAtOnce = 16;
constexpr std::uint32_t kSmallest_bytes = 512;  // of a write, after the engine refused larger ones

class EngineWriter {
 public:
  EngineWriter(engine::BatchEngine& engine, std::uint64_t largest_bytes, const std::atomic<std::uint32_t>& stop)
      : engine_(engine), stop_(stop), piece_bytes_(static_cast<std::uint32_t>(std::min(largest_bytes, kChunkBytes))) {}

  // Returns 0 or an errno. EMSGSIZE: smaller writes may succeed, so they are tried.
  int write(std::byte* data, std::uint64_t bytes, std::uint64_t offset) {
    for (;; piece_bytes_ /= 2) {
      const int err = write_pieces(data, bytes, offset);
      if (err != EMSGSIZE || piece_bytes_ / 2 < kSmallest_bytes) return err;
    }
  }
  std::string why() const { return engine_.explain(failed_slot_); }

 private:
  int write_pieces(std::byte* data, std::uint64_t bytes, std::uint64_t offset) {
    for (std::uint64_t done = 0; done < bytes;) {
      std::uint32_t count = 0;
      for (; count < kWritesAtOnce && done < bytes; ++count) {
        const auto length = static_cast<std::uint32_t>(std::min<std::uint64_t>(piece_bytes_, bytes - done));
        requests_[count] = {.offset = offset + done, .length = length, .dir = io::Dir::write};
        posted_[count] = {&requests_[count], data + done, count};
        done += length;
      }
      if (const int err = run(count); err != 0) return err;
    }
    return 0;
  }

  // All requests end, even after one failed: the next call uses their slots.
  int run(std::uint32_t count) {
    int err = 0;
    std::uint32_t taken = 0, ended = 0;
    std::span<const engine::Posted> next(posted_, count);
    while (ended < count) {
      if (taken < count) {
        const int rc = engine_.submit(next, count);
        if (rc < 0 && rc != -EAGAIN) return -rc;
        taken += static_cast<std::uint32_t>(std::max(rc, 0));
        next = {};
      }
      io::Completion done[kWritesAtOnce];
      const int rc = engine_.reap(taken > ended ? 1 : 0, done);
      if (rc == -EINTR && stop_.load() != 0) return EINTR;
      if (rc < 0 && rc != -EINTR && rc != -EAGAIN) return -rc;
      for (int i = 0; i < rc; ++i, ++ended) {
        const auto length = static_cast<std::int32_t>(requests_[done[i].slot].length);
        if (done[i].result == length || err != 0) continue;
        err = done[i].result < 0 ? -done[i].result : ENOSPC;
        failed_slot_ = done[i].slot;
      }
    }
    return err;
  }

  engine::BatchEngine& engine_;
  const std::atomic<std::uint32_t>& stop_;
  std::uint32_t piece_bytes_;
  std::uint32_t failed_slot_ = 0;
  io::Request requests_[kWritesAtOnce];
  engine::Posted posted_[kWritesAtOnce];
};

base::Error engine_cannot_fill(const PlannedTarget& t, int err, const std::string& why) {
  auto e = base::system_error("lay out `" + t.path + "`", err);
  if (!why.empty()) e.cause += ": " + why;
  if (err == ENOSPC || err == EDQUOT) e.help = "free space on the server, or lower size= or nrfiles=";
  return e;
}

// A chunk consists of whole writes of the job: each write starts its pattern from the beginning.
std::uint64_t chunk_of(const FillPlan& fill) {
  return std::max(kChunkBytes / fill.contents.largest, std::uint64_t{1}) * fill.contents.largest;
}

}  // namespace

base::Expected<bool> fill_file(int fd, const PlannedTarget& t, std::uint64_t free, const FillPlan& fill,
                               LayoutProgress& progress, const LayoutListener& listener,
                               const std::atomic<std::uint32_t>& stop) {
  const std::uint64_t chunk_bytes = chunk_of(fill);
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

base::Expected<bool> fill_engine_file(const job::Job& job, const PlannedTarget& t, const FillPlan& fill,
                                      LayoutProgress& progress, const LayoutListener& listener,
                                      const std::atomic<std::uint32_t>& stop) {
  const auto engine = engine::targets_of(job.ioengine)->make();
  const io::Target target{t.path, t.kind, -1, t.size_needed, 0, t.size_needed};
  engine::Setup setup{.options = job.engine, .targets = {&target, 1}, .depth = kWritesAtOnce};
  setup.job.writes = true;
  setup.job.stop = &stop;
  if (auto ok = engine->open(setup); !ok) return ok.error();
  EngineWriter writer(*engine, t.abilities.largest_bytes == 0 ? kChunkBytes : t.abilities.largest_bytes, stop);
  const std::uint64_t chunk_bytes = chunk_of(fill);
  std::vector<std::byte> chunk(chunk_bytes);
  workload::bytes::Refill refill(fill.contents, std::hash<std::string>{}(t.path) + t.size_now);
  for (std::uint64_t at = t.size_now, n = 0; at < t.size_needed; at += n) {
    if (stop.load() != 0) return false;
    n = std::min(chunk_bytes, t.size_needed - at);
    refill.fill({chunk.data(), n});
    const int err = writer.write(chunk.data(), n, at);
    if (err == EINTR && stop.load() != 0) return false;
    if (err != 0) return engine_cannot_fill(t, err, writer.why());
    progress.done_bytes += n;
    if (listener) listener(progress);
  }
  const int err = fill.sync ? engine->sync_targets() : 0;
  if (err != 0) return engine_cannot_fill(t, err, "");
  return true;
}

}  // namespace fathom::run::files
