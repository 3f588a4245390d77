// The rows of one job's I/Os until they become text: in memory as long as the budget of the run lasts, then in a file
// without a name, beside the log, of which the system keeps what fits. log_compression: what is kept is deflated, so
// many bytes at a time. A store does not give up when the file takes no more: it counts what was lost, and says why.
// Thread rule: one at a time.
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

// Bytes that the stores of a run may still take together, and what each file may have in the page cache that is not on the
// disk yet (0: any number).
struct LogBudget {
  std::uint64_t left_bytes = 0;
  std::uint64_t most_dirty_bytes = 0;
};

struct LogStoreSettings {
  std::uint64_t first_rows = 1024;      // in a chunk; the next ones are larger
  std::uint64_t compressed_bytes = 0;   // of rows in a chunk that is deflated; 0: none is
  std::vector<int> compression_cpus{};  // that may do it; empty: all
  std::string directory = ".";          // where the log will stand
};

class LogStore {
 public:
  LogStore(LogStoreSettings settings, LogBudget& budget);
  LogStore(LogStore&&) noexcept;
  ~LogStore();
  void add(std::span<const IoRow> rows);
  // Of all rows in order, a chunk at a time. Errno, 0: all were there.
  int read(const std::function<void(std::span<const IoRow>)>& take);

  std::uint64_t rows() const { return rows_; }  // that are kept
  std::uint64_t lost_rows() const { return lost_rows_; }
  int error() const { return error_; }  // errno of the first row that was lost
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
