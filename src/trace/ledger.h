// What all readers keep: the table of files, what was skipped, and times that went back. Thread rule: one owner.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/reader.h"

namespace fathom::trace {

inline constexpr std::size_t kMostFiles = 65'536;
inline constexpr std::string_view kTooManyFiles = "more than 65,536 files";
inline constexpr std::string_view kZeroLength = "zero length";

class Ledger {
 public:
  // unit: of a place, "line" or "record".
  explicit Ledger(std::string_view unit) : unit_(unit) {}
  // Index of the file, new or not. Nothing: the table is full.
  std::optional<std::uint32_t> file(std::string_view name);
  // reason: a constant.
  void skip(std::string_view reason, std::uint64_t place);
  void time(std::uint64_t time_ns) {
    times_back_ += time_ns < last_ns_ ? 1 : 0;
    last_ns_ = time_ns;
  }
  std::uint64_t last_ns() const { return last_ns_; }

  const std::vector<std::string>& files() const { return files_; }
  const std::vector<Skipped>& skipped() const { return skipped_; }
  std::uint64_t times_back() const { return times_back_; }

 private:
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): a name of the standard library
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
  };

  std::string_view unit_;
  std::vector<std::string> files_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> index_;
  std::uint32_t recent_ = 0;  // most lines name the file of the line before
  std::vector<Skipped> skipped_;
  std::uint64_t times_back_ = 0, last_ns_ = 0;
};

}  // namespace fathom::trace
