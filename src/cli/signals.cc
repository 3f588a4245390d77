// Signal handling.
#include "cli/signals.h"

#include <signal.h>

#include "base/shared_memory.h"

namespace fathom::cli {
namespace {

std::atomic<std::uint32_t>* g_stop = nullptr;

void on_signal(int) {
  const auto n = g_stop->load();
  if (n < 2) g_stop->store(n + 1);
}

}  // namespace

std::atomic<std::uint32_t>& install_stop_flag() {
  static base::SharedArray<std::atomic<std::uint32_t>> flag(1);
  g_stop = &flag[0];
  struct sigaction action {};
  action.sa_handler = on_signal;  // no SA_RESTART: a waiting parent wakes up
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  return *g_stop;
}

}  // namespace fathom::cli
