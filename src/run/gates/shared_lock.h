// A lock and a bell in memory that processes share. The lock is a robust mutex, which survives a killed holder. A
// waiter sleeps until the bell rings, or for 2 ms: then it checks for a stop request.
// Source: pthread_mutexattr_setrobust(3), futex(2).
// Thread rule: any process or thread.
#pragma once
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>

namespace fathom::run::gates {

struct SharedLock {
  pthread_mutex_t mutex;

  // Call once, before the memory is shared.
  void make() {
    pthread_mutexattr_t how;
    ::pthread_mutexattr_init(&how);
    ::pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
    ::pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
    ::pthread_mutex_init(&mutex, &how);
    ::pthread_mutexattr_destroy(&how);
  }
};

// If a process dies while it holds the lock, at most its own entry is incomplete. The parent removes that entry.
class Locked {
 public:
  explicit Locked(SharedLock& lock) : mutex_(lock.mutex) { take(); }
  ~Locked() { ::pthread_mutex_unlock(&mutex_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  // Calls `work` without the lock.
  template <class Work>
  auto without(Work work) {
    ::pthread_mutex_unlock(&mutex_);
    const auto result = work();
    take();
    return result;
  }

 private:
  void take() {
    if (::pthread_mutex_lock(&mutex_) == EOWNERDEAD) ::pthread_mutex_consistent(&mutex_);
  }
  pthread_mutex_t& mutex_;
};

class Bell {
 public:
  std::uint32_t rung() const { return rings_.load(); }
  void ring() {
    rings_.fetch_add(1);
    if (waiting_.load() != 0) ::syscall(SYS_futex, &rings_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
  // Until the number of rings differs from `seen`.
  void wait(std::uint32_t seen) {
    constexpr timespec kLongest{0, 2'000'000};
    waiting_.fetch_add(1);
    ::syscall(SYS_futex, &rings_, FUTEX_WAIT, seen, &kLongest, nullptr, 0);
    waiting_.fetch_sub(1);
  }

 private:
  std::atomic<std::uint32_t> rings_, waiting_;
};

}  // namespace fathom::run::gates
