// See state_live.h. All words have 64 bits: the fixed part with its checksum, then the variable part.
#include "verify/state/state_live.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "base/files/beside.h"
#include "base/files/output_file.h"
#include "base/text/printable.h"
#include "base/time.h"
#include "verify/digest/crc.h"

namespace fathom::verify::state {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::uint64_t kLiveMagic = 0x316576694c6d6866;  // "fhmLive1"

// Words of the fixed part, then the first words of the variable part.
enum Word : std::size_t {
  kMagicAt,
  kWordsAt,
  kVersionAt,
  kGenerationAt,
  kIndexAt,
  kDepthAt,
  kFilesAt,
  kNameAt,
  kChecksumAt = kNameAt + kNameBytes / 8,
  kIssuedAt,
  kFlagsAt,
  kFailedAt,      // number of failed writes
  kDisorderedAt,  // number of writes in no order
  kChangesAt,     // odd: the second list is being shortened
  kSlotsAt
};

// The positions of the parts, for a job of this depth.
struct Map {
  std::size_t places, first, failed, disordered, words, room;
  explicit Map(std::uint64_t depth)
      : places(kSlotsAt + depth),
        first(places + 4 * depth),  // `places` has two words for each of 2 * depth writes
        failed(first + kFirstRequests),
        disordered(failed + room_of(depth)),
        words(disordered + room_of(depth)),
        room(room_of(depth)) {}
  static std::size_t room_of(std::uint64_t depth) { return 1024 + 4 * depth; }
};

Words fixed_part(const LiveJob& job) {
  Words words(Map(job.depth).words, 0);
  words[kMagicAt] = kLiveMagic;
  words[kWordsAt] = words.size();
  words[kVersionAt] = job.version;
  words[kGenerationAt] = job.generation;
  words[kIndexAt] = job.index;
  words[kDepthAt] = job.depth;
  words[kFilesAt] = job.files;
  std::memcpy(&words[kNameAt], job.name.data(), std::min(job.name.size(), kNameBytes - 1));
  words[kChecksumAt] = digest::crc32c(std::as_bytes(std::span(words).first(kChecksumAt)));
  words[kFlagsAt] = job.flags;
  std::fill_n(words.begin() + kSlotsAt, job.depth, kNoWrite);
  return words;
}

base::Error failed(const char* what, const std::string& path, int err, const char* means = "") {
  base::Error error = base::system_error(what, err);
  error.cause = "state file: " + base::text::printable(path) + means;
  return error;
}

base::Error unfit(const std::string& path, const char* cause) {
  return {base::ErrorKind::io,
          "verify state is corrupt",
          "state file: " + base::text::printable(path) + ": " + cause,
          "remove the file and repeat the writing job, which saves the state again",
          {},
          0};
}

base::Error too_deep(std::uint32_t depth) {
  return {base::ErrorKind::usage,
          fmt::format("a job with iodepth={} cannot have a verify state", depth),
          fmt::format("a verify state has room for {} writes in flight", LiveState::kDepthMost),
          "write verify_state_save=0",
          {},
          0};
}

constexpr const char* kLives = ": the run that writes it is active";

// Whether a live run uses the file of this name. Such a run holds the file's lock.
bool is_kept(const std::string& path) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return fd && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

// A user's file of that name is not replaced. The state is then kept in memory.
bool is_live_or_empty(const std::string& path) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return errno == ENOENT;
  std::uint64_t magic = 0;
  const auto n = ::read(fd.get(), &magic, sizeof magic);
  return n == 0 || (n == sizeof magic && magic == kLiveMagic);
}

// After the parent was killed, workers continue for a moment, and may still write.
bool wait_for_writer(int fd) {
  constexpr int kLooks = 100;
  constexpr std::uint64_t kBetween_ns = 20'000'000;
  for (int look = 0; ::flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++look) {
    if (look == kLooks) return false;
    base::sleep_ns(kBetween_ns);
  }
  return true;
}

using FileId = LiveState::FileId;

FileId id_of(int fd) {
  struct stat facts {};
  return ::fstat(fd, &facts) == 0 ? FileId{facts.st_dev, facts.st_ino} : FileId{};
}

bool is_named(const std::string& path, const FileId& id) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 && FileId{facts.st_dev, facts.st_ino} == id;
}

