// The files of the verdict cache.
#include "clock/verdict_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "base/files/beside.h"
#include "base/files/output_file.h"
#include "base/system/fd.h"
#include "clock/verdict_text.h"

namespace fathom::clock {
namespace {

constexpr std::size_t kMostBytes = std::size_t{512} << 10;  // more than 65536 CPUs need
constexpr int kMostFiles = 256;
constexpr std::string_view kVerdictPrefix = "clock-verdict-", kDriftFile = "clock-drift";

bool trusted(const struct stat& s) {
  const bool ours = s.st_uid == 0 || s.st_uid == ::geteuid();
  return ours && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

base::system::UniqueFd open_folder(const std::string& path) {
  base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat s;
  if (!fd || ::fstat(fd.get(), &s) != 0 || !trusted(s)) return {};
  return fd;
}

// Empty: not a regular, trusted, readable file.
std::string read_file(int folder, const char* name) {
  const base::system::UniqueFd fd(::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat s;
  if (!fd || ::fstat(fd.get(), &s) != 0 || !S_ISREG(s.st_mode) || !trusted(s)) return "";
  std::string text(std::min(static_cast<std::size_t>(s.st_size), kMostBytes) + 1, '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const auto n = ::read(fd.get(), text.data() + filled, text.size() - filled);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    filled += static_cast<std::size_t>(n);
  }
  text.resize(filled < text.size() ? filled : 0);
  return text;
}

std::vector<std::string> verdict_files(int folder) {
  std::vector<std::string> names;
  base::system::UniqueFd copy(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* dir = copy ? ::fdopendir(copy.get()) : nullptr;
  if (!dir) return names;
  copy.release();
  for (int seen = 0; seen < kMostFiles; ++seen) {
    const dirent* entry = ::readdir(dir);
    if (!entry) break;
    if (std::string_view(entry->d_name).starts_with(kVerdictPrefix)) names.emplace_back(entry->d_name);
  }
  ::closedir(dir);
  return names;
}

base::Error cannot(const std::string& what, int err) { return base::system_error(what, err); }

base::Expected<std::string> store(const VerdictCache& cache, const std::string& name, std::string_view text) {
  if (cache.write_folder.empty() || cache.boot_id.empty())
    return base::Error{base::ErrorKind::io,
                       "no directory to store the clock's verdict",
                       "neither /run/fathom nor $XDG_RUNTIME_DIR can be written, or the boot has no id",
                       "",
                       {},
                       0};
  const auto& folder_path = cache.write_folder;
  if (::mkdir(folder_path.c_str(), 0755) != 0 && errno != EEXIST) return cannot("create " + folder_path, errno);
  const auto folder = open_folder(folder_path);
  if (!folder)
    return base::Error{base::ErrorKind::io,
                       folder_path + ": not used for the clock's verdict",
                       "the path is a link, cannot be read, or other users may write to it",
                       "",
                       {},
                       0};
  base::files::Beside file(folder.get(), name, 0644);
  int err = file.fd() < 0 || ::fchmod(file.fd(), 0644) != 0 ? errno : base::files::write_all(file.fd(), text);
  if (err == 0) err = file.take_name(name, false);
  if (err != 0) return cannot("write " + folder_path + "/" + name, err);
  return folder_path + "/" + name;
}

// FNV-1a: names a set of CPUs. The file's content is checked, so a collision costs a file and causes no error.
std::string verdict_name(std::span<const unsigned> cpus) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned cpu : cpus) hash = (hash ^ cpu) * 0x100000001b3;
  return fmt::format("{}{:016x}", kVerdictPrefix, hash);
}

std::uint64_t boot_time_ns() { return sources::KernelClock<CLOCK_BOOTTIME>::now().v; }

std::string read_boot_id() {
  const base::system::UniqueFd fd(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  char text[64];
  const auto n = fd ? ::read(fd.get(), text, sizeof text) : 0;
  const std::string_view id(text, n > 0 ? static_cast<std::size_t>(n) : 0);
  return std::string(id.substr(0, id.find('\n')));
}

}  // namespace

VerdictCache default_verdict_cache() {
  VerdictCache cache{{"/run/fathom"}, "", read_boot_id()};
  const char* runtime = ::geteuid() == 0 ? nullptr : std::getenv("XDG_RUNTIME_DIR");
  if (runtime && runtime[0] == '/') cache.read_folders.push_back(std::string(runtime) + "/fathom");
  if (::geteuid() == 0 || cache.read_folders.size() > 1) cache.write_folder = cache.read_folders.back();
  return cache;
}

std::optional<TestSummary> load_verdict(std::span<const unsigned> cpus, const VerdictCache& cache) {
  std::optional<StoredVerdict> latest;
  for (const auto& path : cache.read_folders) {
    const auto folder = open_folder(path);
    if (!folder) continue;
    for (const auto& file : verdict_files(folder.get())) {
      auto found = parse_verdict(read_file(folder.get(), file.c_str()), cache.boot_id);
      if (!found || (latest && found->stored_at_ns <= latest->stored_at_ns)) continue;
      const auto& tested = found->test.cpus;
      const auto has = [&](unsigned cpu) { return std::binary_search(tested.begin(), tested.end(), cpu); };
      if (!cpus.empty() && std::all_of(cpus.begin(), cpus.end(), has)) latest = std::move(found);
    }
  }
  if (!latest) return std::nullopt;
  latest->test.cached = true;
  return latest->test;
}

std::optional<Drift> load_drift(const VerdictCache& cache) {
  std::optional<Drift> best;
  for (const auto& path : cache.read_folders) {
    const auto folder = open_folder(path);
    if (!folder) continue;
    auto found = parse_drift(read_file(folder.get(), std::string(kDriftFile).c_str()), cache.boot_id);
    if (found && (!best || found->bound_ppm < best->bound_ppm)) best = found;
  }
  return best;
}

base::Expected<std::string> store_verdict(const TestSummary& verdict, const VerdictCache& cache) {
  return store(cache, verdict_name(verdict.cpus), verdict_text({verdict, boot_time_ns()}, cache.boot_id));
}

base::Expected<std::string> store_drift(const Drift& drift, const VerdictCache& cache) {
  const auto stored = load_drift(cache);
  // The tightest bound is kept, unless one of the two shows an unfit clock: then the later one is kept. A long run that
  // ended on a different CPU may have a wider bound than a shorter one.
  const auto unfit = [](const Drift& d) { return std::abs(shown_ppm(d)) > kMostDrift_ppm; };
  if (stored && stored->bound_ppm <= drift.bound_ppm && !unfit(*stored) && !unfit(drift))
    return cache.write_folder + "/" + std::string(kDriftFile);
  return store(cache, std::string(kDriftFile), drift_text(drift, cache.boot_id));
}

}  // namespace fathom::clock
