// Traces for tests: a text, or a file of tests/trace/data, read to its end.
#pragma once
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/fd.h"
#include "source_dir.h"
#include "trace/formats.h"

namespace fathom::trace {

struct Read {
  std::vector<Event> events;
  std::vector<std::string> files, notes;
  std::vector<Skipped> skipped;
  Traits traits;
  std::uint64_t times_back = 0;
  base::Error error;  // `what` is empty: none

  std::uint64_t count(Action action) const {
    return static_cast<std::uint64_t>(
        std::count_if(events.begin(), events.end(), [&](const Event& e) { return e.action == action; }));
  }
  std::uint64_t skipped_for(std::string_view reason) const {
    for (const auto& row : skipped)
      if (row.reason == reason) return row.records;
    return 0;
  }
  std::vector<std::uint64_t> times() const {
    std::vector<std::uint64_t> all;
    for (const auto& event : events) all.push_back(event.time_ns);
    return all;
  }
};

inline Read read_all(base::Expected<std::unique_ptr<Reader>> reader) {
  Read all;
  if (!reader) return all.error = reader.error(), all;
  for (Event event;;) {
    auto more = (*reader)->next(event);
    if (!more) all.error = more.error();
    if (!more || !*more) break;
    all.events.push_back(event);
  }
  all.files = (*reader)->files();
  all.notes = (*reader)->notes();
  all.skipped = (*reader)->skipped();
  all.traits = (*reader)->traits();
  all.times_back = (*reader)->times_back();
  return all;
}

inline base::system::UniqueFd in_memory(std::string_view text) {
  base::system::UniqueFd fd(::memfd_create("trace", MFD_CLOEXEC));
  EXPECT_EQ(::write(fd.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  EXPECT_EQ(::lseek(fd.get(), 0, SEEK_SET), 0);
  return fd;
}

inline Read read_text(std::string_view text, const OpenOptions& options = {}) {
  return read_all(open_trace(in_memory(text), "t", options));
}

inline std::string data_file(const std::string& name) { return in_source("tests/trace/data/" + name); }
inline Read read_file(const std::string& name, const OpenOptions& options = {}) {
  return read_all(open_trace(data_file(name), options));
}

}  // namespace fathom::trace