// Each lock needs a descriptor per job. With thousands of jobs, only the first ones get a lock, so that files can still
// be opened.
bool has_many(int fd) {
  struct rlimit limit {};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && static_cast<rlim_t>(fd) > limit.rlim_cur / 4;
}

std::vector<std::uint64_t> numbers(std::span<const AtomicNumber> words) {
  std::vector<std::uint64_t> values;
  for (const AtomicNumber& word : words) values.push_back(word.load(std::memory_order_acquire));
  return values;
}

// Entries are written before the count includes them.
std::vector<std::uint64_t> list(std::span<const AtomicNumber> words, std::size_t count_at, std::size_t at,
                                std::size_t room) {
  const auto count = words[count_at].load(std::memory_order_acquire);
  return numbers(words.subspan(at, std::min<std::uint64_t>(count, room)));
}

std::vector<std::uint64_t> disordered_list(std::span<const AtomicNumber> words, const Map& map) {
  constexpr int kLooksAtOnce = 20, kLooksMost = 1000;  // if the worker was killed during the change, no look succeeds
  for (int look = 0;; ++look) {
    const auto before = words[kChangesAt].load(std::memory_order_acquire);
    auto found = list(words, kDisorderedAt, map.disordered, map.room);
    const bool still = words[kChangesAt].load(std::memory_order_acquire) == before && before % 2 == 0;
    if (still || look == kLooksMost) return found;
    // the worker may be waiting for this CPU
    if (look >= kLooksAtOnce) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

bool is_among(const std::vector<std::uint64_t>& all, std::uint64_t number) {
  return std::find(all.begin(), all.end(), number) != all.end();
}

// Version 3: the completed writes among the last `depth` ones, newest first.
std::vector<CompletedWrite> completed(std::span<const AtomicNumber> words, const Map& map, const OwnRun& own,
                                      std::uint64_t issued) {
  std::vector<CompletedWrite> all;
  for (std::uint64_t i = 1; i <= std::min(own.depth, issued); ++i) {
    const std::uint64_t number = issued - i, at = map.places + 2 * (number % (2 * own.depth));
    if (is_among(own.in_flight, number) || is_among(own.failed, number)) continue;
    all.push_back({words[at].load(std::memory_order_relaxed), words[at + 1].load(std::memory_order_relaxed)});
  }
  return all;
}

// Failed writes are reported to fio as in flight, because it must skip them too.
void put_entries(std::span<const AtomicNumber> words, const Map& map, std::vector<std::uint64_t> slots, State& state) {
  const OwnRun& own = *state.own;
  if (state.lists_offsets()) {
    state.completed = completed(words, map, own, state.writes_issued);
    return;
  }
  state.slots = std::move(slots);
  state.slots.insert(state.slots.end(), own.failed.begin(), own.failed.end());
  state.depth = static_cast<std::uint32_t>(state.slots.size());
}

State state_of(std::span<const AtomicNumber> words) {
  const auto fixed = [&](std::size_t at) { return words[at].load(std::memory_order_relaxed); };
  const Map map(fixed(kDepthAt));
  State state;
  state.version = fixed(kVersionAt);
  state.job_index = fixed(kIndexAt);
  state.depth = static_cast<std::uint32_t>(fixed(kDepthAt));
  state.files = static_cast<std::uint32_t>(fixed(kFilesAt));
  const auto name = numbers(words.subspan(kNameAt, kNameBytes / 8));
  const auto* text = reinterpret_cast<const char*>(name.data());
  state.job_name.assign(text, ::strnlen(text, kNameBytes - 1));
  // Reads the count first, then the entries that may have been added before it.
  InFlight now = in_flight_now(words[kIssuedAt], words.subspan(kSlotsAt, state.depth));
  state.writes_issued = now.writes_issued;
  OwnRun& own = state.own.emplace();
  own.generation = fixed(kGenerationAt);
  own.depth = state.depth;
  own.in_flight = now.slots;
  std::erase(own.in_flight, kNoWrite);
  own.failed = list(words, kFailedAt, map.failed, map.room);
  own.disordered = disordered_list(words, map);
  own.flags = words[kFlagsAt].load(std::memory_order_acquire);
  own.first = numbers(words.subspan(map.first, std::min<std::uint64_t>(kFirstRequests, state.writes_issued)));
  put_entries(words, map, std::move(now.slots), state);
  return state;
}

// nullptr: the words are those of a live state.
const char* why_not_live(const Words& words) {
  if (words.size() <= kSlotsAt || words[kMagicAt] != kLiveMagic) return "the file is not the state of a running job";
  if (words[kChecksumAt] != digest::crc32c(std::as_bytes(std::span(words).first(kChecksumAt))))
    return "the checksum does not match";
  const auto depth = words[kDepthAt], version = words[kVersionAt];
  if (depth == 0 || depth > LiveState::kDepthMost || words[kFilesAt] == 0 || words[kFilesAt] > 0xffffffff ||
      (version != kStateOfFio333 && version != kStateOfFio342))
    return "its values are out of range";
  if (words[kWordsAt] != Map(depth).words || words.size() != words[kWordsAt]) return "the file is truncated";
  return nullptr;
}

base::Expected<Words> read_words(int fd, std::size_t bytes, const std::string& path) {
  Words words(bytes / sizeof(std::uint64_t));
  auto left = std::as_writable_bytes(std::span(words));
  while (!left.empty()) {
    const ssize_t n = ::read(fd, left.data(), left.size());
    if (n < 0 && errno != EINTR) return failed("read verify state", path, errno);
    if (n == 0) return unfit(path, "the file is truncated");
    if (n > 0) left = left.subspan(static_cast<std::size_t>(n));
  }
  return words;
}

}  // namespace

std::string live_file_name(const std::string& state_file) {
  constexpr std::string_view kState = ".state";
  std::string name = state_file;
  if (name.ends_with(kState)) name.resize(name.size() - kState.size());
  return name + ".live";
}

LiveState::LiveState(std::uint64_t* words, std::size_t count, std::string path, base::system::UniqueFd fd)
    : words_(words), count_(count), path_(std::move(path)), fd_(std::move(fd)) {}

LiveState::LiveState(LiveState&& other) noexcept
    : words_(std::exchange(other.words_, nullptr)),
      count_(other.count_),
      path_(std::move(other.path_)),
      id_(other.id_),
      fd_(std::move(other.fd_)) {}

LiveState::~LiveState() {
  if (words_ != nullptr) ::munmap(words_, count_ * sizeof(std::uint64_t));
}

base::Expected<LiveState> LiveState::in_file(const std::string& path, const LiveJob& job) {
  if (job.depth > kDepthMost) return too_deep(job.depth);
  if (is_kept(path)) return failed("open state file", path, EBUSY, kLives);
  if (!may_be_replaced(path) || !is_live_or_empty(path)) return failed("open state file", path, EEXIST);
  const Words words = fixed_part(job);
  const std::size_t bytes = words.size() * sizeof(std::uint64_t);
  const std::string folder = path.substr(0, path.rfind('/') + 1), name = path.substr(folder.size());
  const base::system::UniqueFd there(::open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!there) return failed("open state file", path, errno);
  base::files::Beside file(there.get(), name, 0644, base::files::Beside::Begin::named);
  int err =
      file.fd() < 0 ? errno : base::files::write_all(file.fd(), base::files::text_of(std::as_bytes(std::span(words))));
  if (err != 0) return failed("open state file", path, err);
  void* const map = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd(), 0);
  if (map == MAP_FAILED) return failed("open state file", path, errno);
  // The file is locked before it gets its name.
  struct stat old {};
  const bool is_new = ::fstatat(there.get(), name.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0;
  err = ::flock(file.fd(), LOCK_EX | LOCK_NB) == 0 ? file.take_name(name, is_new) : errno;
  if (err != 0) {
    ::munmap(map, bytes);
    return err == EEXIST ? failed("open state file", path, EBUSY, kLives) : failed("open state file", path, err);
  }
  base::system::UniqueFd fd = file.release();
  const FileId id = id_of(fd.get());
  if (has_many(fd.get())) fd.reset();
  LiveState live(static_cast<std::uint64_t*>(map), words.size(), path, std::move(fd));
  live.id_ = id;
  return live;
}

base::Expected<LiveState> LiveState::in_memory(const LiveJob& job) {
  if (job.depth > kDepthMost) return too_deep(job.depth);
  const Words words = fixed_part(job);
  const std::size_t bytes = words.size() * sizeof(std::uint64_t);
  void* const map = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) return base::system_error("memory for the verify state", errno);
  std::memcpy(map, words.data(), bytes);
  return LiveState(static_cast<std::uint64_t*>(map), words.size(), {}, {});
}

