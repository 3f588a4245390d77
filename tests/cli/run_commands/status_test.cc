// The status line on a terminal: each text overwrites the one before, so none is wider than the terminal.
#include "cli/run_commands/status.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace fathom::cli::run_commands {
namespace {

class Terminal {
 public:
  explicit Terminal(unsigned short columns) {
    winsize size = {24, columns, 0, 0};
    int worker = -1;
    EXPECT_EQ(::openpty(&main_, &worker, nullptr, nullptr, &size), 0);
    out_ = ::fdopen(worker, "w");
  }
  ~Terminal() {
    std::fclose(out_);
    ::close(main_);
  }
  Terminal(const Terminal&) = delete;
  std::FILE* out() { return out_; }
  // Its next characters, as many as are expected.
  std::string seen(std::size_t size) {
    std::string text(size, '?');
    for (std::size_t at = 0; at < size;) {
      const auto n = ::read(main_, text.data() + at, size - at);
      if (n <= 0) break;
      at += static_cast<std::size_t>(n);
    }
    return text;
  }

 private:
  int main_ = -1;
  std::FILE* out_ = nullptr;
};

TEST(StatusLineOnATerminal, IsCutWhereTheTerminalWouldBreakIt) {
  Terminal terminal(40);
  StatusLine line(terminal.out());
  line.show(std::string(60, 'a'));
  line.show("µµ");
  line.clear();
  const std::string expected = std::string(39, 'a') + "\rµµ" + std::string(37, ' ') + "\r  \r";
  EXPECT_EQ(terminal.seen(expected.size()), expected);
}

TEST(StatusLineOnATerminal, OfFioIsAsLongAsFios) {
  Terminal terminal(40);
  StatusLine line(terminal.out(), true);
  line.show(std::string(60, 'a'));
  EXPECT_EQ(terminal.seen(61), std::string(60, 'a') + "\r");
}

TEST(StatusLineOnATerminal, ALongTextTakesSeveralLinesWhereTheyCanBeRedrawn) {
  ::setenv("TERM", "xterm", 1);
  Terminal terminal(40);
  StatusLine line(terminal.out());
  LiveLines lines(terminal.out());
  const std::string text = "settling: CPUs 43.2 % busy, vda 120 I/O/s, gives up in 57 s";
  show_text(line, lines, text);
  const std::string first = "\r\x1b[Jsettling: CPUs 43.2 % busy, vda 120\r\n    I/O/s, gives up in 57 s";
  EXPECT_EQ(terminal.seen(first.size()), first);
  show_text(line, lines, "measuring");
  EXPECT_EQ(terminal.seen(18), "\r\x1b[1A\x1b[Jmeasuring\r");
}

}  // namespace
}  // namespace fathom::cli::run_commands
