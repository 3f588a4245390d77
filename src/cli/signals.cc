// Signal handling.
#include "cli/signals.h"

#include <signal.h>

#include <algorithm>
#include <initializer_list>

#include "base/system/shared_memory.h"

namespace fathom::cli {
namespace {

std::atomic<std::uint32_t>* g_stop = nullptr;
std::atomic<bool> g_status_asked{false};
std::atomic<int> g_first{0};  // the first signal that stopped the run
std::atomic<StopLevel> g_level{StopLevel::none};
void (*g_on_broken_pipe)(int) = SIG_DFL;

void on_signal(int signal) {
  int none = 0;
  g_first.compare_exchange_strong(none, signal);
  const auto n = g_stop->load();
  if (n < 2) g_stop->store(n + 1);
}

void on_level(int signal) {
  const auto now = g_level.load();
  if (now == StopLevel::kill) return;
  const auto next = static_cast<StopLevel>(static_cast<std::uint32_t>(now) + 1);
  g_level.store(signal != SIGINT ? std::max(next, StopLevel::terminate) : next);
}

void on_status(int) { g_status_asked.store(true); }

void handle(std::initializer_list<int> signals, void (*with)(int), int flags = 0) {
  struct sigaction action {};
  action.sa_handler = with;  // without SA_RESTART a waiting parent wakes up
  action.sa_flags = flags;
  for (const int signal : signals) ::sigaction(signal, &action, nullptr);
}

// Signals that were ignored at the start stay ignored.
void handle_unless_ignored(std::initializer_list<int> signals, void (*with)(int)) {
  for (const int signal : signals) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) handle({signal}, with);
  }
}

}  // namespace

std::atomic<std::uint32_t>& install_stop_flag() {
  static base::system::SharedArray<std::atomic<std::uint32_t>> flag(1);
  g_stop = &flag[0];
  handle({SIGINT, SIGTERM}, on_signal);
  handle_unless_ignored({SIGHUP, SIGQUIT}, on_signal);
  return *g_stop;
}

void ignore_status_signal() {
  handle(
      {SIGUSR1}, [](int) {}, SA_RESTART);
}

int stopped_status() {
  const int signal = g_first.load();
  return signal == 0 ? static_cast<int>(kInterrupted) : kSignalled + signal;
}

// The parent waits in poll(2), which is never restarted. Workers get the signal too, and their calls are restarted.
void install_status_signal() { handle({SIGUSR1}, on_status, SA_RESTART); }
bool take_status_signal() { return g_status_asked.exchange(false); }

const std::atomic<StopLevel>& install_stop_levels() {
  handle({SIGINT, SIGTERM}, on_level);
  handle_unless_ignored({SIGHUP, SIGQUIT}, on_level);
  return g_level;
}

void ignore_broken_pipes() { g_on_broken_pipe = ::signal(SIGPIPE, SIG_IGN); }
void restore_broken_pipes() { ::signal(SIGPIPE, g_on_broken_pipe); }
void end_by_broken_pipe() {
  restore_broken_pipes();
  ::raise(SIGPIPE);
}

}  // namespace fathom::cli