AtomicNumber* LiveState::at(std::size_t word) const { return reinterpret_cast<AtomicNumber*>(words_) + word; }
AtomicNumber& LiveState::issued() { return *at(kIssuedAt); }
std::span<AtomicNumber> LiveState::slots() { return {at(kSlotsAt), words_[kDepthAt]}; }
std::size_t LiveState::list_room() const { return Map::room_of(words_[kDepthAt]); }

bool LiveState::lists_places() const { return words_[kVersionAt] == kStateOfFio333; }

void LiveState::note_place(std::uint64_t number, std::uint64_t target, std::uint64_t offset) {
  const std::uint64_t depth = words_[kDepthAt], place = Map(depth).places + 2 * (number % (2 * depth));
  at(place)->store(target, std::memory_order_relaxed);
  at(place + 1)->store(offset, std::memory_order_relaxed);
}

void LiveState::note_first(std::uint64_t number, std::uint64_t hash) {
  if (number < kFirstRequests) at(Map(words_[kDepthAt]).first + number)->store(hash, std::memory_order_relaxed);
}

void LiveState::add_flag(OwnRun::Flag flag) { at(kFlagsAt)->fetch_or(flag, std::memory_order_release); }

bool LiveState::add_failed(std::uint64_t number) {
  const Map map(words_[kDepthAt]);
  const auto count = at(kFailedAt)->load(std::memory_order_relaxed);
  if (count >= map.room) return false;
  at(map.failed + count)->store(number, std::memory_order_relaxed);
  at(kFailedAt)->store(count + 1, std::memory_order_release);
  return true;
}

