// Reads the kernel's files and its log.
#include "clock/kernel_view.h"

#include <fcntl.h>
#include <sys/klog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/system/fd.h"

namespace fathom::clock {
namespace {

#if defined(__aarch64__)
constexpr std::string_view kCounterName = "arch_sys_counter";
#else
constexpr std::string_view kCounterName = "tsc";
#endif

constexpr std::size_t kMostOfAFile = std::size_t{64} << 10;  // the first few KiB contain the flags of the first CPU
constexpr std::string_view kMarkedUnstable = "Marking TSC unstable due to ", kByOperator = "boot parameter";
constexpr std::string_view kOperatorsWords[] = {"tsc=unstable", "notsc"};

// Reads at most kMostOfAFile bytes.
std::string start_of(const std::string& path) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char block[4096];
  while (fd && text.size() < kMostOfAFile) {
    const auto n = ::read(fd.get(), block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(block, static_cast<std::size_t>(n));
  }
  return text;
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

// True if the word occurs, delimited by whitespace.
bool has_word(std::string_view text, std::string_view word) {
  constexpr std::string_view kBlanks = " \t\n";
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || kBlanks.find(text[at - 1]) != std::string_view::npos;
    const auto end = at + word.size();
    if (begins && (end == text.size() || kBlanks.find(text[end]) != std::string_view::npos)) return true;
  }
  return false;
}

}  // namespace

bool KernelView::uses_counter() const { return clocksource == kCounterName; }

std::optional<std::string> kernel_log() {
  constexpr int kReadAll = 3, kSizeBuffer = 10;  // syslog(2)
  const int size = ::klogctl(kSizeBuffer, nullptr, 0);
  if (size <= 0) return std::nullopt;
  std::string text(static_cast<std::size_t>(size), '\0');
  const int filled = ::klogctl(kReadAll, text.data(), size);
  if (filled < 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(filled));
  return text;
}

std::string unstable_reason(std::string_view log) {
  for (auto at = log.find(kMarkedUnstable); at != std::string_view::npos; at = log.find(kMarkedUnstable, at + 1)) {
    const auto reason = first_line(log.substr(at + kMarkedUnstable.size()));
    if (!reason.starts_with(kByOperator)) return std::string(reason);
  }
  return "";
}

std::string operators_word(std::string_view command_line) {
  const auto word = std::find_if(std::begin(kOperatorsWords), std::end(kOperatorsWords),
                                 [&](std::string_view w) { return has_word(command_line, w); });
  return word != std::end(kOperatorsWords) ? std::string(*word) : "";
}

std::optional<bool> flags_listed(std::string_view cpuinfo) {
  const auto at = cpuinfo.find("\nflags");
  if (at == std::string_view::npos) return std::nullopt;
  const auto flags = first_line(cpuinfo.substr(at + 1));
  return has_word(flags, "constant_tsc") && has_word(flags, "nonstop_tsc");
}

KernelView kernel_view(const KernelSources& from) {
  KernelView view;
  view.clocksource = first_line(start_of(from.clocksource));
  view.lists_flags = flags_listed(start_of(from.cpuinfo));
  if (view.uses_counter()) return view;
  view.operators_word = operators_word(start_of(from.command_line));
  if (const auto log = from.log ? from.log() : std::nullopt) {
    view.log_read = true;
    view.unstable = unstable_reason(*log);
  }
  return view;
}

}  // namespace fathom::clock
