// A line of `strace -ttt -T`, taken apart: process, time, system call, arguments, result, duration. Pure; any thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::trace::readers {

enum class StraceKind : std::uint8_t {
  none,        // no line of strace
  other,       // a signal, or the end of a process
  call,        // complete
  unfinished,  // the begin of a call
  resumed,     // its end
};

struct StraceLine {
  StraceKind kind = StraceKind::none;
  std::uint32_t task = 0;  // 0: the line has none
  std::uint64_t time_ns = 0;
  std::string_view text;  // of a call without its duration; of a resumed one what follows `resumed>`
  std::string_view name;  // of the call
  std::optional<std::uint64_t> duration_ns;
};

// Without `line.duration_ns` where -T was not given.
StraceLine parse_strace_line(std::string_view line);

struct StraceCall {
  std::string_view name;
  std::vector<std::string_view> arguments;  // at the commas of the outermost level; strings keep their quotes
  std::int64_t result = -1;
  std::string_view result_text;  // "3</dev/sda>", "-1 ENOENT (No such file or directory)"
};

// `text`: of a complete call. False: it is none.
bool parse_strace_call(std::string_view text, StraceCall& call);
// The number at the begin of an argument: "3</tmp/f>" is 3. False: there is none.
bool strace_number(std::string_view argument, std::int64_t& number);
// The name that `-y` prints behind a descriptor: "/tmp/f"; empty: none.
std::string_view strace_path(std::string_view argument);
// A string argument without quotes and with its escapes resolved. Empty: it is no string.
std::string strace_string(std::string_view argument);

}  // namespace fathom::trace::readers