bool LiveState::add_disordered(std::uint64_t number) {
  const auto count = disordered();
  if (count >= list_room()) return false;
  put_disordered(count, number);
  at(kDisorderedAt)->store(count + 1, std::memory_order_release);
  return true;
}

std::uint64_t LiveState::disordered() const { return at(kDisorderedAt)->load(std::memory_order_relaxed); }
std::uint64_t LiveState::get_disordered(std::uint64_t place) const {
  return at(Map(words_[kDepthAt]).disordered + place)->load(std::memory_order_relaxed);
}
void LiveState::put_disordered(std::uint64_t place, std::uint64_t number) {
  at(Map(words_[kDepthAt]).disordered + place)->store(number, std::memory_order_release);
}
void LiveState::begin_change() { at(kChangesAt)->fetch_add(1, std::memory_order_acq_rel); }
void LiveState::end_change(std::uint64_t count) {
  at(kDisorderedAt)->store(count, std::memory_order_release);
  at(kChangesAt)->fetch_add(1, std::memory_order_release);
}

State LiveState::snapshot() const { return state_of({at(0), count_}); }

void LiveState::remove() {
  if (!path_.empty() && is_named(path_, id_)) ::unlink(path_.c_str());
}

base::Expected<State> load_live(const std::string& path) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts {};
  if (!fd || ::fstat(fd.get(), &facts) != 0) return failed("open state file", path, errno);
  const auto bytes = static_cast<std::uint64_t>(facts.st_size);
  if (!S_ISREG(facts.st_mode) || bytes > kStateBytesMost || bytes % sizeof(std::uint64_t) != 0)
    return unfit(path, "the file is not the state of a running job");
  if (!wait_for_writer(fd.get())) return failed("open state file", path, EBUSY, kLives);
  const auto words = read_words(fd.get(), bytes, path);
  if (!words) return words.error();
  if (const char* cause = why_not_live(*words); cause != nullptr) return unfit(path, cause);
  std::vector<AtomicNumber> atomic(words->size());
  for (std::size_t i = 0; i < atomic.size(); ++i) atomic[i].store((*words)[i], std::memory_order_relaxed);
  return state_of(atomic);
}

}  // namespace fathom::verify::state
