// The table of files of a trace, and its counts.
#include "trace/ledger.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::trace {

std::optional<std::uint32_t> Ledger::file(std::string_view name) {
  if (recent_ < files_.size() && files_[recent_] == name) return recent_;
  if (const auto found = index_.find(name); found != index_.end()) return recent_ = found->second;
  if (files_.size() == kMostFiles) return std::nullopt;
  recent_ = static_cast<std::uint32_t>(files_.size());
  files_.emplace_back(name);
  index_.emplace(name, recent_);
  return recent_;
}

void Ledger::skip(std::string_view reason, std::uint64_t place) {
  auto row = std::find_if(skipped_.begin(), skipped_.end(), [&](const Skipped& s) { return s.reason == reason; });
  if (row == skipped_.end()) {
    skipped_.push_back({.reason = reason, .first = fmt::format("{} {}", unit_, place)});
    row = skipped_.end() - 1;
  }
  ++row->records;
}

}  // namespace fathom::trace
