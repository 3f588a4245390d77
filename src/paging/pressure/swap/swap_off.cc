// LiveMachine::swap_off. Reading gigabytes back from a disk takes minutes. So the call runs on a separate thread while
// the progress is shown. Signals are blocked (held_signals.h). A stop and continue, the freezer, or a debugger can
// still interrupt the call. Then it is repeated: pages that were read back stay in memory.
#include <sys/swap.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <future>
#include <system_error>

#include "paging/pressure/machine.h"
#include "paging/pressure/swap/held_signals.h"

namespace fathom::paging::pressure {
namespace {

int until_not_interrupted(const std::string& path) {
  constexpr int kTries = 1000;
  constexpr useconds_t kPauseUs = 10'000;
  for (int i = 0; i < kTries; ++i) {
    if (::swapoff(path.c_str()) == 0) return 0;
    if (errno != EINTR) return errno;
    ::usleep(kPauseUs);
  }
  return EINTR;
}

}  // namespace

int LiveMachine::swap_off(const std::string& path, const std::function<void()>& each_second) {
  const swap::HeldSignals held;
  if (!each_second) return until_not_interrupted(path);
  std::future<int> done;
  try {
    done = std::async(std::launch::async, until_not_interrupted, path);
  } catch (const std::system_error&) {  // no thread available
    return until_not_interrupted(path);
  }
  while (done.wait_for(std::chrono::seconds(1)) != std::future_status::ready) each_second();
  return done.get();
}

}  // namespace fathom::paging::pressure
