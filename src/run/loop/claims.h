// Who may do I/O to which bytes of which file now: lockfile= (all bytes of it) and serialize_overlap= among the I/Os of
// offload jobs (those of the request). Whoever does one I/O at a time has a place in a table that the workers share. He
// asks there before an I/O and is let go first come, first served among those in each other's way, so that nobody
// starves; who waits sleeps until a claim is given back. The table's lock survives a holder that is killed (a robust
// mutex), and the parent takes out the claims of a worker that died. Jobs that claim nothing have no part of it.
// Source: pthread_mutexattr_setrobust(3), futex(2).
#pragma once
#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/system/shared_memory.h"
#include "io/request.h"
#include "io/target.h"
#include "job/fields/submit.h"
#include "job/job.h"

namespace fathom::run::loop {

struct Claim {
  std::uint64_t ticket;            // when it was asked for, in order; 0: nothing is
  std::uint64_t file, begin, end;  // end: one past the last byte
  bool shared, granted;            // shared: others may have it that are shared too
};

constexpr bool in_each_others_way(const Claim& a, const Claim& b) {
  return a.file == b.file && a.begin < b.end && b.begin < a.end && !(a.shared && b.shared);
}
// Whether the claim of one has nobody in its way: neither who has what it asks for, nor who asked before.
bool may_be_granted(std::span<const Claim> all, std::size_t of);

// Thread rule: any process or thread, each its own place; the parent any whose owner is gone.
class Claims {
 public:
  explicit Claims(std::size_t places);
  // Asks, the first time, or again; true: it is granted.
  bool ask(std::size_t place, const Claim& what);
  void give_back(std::size_t place);
  // How often something was given back so far; sleeps until it is more, or for a while.
  std::uint32_t changes() const { return head_[0].changes.load(); }
  void wait_for_change(std::uint32_t seen);

 private:
  struct Head {
    pthread_mutex_t mutex;
    std::atomic<std::uint32_t> changes, waiting;
    std::uint64_t tickets;
  };
  class Locked;
  base::system::SharedArray<Head> head_;
  base::system::SharedArray<Claim> places_;
};

// What a loop asks before each I/O, as the owner of one place. Without claims it lets all of them pass.
class ClaimGate {
 public:
  ClaimGate() = default;
  // job_index: keeps apart what has no name.
  ClaimGate(Claims& claims, std::size_t place, const job::fields::Submit& submit, std::span<const io::Target> targets,
            std::uint32_t job_index);
  bool enter(const io::Request& request);
  void wait();
  // The I/O is over, or will not be; once more than once does no harm.
  void leave();

 private:
  Claims* claims_ = nullptr;
  std::size_t place_ = 0;
  job::fields::FileLock lock_ = job::fields::FileLock::none;
  std::vector<std::uint64_t> files_;  // of the targets
  std::uint32_t seen_ = 0;
  bool asked_ = false;
};

}  // namespace fathom::run::loop
