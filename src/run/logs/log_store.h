// Keeps the rows of one job's I/Os until they become text: in memory while the run's budget lasts, then in an unnamed
// file in the directory of the log. The system caches as much of that file as fits. With log_compression, the store
// deflates the rows in chunks of that size. If the file accepts no more, the store continues: it counts the lost rows
// and keeps the errno. Thread rule: one thread at a time.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/files/write_behind.h"
#include "base/system/fd.h"
#include "run/logs/log_rows.h"

namespace fathom::run::logs {

// left_bytes: memory that all stores of the run may still allocate. most_dirty_bytes: page-cache bytes per file that
// are not on the disk yet (0: no limit).
struct LogBudget {
  std::uint64_t left_bytes = 0;
  std::uint64_t most_dirty_bytes = 0;
};

struct LogStoreSettings {
  std::uint64_t first_rows = 1024;      // in the first chunk; later chunks are larger
  std::uint64_t compressed_bytes = 0;   // row bytes in a deflated chunk; 0: no compression
  std::vector<int> compression_cpus{};  // CPUs that may compress; empty: all
  std::string directory = ".";          // directory of the log
};

class LogStore {
 public:
  LogStore(LogStoreSettings settings, LogBudget& budget);
  LogStore(LogStore&&) noexcept;
  ~LogStore();
  void add(std::span<const IoRow> rows);
  // Passes all rows to `take` in order, one chunk per call. Returns an errno; 0: all rows were read.
  int read(const std::function<void(std::span<const IoRow>)>& take);

  std::uint64_t rows() const { return rows_; }  // rows kept
  std::uint64_t lost_rows() const { return lost_rows_; }
  int error() const { return error_; }  // errno of the first lost row
  std::uint64_t spilled_bytes() const { return file_bytes_; }
  std::uint64_t memory_bytes() const { return memory_bytes_; }
  std::uint64_t most_dirty_bytes() const { return budget_->most_dirty_bytes; }

 private:
  struct Chunk;
  struct Bytes;  // memory of a chunk
  std::uint64_t next_rows() const;
  void begin_chunk();
  void end_chunk();
  void deflate_chunk(Chunk& chunk);
  void spill(Chunk& chunk);
  int open_file();
  int write_whole(std::span<const std::byte> bytes);
  int load(const Chunk& chunk, std::vector<std::byte>& bytes) const;

  LogStoreSettings settings_;
  LogBudget* budget_;
  std::vector<Chunk> chunks_;
  base::system::UniqueFd file_;
  base::files::WriteBehind behind_;
  std::uint64_t file_bytes_ = 0, rows_ = 0, lost_rows_ = 0, memory_bytes_ = 0;
  int error_ = 0;
};

}  // namespace fathom::run::logs
