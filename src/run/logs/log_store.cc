// Stores rows in chunks. Chunks within the memory budget stay in memory. Other chunks are filled in memory, and written
// to the file when they are full.
#include "run/logs/log_store.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "base/system/affinity.h"

namespace fathom::run::logs {
namespace {

constexpr std::uint64_t kMostRows = 1 << 20;  // per chunk
constexpr std::uint64_t kMostSpilled =
    1 << 15;  // per chunk that goes to the file: a long write would delay reading the rings

// Moves the thread to the CPUs that may compress, and restores its CPUs in the destructor.
class Elsewhere {
 public:
  explicit Elsewhere(const std::vector<int>& cpus) {
    if (cpus.empty()) return;
    before_ = base::system::allowed_cpus();
    base::system::run_on(cpus);
  }
  ~Elsewhere() {
    if (!before_.empty()) base::system::run_on(before_);
  }
  Elsewhere(const Elsewhere&) = delete;

 private:
  std::vector<int> before_;
};

}  // namespace

// Memory that later forks do not inherit. Otherwise each page that the log fills would be copied for the workers.
struct LogStore::Bytes {
  Bytes() = default;
  explicit Bytes(std::size_t size_bytes) : size(size_bytes) {
    void* const p = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    ::madvise(p, size, MADV_DONTFORK);
    data = static_cast<std::byte*>(p);
  }
  Bytes(Bytes&& o) noexcept : data(std::exchange(o.data, nullptr)), size(std::exchange(o.size, 0)) {}
  Bytes& operator=(Bytes&& o) noexcept {
    std::swap(data, o.data);
    std::swap(size, o.size);
    return *this;
  }
  ~Bytes() {
    if (data != nullptr) ::munmap(data, size);
  }
  std::byte* data = nullptr;
  std::size_t size = 0;
};

struct LogStore::Chunk {
  Bytes memory;        // uncompressed rows
  std::string packed;  // deflated
  std::uint64_t most_rows = 0, rows = 0;
  std::uint64_t budgeted_bytes = 0;  // 0: the chunk goes to the file
  std::uint64_t file_offset = 0, file_bytes = 0;
  bool full = false, deflated = false;
  std::uint64_t memory_bytes() const { return memory.size + packed.size(); }
  std::span<const std::byte> bytes() const {
    if (deflated) return std::as_bytes(std::span(packed));
    return {memory.data, rows * sizeof(IoRow)};
  }
};

LogStore::LogStore(LogStoreSettings settings, LogBudget& budget)
    : settings_(std::move(settings)), budget_(&budget), behind_(budget.most_dirty_bytes) {}
LogStore::LogStore(LogStore&&) noexcept = default;
LogStore::~LogStore() {
  for (const auto& chunk : chunks_) budget_->left_bytes += chunk.budgeted_bytes;
}

std::uint64_t LogStore::next_rows() const {
  if (settings_.compressed_bytes != 0) return std::max<std::uint64_t>(1, settings_.compressed_bytes / sizeof(IoRow));
  return chunks_.empty() ? settings_.first_rows : std::min(kMostRows, chunks_.back().most_rows * 2);
}

void LogStore::add(std::span<const IoRow> rows) {
  while (!rows.empty()) {
    if (chunks_.empty() || chunks_.back().full) begin_chunk();
    Chunk& chunk = chunks_.back();
    const auto n = std::min<std::uint64_t>(rows.size(), chunk.most_rows - chunk.rows);
    std::memcpy(chunk.memory.data + chunk.rows * sizeof(IoRow), rows.data(), n * sizeof(IoRow));
    chunk.rows += n;
    rows_ += n;
    rows = rows.subspan(n);
    if (chunk.rows == chunk.most_rows) end_chunk();
  }
}

// After the first chunk in the file, all later chunks go there too.
void LogStore::begin_chunk() {
  Chunk chunk;
  chunk.most_rows = next_rows();
  const std::uint64_t wanted = chunk.most_rows * sizeof(IoRow);
  if (!file_ && budget_->left_bytes >= wanted) {
    chunk.budgeted_bytes = wanted;
    budget_->left_bytes -= wanted;
  } else {
    chunk.most_rows = std::min(chunk.most_rows, kMostSpilled);
  }
  chunk.memory = Bytes(chunk.most_rows * sizeof(IoRow));
  memory_bytes_ += chunk.memory_bytes();
  chunks_.push_back(std::move(chunk));
}

void LogStore::end_chunk() {
  Chunk& chunk = chunks_.back();
  chunk.full = true;
  memory_bytes_ -= chunk.memory_bytes();
  if (settings_.compressed_bytes != 0) deflate_chunk(chunk);
  if (chunk.budgeted_bytes == 0) spill(chunk);
  memory_bytes_ += chunk.memory_bytes();
}

void LogStore::deflate_chunk(Chunk& chunk) {
  const Elsewhere moved(settings_.compression_cpus);
  const auto raw = chunk.bytes();
  uLongf size = ::compressBound(raw.size());
  std::string packed(size, '\0');
  if (::compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
                  raw.size(), Z_DEFAULT_COMPRESSION) != Z_OK)
    return;
  chunk.packed.assign(packed, 0, size);
  chunk.deflated = true;
  chunk.memory = Bytes();
  if (chunk.budgeted_bytes <= size) return;
  budget_->left_bytes += chunk.budgeted_bytes - size;
  chunk.budgeted_bytes = size;
}

