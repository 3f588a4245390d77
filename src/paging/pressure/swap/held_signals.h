// Blocks signals while a run's changes are restored: swapoff(2) gives up (EINTR) as soon as a signal is pending, and
// the swap then stays on. They are delivered after the destructor. Faults of the program itself are not blocked;
// SIGKILL and SIGSTOP cannot be. Threads that are started in this time block them too. Source: signal(7),
// pthread_sigmask(3).
#pragma once
#include <pthread.h>
#include <signal.h>

#include <initializer_list>

namespace fathom::paging::pressure::swap {

class HeldSignals {
 public:
  HeldSignals() {
    sigset_t held;
    ::sigfillset(&held);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) ::sigdelset(&held, fault);
    ::pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace fathom::paging::pressure::swap
