// The name in the line may hold anything, blanks and parentheses too: the fields begin after its last parenthesis.
#include "host/kernel_task.h"

#include <cstdint>
#include <cstdlib>

#include "host/proc_text.h"
#include "host/text_file.h"

namespace fathom::host {
namespace {

constexpr std::size_t kMostKnown = 4096;
constexpr std::size_t kFlags = 6;  // among the fields after the name: state, ppid, pgrp, session, tty, tpgid, flags
constexpr std::uint64_t kKernelThread = 0x00200000;

bool look_up(const std::string& stat) {
  const auto close = stat.rfind(')');
  if (close == std::string::npos) return false;
  const auto words = split_words(std::string_view(stat).substr(close + 1));
  return words.size() > kFlags && (std::strtoull(std::string(words[kFlags]).c_str(), nullptr, 10) & kKernelThread) != 0;
}

}  // namespace

bool KernelTasks::contains(pid_t pid) {
  if (pid == 0) return true;
  if (known_.size() >= kMostKnown) known_.clear();
  const auto [at, is_new] = known_.try_emplace(pid, false);
  if (is_new) at->second = look_up(read_text(prefix_ + "/proc/" + std::to_string(pid) + "/stat", 1024));
  return at->second;
}

}  // namespace fathom::host
