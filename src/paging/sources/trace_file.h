// Reads a trace from its file, access by access, in constant memory: a buffer of 16 KiB that exists from the start.
// Read data are dropped from the page cache at once, because a cgroup that limits the measured memory counts the page
// cache too. No allocation after open() except on errors. Thread rule: one user each.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/system/fd.h"

namespace fathom::paging::sources {

struct TraceAccess {
  std::uint64_t address = 0;
  bool write = false;
};

// Distinguishes one state of a file from another.
struct TraceFileId {
  std::uint64_t device = 0, inode = 0, bytes = 0;
  std::int64_t changed_s = 0, changed_ns = 0;
  bool operator==(const TraceFileId&) const = default;
};

class TraceFile {
 public:
  // Errors: io; usage (not a regular file: a trace is read twice).
  static base::Expected<TraceFile> open(const std::string& path);
  // The next access; nullopt: the end. Errors: usage with file:line:column; io.
  base::Expected<std::optional<TraceAccess>> next();
  base::Expected<void> rewind();
  base::Expected<TraceFileId> id() const;
  std::span<const char> buffer() const { return {buffer_.get(), kBuffer}; }

 private:
  static constexpr std::size_t kBuffer = 16 << 10;
  TraceFile() = default;
  base::Expected<bool> more();
  base::Expected<std::optional<std::string_view>> line();
  base::Error at_line(std::string_view text, int column, const char* cause) const;

  std::string path_;
  base::system::UniqueFd fd_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // not yet parsed
  std::uint64_t line_number_ = 0;
  bool at_end_ = false;
  std::optional<std::uint64_t> store_after_load_;  // the second half of a modify
};

}  // namespace fathom::paging::sources