// Creates the file without a name if the file system supports it. Then no file remains, however the process ends.
int LogStore::open_file() {
  file_.reset(::open(settings_.directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file_) return 0;
  std::string name = settings_.directory + "/.fathom-log-XXXXXX";
  file_.reset(::mkostemp(name.data(), O_CLOEXEC));
  if (!file_) return errno;
  ::unlink(name.c_str());
  return 0;
}

int LogStore::write_whole(std::span<const std::byte> bytes) {
  std::uint64_t at = file_bytes_;
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0 ? EIO : errno;
    at += static_cast<std::uint64_t>(n);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  behind_.wrote(file_.get(), at);
  return 0;
}

void LogStore::spill(Chunk& chunk) {
  int err = file_ ? 0 : open_file();
  const auto bytes = chunk.bytes();
  if (err == 0) err = write_whole(bytes);
  chunk.file_bytes = bytes.size();
  chunk.memory = Bytes();
  chunk.packed = std::string();
  if (err != 0) {
    if (error_ == 0) error_ = err;
    lost_rows_ += chunk.rows;
    rows_ -= chunk.rows;
    chunk.rows = 0;
    return;
  }
  chunk.file_offset = file_bytes_;
  file_bytes_ += chunk.file_bytes;
}

// Loads a chunk that is compressed or in the file.
int LogStore::load(const Chunk& chunk, std::vector<std::byte>& bytes) const {
  if (chunk.file_bytes == 0) {
    const auto packed = chunk.bytes();
    bytes.assign(packed.begin(), packed.end());
  } else {
    bytes.resize(chunk.file_bytes);
    for (std::uint64_t at = 0; at < chunk.file_bytes;) {
      const ssize_t n =
          ::pread(file_.get(), bytes.data() + at, chunk.file_bytes - at, static_cast<off_t>(chunk.file_offset + at));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return n == 0 ? EIO : errno;
      at += static_cast<std::uint64_t>(n);
    }
  }
  if (!chunk.deflated) return 0;
  std::vector<std::byte> whole(chunk.rows * sizeof(IoRow));
  uLongf size = whole.size();
  if (::uncompress(reinterpret_cast<Bytef*>(whole.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                   bytes.size()) != Z_OK ||
      size != whole.size())
    return EIO;
  bytes = std::move(whole);
  return 0;
}

int LogStore::read(const std::function<void(std::span<const IoRow>)>& take) {
  int error = 0;
  std::vector<std::byte> bytes;
  for (const auto& chunk : chunks_) {
    if (chunk.rows == 0) continue;
    if (chunk.memory.data != nullptr && !chunk.deflated) {
      take({reinterpret_cast<const IoRow*>(chunk.memory.data), chunk.rows});
      continue;
    }
    if (const int err = load(chunk, bytes); err != 0)
      error = error == 0 ? err : error;
    else
      take({reinterpret_cast<const IoRow*>(bytes.data()), chunk.rows});
  }
  return error;
}

}  // namespace fathom::run::logs
