// The formats of traces that fathom reads, one row each, and the functions that open them.
// A trace is detected by its first bytes. If two rows fit, the error names both, and the caller asks for one by name.
// Thread rule: constants and functions without state, any thread; a reader has one owner.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/system/fd.h"
#include "trace/input.h"
#include "trace/reader.h"

namespace fathom::trace {

// The number of a `wait` line in fio's iolog, version 2.
enum class WaitMeaning {
  ms_since_start,    // fio's program: milliseconds since the start of the replay
  us_since_previous  // fio's HOWTO: microseconds after the previous wait
};

struct OpenOptions {
  std::string format = {};  // name of a row; empty: detected
  WaitMeaning wait = WaitMeaning::ms_since_start;
};

using Inputs = std::vector<std::unique_ptr<Input>>;

struct Format {
  std::string_view name, summary;
  // True if a trace of this format can begin with these bytes: a line or more, or all if there is none.
  bool (*fits)(std::string_view head);
  // One input, or if several_files one per CPU. Never empty.
  base::Expected<std::unique_ptr<Reader>> (*open)(Inputs inputs, const OpenOptions& options);
  bool several_files = false;
};

std::span<const Format> formats();
// nullptr: no such row.
const Format* find_format(std::string_view name);
// The row that fits the first bytes of `name`. ErrorKind::usage: none, or more than one.
base::Expected<const Format*> detect(std::string_view head, const std::string& name, std::span<const Format> rows);

// A path: a file, `-` (standard input), a pipe, or a socket that is connected to. If no file has the name, and
// NAME.blktrace.0 exists, the path stands for all files of that recording. More than one path: the files that blktrace
// wrote, one per CPU, in any order. ErrorKind::usage: an unknown format, or iolog version 1.
// Files of a blktrace are named by numbers, "259,0": the recording has no other names (Traits::names_files is false).
base::Expected<std::unique_ptr<Reader>> open_trace(const std::string& path, const OpenOptions& options = {});
base::Expected<std::unique_ptr<Reader>> open_trace(std::span<const std::string> paths, const OpenOptions& options = {});
// An open descriptor; `name` is for messages.
base::Expected<std::unique_ptr<Reader>> open_trace(base::system::UniqueFd fd, std::string name,
                                                   const OpenOptions& options = {});

}  // namespace fathom::trace
