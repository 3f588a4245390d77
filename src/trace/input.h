// The bytes of a trace, from a file, a pipe or a socket of any length: read once, through one buffer.
// Problem: 4 GiB through a pipe must not grow the memory, and a line must cost no copy. So a line is a view into the
// buffer, and a buffer is refilled only when no whole line is left in it. Source: read(2). Thread rule: one owner.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/system/fd.h"

namespace fathom::trace {

class Input {
 public:
  static constexpr std::size_t kBuffer_bytes = std::size_t{256} << 10;
  static constexpr std::size_t kLongestLine_bytes = std::size_t{64} << 10;

  // `name` is for messages.
  Input(base::system::UniqueFd fd, std::string name);
  // A file, a pipe, or a socket that it connects to; `-` is standard input. A device is refused: it has no end.
  static base::Expected<std::unique_ptr<Input>> open(const std::string& path);

  // The first bytes, not consumed: enough to know the format. A line and 8 bytes suffice, so that a pipe whose writer
  // waits is not waited for.
  base::Expected<std::string_view> head();
  // The next bytes, not consumed: `least`, or fewer at the end.
  base::Expected<std::string_view> peek(std::size_t least);
  // True: `line` is the next one, without `\n` or `\r\n`, valid until the next call. False: the end.
  // A line longer than kLongestLine_bytes is an error.
  base::Expected<bool> next_line(std::string_view& line);
  // The next `size` bytes, at most kLongestLine_bytes; fewer at the end. Valid until the next call.
  base::Expected<std::string_view> next_bytes(std::size_t size);

  const std::string& name() const { return name_; }
  std::uint64_t lines() const { return lines_; }            // handed out
  std::uint64_t offset_bytes() const { return consumed_; }  // of what comes next
  bool ends_within_line() const { return unterminated_; }   // the last line has no line end

 private:
  base::Expected<void> fill();
  std::string_view have() const { return {buffer_.get() + begin_, end_ - begin_}; }
  void consume(std::size_t size) { begin_ += size, consumed_ += size; }

  base::system::UniqueFd fd_;
  std::string name_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t lines_ = 0, consumed_ = 0;
  bool ended_ = false, unterminated_ = false;
};

}  // namespace fathom::trace
