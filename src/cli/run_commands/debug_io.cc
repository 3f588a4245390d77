// Where fio prints an I/O's address there stands its number.
#include "cli/run_commands/debug_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/time.h"
#include "cli/terminal.h"

namespace fathom::cli::run_commands {
namespace {

constexpr std::uint64_t kBetween_ns = 1'000'000;

}  // namespace

DebugIo::DebugIo(std::span<const run::files::Plan> plans, std::span<const std::uint32_t> jobs) : logs_(plans.size()) {
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (jobs.empty() || std::find(jobs.begin(), jobs.end(), i) != jobs.end())
      sources_.push_back({logs_.reader(i), &plans[i]});
}

void DebugIo::drain() {
  std::array<result::IoStamp, 256> stamps;
  std::string out;
  for (auto& source : sources_) {
    const auto& targets = source.plan->targets;
    for (std::size_t n = source.reader.take(stamps); n > 0; n = source.reader.take(stamps))
      for (std::size_t i = 0; i < n; ++i) {
        const auto& io = stamps[i];
        out += fmt::format("{:<8} {:<5} complete: io_u 0x{:x}: off=0x{:x},len=0x{:x},ddir={},file={}\n", "io",
                           source.reader.pid(), ++number_, io.offset, io.length, io.dir,
                           io.target < targets.size() ? targets[io.target].path : "");
      }
  }
  if (!out.empty()) write_text(stdout, out);
}

void DebugIo::begin() {
  thread_ = std::thread([this] {
    while (!over_.load()) {
      drain();
      base::sleep_ns(kBetween_ns);
    }
  });
}

void DebugIo::end() {
  if (!thread_.joinable()) return;
  over_.store(true);
  thread_.join();
  drain();
  for (const auto& source : sources_)
    if (const auto lost = source.reader.lost(); lost > 0)
      write_text(stdout, fmt::format("{:<8} {:<5} {} I/Os came faster than their lines could be written\n", "io",
                                     source.reader.pid(), lost));
}

}  // namespace fathom::cli::run_commands
