// Reads and appends. The file is locked (flock(2)), because two sweeps that write to it would destroy both states.
#include "sweep/state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string_view>

#include "base/files/output_file.h"

namespace fathom::sweep {
namespace {

constexpr std::string_view kFirst = "fathom sweep state 1", kAnyVersion = "fathom sweep state ";
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// One field: no tabs, no line breaks.
std::string one_part(std::string text) {
  for (char& c : text)
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  return text;
}

base::Expected<std::string> read_all(int fd, const std::string& path) {
  struct stat facts = {};
  if (::fstat(fd, &facts) != 0) return base::system_error("read the state file `" + path + "`", errno);
  if (!S_ISREG(facts.st_mode) || static_cast<std::uint64_t>(facts.st_size) > kMostBytes) {
    base::Error error;
    error.what = fmt::format("`{}` is not a state file of a sweep", path);
    error.cause = S_ISREG(facts.st_mode) ? "the file is larger than any state file" : "not a regular file";
    return error;
  }
  std::string text(static_cast<std::size_t>(facts.st_size), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t n = ::pread(fd, text.data() + have, text.size() - have, static_cast<off_t>(have));
    if (n < 0 && errno != EINTR) return base::system_error("read the state file `" + path + "`", errno);
    if (n == 0) break;
    if (n > 0) have += static_cast<std::size_t>(n);
  }
  text.resize(have);
  return text;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), value);
  return err == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

base::Error StateFile::of_another(const std::string& cause) const {
  base::Error error;
  error.what = fmt::format("`{}` belongs to a different sweep", path_);
  error.cause = cause;
  error.help = "use --results=DIR with a new directory, or repeat that sweep's command to resume it";
  return error;
}

base::Expected<StateFile> StateFile::open(const std::string& path, std::uint64_t seed,
                                          const std::vector<std::string>& words) {
  StateFile state;
  state.path_ = path, state.seed_ = seed;
  state.fd_.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666));
  if (!state.fd_) return base::system_error("open the state file `" + path + "`", errno);
  if (::flock(state.fd_.get(), LOCK_EX | LOCK_NB) != 0) {
    auto error = base::system_error("lock the state file `" + path + "`", errno);
    error.kind = base::ErrorKind::usage;
    error.cause = "another sweep uses the file";
    return error;
  }
  const auto text = read_all(state.fd_.get(), path);
  if (!text) return text.error();
  auto ok = text->empty() || state.is_cut_head(*text, words) ? state.begin(words) : state.go_on(*text, words);
  if (!ok) return ok.error();
  return state;
}

std::string StateFile::head(std::uint64_t seed, const std::vector<std::string>& words) {
  std::string text = fmt::format("{}\nseed {}\n", kFirst, seed);
  for (const auto& word : words) text += fmt::format("| {}\n", word);
  return text;
}

// True: an earlier start of this sweep was killed while it wrote the head, and nothing was measured.
bool StateFile::is_cut_head(std::string_view text, const std::vector<std::string>& words) const {
  const auto second = text.find('\n') == text.npos ? text.npos : text.find('\n') + 1;
  const auto third = second == text.npos ? text.npos : text.find('\n', second);
  if (third == text.npos) {
    constexpr std::string_view kSeed = "seed ";
    if (second == text.npos) return kFirst.starts_with(text);
    const auto line = text.substr(second);
    return text.starts_with(kFirst) &&
           (kSeed.starts_with(line) || (line.starts_with(kSeed) && number_in(line.substr(kSeed.size()))));
  }
  const auto seed = number_in(text.substr(second, third - second).substr(std::min<std::size_t>(5, third - second)));
  const auto whole = seed ? head(*seed, words) : "";
  return text.size() < whole.size() && std::string_view(whole).starts_with(text);
}

base::Expected<void> StateFile::begin(const std::vector<std::string>& words) {
  if (auto ok = cut(0); !ok) return ok;
  return append(head(seed_, words));
}

base::Expected<void> StateFile::go_on(const std::string& text, const std::vector<std::string>& words) {
  const auto whole = text.rfind('\n');
  const auto lines = split(std::string_view(text).substr(0, whole == text.npos ? 0 : whole), '\n');
  if (whole == text.npos || lines[0] != kFirst) {
    base::Error error;
    error.what = fmt::format("`{}` is not a state file of a sweep", path_);
    const bool newer = lines[0].starts_with(kAnyVersion);
    error.cause = newer ? fmt::format("a newer fathom wrote it: `{}`", lines[0]) : "the first line differs";
    return error;
  }
  const bool has_seed = lines.size() > 1 && lines[1].starts_with("seed ");
  const auto seed = has_seed ? number_in(lines[1].substr(5)) : std::nullopt;
  if (!seed) return of_another("the second line has no seed");
  seed_ = *seed;
  std::size_t at = 2;
  for (const auto& word : words) {
    const auto wanted = fmt::format("| {}", word);
    const bool there = at < lines.size() && lines[at].starts_with("| ");
    if (there && lines[at] == wanted) {
      ++at;
      continue;
    }
    return of_another(
        fmt::format("the state file has `{}`, this sweep has `{}`", there ? lines[at].substr(2) : "nothing", word));
  }
  if (at < lines.size() && lines[at].starts_with("| "))
    return of_another(fmt::format("the state file has `{}`, this sweep does not", lines[at].substr(2)));
  for (; at < lines.size(); ++at) {
    const auto parts = split(lines[at], '\t');
    if (parts.size() != 6 || parts[0] != "run" || number_in(parts[1]) != runs_.size() + 1)
      return of_another(fmt::format("line {} is not a run", at + 1));
    begins_.push_back(static_cast<std::uint64_t>(lines[at].data() - text.data()));
    runs_.push_back({std::string(parts[2]), std::string(parts[3]), std::string(parts[4]), std::string(parts[5])});
  }
  return cut(whole + 1);
}

base::Expected<void> StateFile::cut(std::uint64_t bytes) {
  bytes_ = bytes;
  if (::ftruncate(fd_.get(), static_cast<off_t>(bytes)) != 0 || ::lseek(fd_.get(), 0, SEEK_END) < 0)
    return base::system_error("truncate the state file `" + path_ + "`", errno);
  return {};
}

base::Expected<void> StateFile::forget_failed_end() {
  auto kept = runs_.size();
  while (kept > 0 && !runs_[kept - 1].failure.empty()) --kept;
  if (kept == runs_.size()) return {};
  const auto bytes = begins_[kept];
  runs_.resize(kept), begins_.resize(kept);
  return cut(bytes);
}

base::Expected<void> StateFile::add(const StateRun& run) {
  begins_.push_back(bytes_), runs_.push_back(run);
  return append(fmt::format("run\t{}\t{}\t{}\t{}\t{}\n", runs_.size(), run.stage, one_part(run.setting),
                            one_part(run.result), one_part(run.failure)));
}

base::Expected<void> StateFile::append(const std::string& text) {
  bytes_ += text.size();
  if (const int err = base::files::write_all(fd_.get(), text); err != 0)
    return base::system_error("write the state file `" + path_ + "`", err);
  if (::fdatasync(fd_.get()) != 0 && errno != EINVAL)
    return base::system_error("sync the state file `" + path_ + "`", errno);
  return {};
}

base::Expected<void> sync_file(const std::string& path) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return base::system_error("open `" + path + "`", errno);
  if (::fsync(fd.get()) != 0 && errno != EINVAL) return base::system_error("sync `" + path + "`", errno);
  return {};
}

}  // namespace fathom::sweep
