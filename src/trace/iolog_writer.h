// Writes fio's iolog, version 3, as fio 3.42 does. Lines are collected; a sink gets them in pieces of about 64 KiB.
// Thread rule: one owner.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "trace/event.h"

namespace fathom::trace {

inline constexpr std::string_view kIologHeader = "fio version 3 iolog\n";

// fio's word for an action: "read", "datasync", "add".
std::string_view action_word(Action action);
// Appends `USEC FILE ACTION [OFFSET LENGTH]` and a line end.
void append_iolog_line(std::string& out, std::uint64_t time_us, std::string_view file, Action action,
                       std::uint64_t offset_bytes, std::uint64_t length_bytes);
// ErrorKind::usage: a name that fio cannot read back: it is empty, has a blank or a control character, or more than
// 255 bytes.
base::Expected<void> check_iolog_name(std::string_view file);

class IologWriter {
 public:
  using Sink = std::function<base::Expected<void>(std::string_view)>;
  explicit IologWriter(Sink sink);

  // Names are those of Reader::files(), which may have grown. A file that the trace did not add and open is added and
  // opened at its first I/O. Times are cut to microseconds. A flush before a write becomes a sync line.
  base::Expected<void> write(const Event& event, const std::vector<std::string>& files);
  // Closes each file as often as it was opened, and hands out the rest.
  base::Expected<void> finish(const std::vector<std::string>& files);

  std::uint64_t lines() const { return lines_; }
  std::uint64_t cut_times() const { return cut_times_; }      // times that had a fraction of a microsecond
  std::uint64_t lost_fua() const { return lost_fua_; }        // writes whose FUA flag the format cannot hold
  std::uint64_t added_syncs() const { return added_syncs_; }  // for flushes before writes

 private:
  struct File {
    bool is_added = false;
    std::uint32_t opens = 0;
  };
  void line(std::uint64_t time_us, std::string_view file, Action action, std::uint64_t offset_bytes = 0,
            std::uint64_t length_bytes = 0);
  void file_action(std::uint64_t time_us, std::string_view name, File& file, Action action);
  base::Expected<void> hand_out(std::size_t from_bytes);

  Sink sink_;
  std::string text_;
  std::vector<File> states_;
  std::uint64_t lines_ = 0, cut_times_ = 0, lost_fua_ = 0, added_syncs_ = 0, last_us_ = 0;
};

}  // namespace fathom::trace
