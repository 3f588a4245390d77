// Formats lines in a buffer on the stack, because a log has as many lines as there were I/Os.
#include "run/logs/log_text.h"

#include <charconv>

namespace fathom::run::logs {
namespace {

constexpr std::size_t kLongestNumber = 24;

// The columns of one line.
class Cells {
 public:
  void add(std::uint64_t value) {
    separate();
    end_ = std::to_chars(end_, end_ + kLongestNumber, value).ptr;
  }
  void add_prio(std::uint16_t prio) {
    separate();
    *end_++ = '0';
    *end_++ = 'x';
    for (int shift = 12; shift >= 0; shift -= 4) *end_++ = "0123456789abcdef"[prio >> shift & 15];
  }
  void end_line(std::string& text) {
    *end_++ = '\n';
    text.append(begin_, end_);
  }

 private:
  void separate() {
    if (end_ == begin_) return;
    *end_++ = ',';
    *end_++ = ' ';
  }
  char begin_[10 * kLongestNumber];
  char* end_ = begin_;
};

constexpr unsigned kRealTime = 1;  // IOPRIO_CLASS_RT

}  // namespace

void append_line(const LogLine& line, const LogColumns& columns, std::string& text) {
  Cells cells;
  cells.add(line.ms);
  cells.add(line.value);
  if (columns.maximum) cells.add(line.maximum);
  cells.add(io::index(line.dir));
  cells.add(line.length_bytes);
  if (columns.offset) cells.add(line.offset_bytes);
  if (columns.whole_prio)
    cells.add_prio(line.prio);
  else
    cells.add(line.prio >> 13 == kRealTime ? 1 : 0);
  if (columns.issue_time) cells.add(line.issue_ns);
  cells.end_line(text);
}

void append_histogram_line(std::uint64_t ms, io::Dir dir, std::uint64_t length_bytes,
                           std::span<const std::uint64_t> counts, unsigned coarseness, std::string& text) {
  const auto add = [&](std::uint64_t value, bool first) {
    char digits[kLongestNumber];
    const char* const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    if (!first) text += ", ";
    text.append(static_cast<const char*>(digits), end);
  };
  add(ms, true);
  add(io::index(dir), false);
  add(length_bytes, false);
  const std::size_t each = std::size_t{1} << coarseness;
  for (std::size_t i = 0; i < counts.size(); i += each) {
    std::uint64_t sum = 0;
    for (std::size_t k = i; k < i + each && k < counts.size(); ++k) sum += counts[k];
    add(sum, false);
  }
  text += '\n';
}

}  // namespace fathom::run::logs
