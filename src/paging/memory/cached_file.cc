// Checks, drops and checks again: the kernel may keep a few pages of a CPU's lists for a moment.
#include "paging/memory/cached_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/system/fd.h"
#include "base/text/unit_text.h"
#include "result/findings/rows.h"

namespace fathom::paging::memory {
namespace {

constexpr std::uint64_t kPage = 4096, kStep = 1ull << 30;
constexpr int kTries = 5;
constexpr timespec kPause{0, 20'000'000};
// This part of the set changes no number: a thousandth, and what a CPU's lists may keep.
constexpr double kNegligibleShare = 1e-3;
constexpr std::uint64_t kNegligible_bytes = 64 * kPage;

// nullopt: the kernel does not report it.
std::optional<std::uint64_t> cached_bytes(int fd, std::uint64_t bytes) {
  std::uint64_t cached = 0;
  std::vector<unsigned char> pages;
  for (std::uint64_t at = 0; at < bytes; at += kStep) {
    const std::uint64_t length = std::min(kStep, bytes - at);
    void* const map = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, fd, static_cast<off_t>(at));
    if (map == MAP_FAILED) return std::nullopt;
    pages.assign((length + kPage - 1) / kPage, 0);
    const int failed = ::mincore(map, length, pages.data());
    ::munmap(map, length);
    if (failed != 0) return std::nullopt;
    const auto in_memory = [](unsigned char page) { return (page & 1) != 0; };
    cached += static_cast<std::uint64_t>(std::count_if(pages.begin(), pages.end(), in_memory)) * kPage;
  }
  return cached;
}

// To all other users, mincore(2) reports every page as cached.
bool may_look(int fd, const struct stat& s) {
  const std::string by_fd = "/proc/self/fd/" + std::to_string(fd);
  return ::geteuid() == 0 || s.st_uid == ::geteuid() || ::access(by_fd.c_str(), W_OK) == 0;
}

base::Error stays(const std::string& path, std::uint64_t cached, int fd) {
  struct statfs s {};
  const bool tmpfs = ::fstatfs(fd, &s) == 0 && s.f_type == TMPFS_MAGIC;
  base::Error e;
  e.kind = base::ErrorKind::refused;
  e.what = fmt::format("{} of {} are in the page cache already and stay there", base::text::size_text(cached), path);
  e.cause = tmpfs ? "tmpfs keeps its pages in memory and charges them to their creator: --limit does not apply to them"
                  : "other processes map, lock or write back the file: --limit does not apply to pages that other "
                    "processes read";
  e.help = "stop the process that uses it, name a file that does not exist (fathom creates it), or omit --limit";
  return e;
}

result::Finding not_known(const std::string& path) {
  return result::findings::found("paging.cache_not_known", {.values = {{"file", path}}});
}

}  // namespace

base::Expected<std::vector<result::Finding>> drop_cached_pages(const std::string& path, std::uint64_t set_bytes) {
  using Findings = std::vector<result::Finding>;
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat s {};
  if (!fd || ::fstat(fd.get(), &s) != 0 || !S_ISREG(s.st_mode)) return Findings{};  // reported when it is mapped
  const std::uint64_t bytes = std::min(set_bytes, static_cast<std::uint64_t>(s.st_size));
  if (bytes == 0) return Findings{};
  const bool told = may_look(fd.get(), s);
  const std::uint64_t before = told ? cached_bytes(fd.get(), bytes).value_or(0) : 0;
  if (::fdatasync(fd.get()) != 0 && errno == EIO) return base::system_error("write out " + path, errno);
  std::optional<std::uint64_t> left;
  for (int i = 0; i < kTries; ++i) {
    if (i > 0) ::nanosleep(&kPause, nullptr);
    ::posix_fadvise(fd.get(), 0, static_cast<off_t>((bytes + kPage - 1) / kPage * kPage), POSIX_FADV_DONTNEED);
    left = told ? cached_bytes(fd.get(), bytes) : std::nullopt;
    if (!left || *left == 0) break;
  }
  if (!left) return Findings{not_known(path)};
  const auto most = std::max(kNegligible_bytes, static_cast<std::uint64_t>(kNegligibleShare * double(bytes)));
  if (*left > most) return stays(path, *left, fd.get());
  if (before == 0) return Findings{};
  return Findings{result::findings::found("paging.cache_dropped",
                                          {.values = {{"dropped", base::text::size_text(before)}, {"file", path}}})};
}

}  // namespace fathom::paging::memory
