// A table, shared by the workers, of claims on bytes of files: the right to do I/O to them now.
// lockfile= claims all bytes of a file. serialize_overlap= of offload jobs claims the bytes of the request.
// An owner does one I/O at a time and has one place in the table. It asks for its claim before each I/O.
// Conflicting claims are granted first come, first served, so that no owner starves. A waiting owner sleeps until a
// claim is given back.
// The parent removes the claims of a dead worker.
// Jobs without claims do not use the table.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/system/shared_memory.h"
#include "io/request.h"
#include "io/target.h"
#include "job/fields/submit.h"
#include "job/job.h"
#include "run/gates/gate.h"
#include "run/gates/shared_lock.h"

namespace fathom::run::gates {

struct Claim {
  std::uint64_t ticket;            // order of the request; 0: no claim
  std::uint64_t file, begin, end;  // end: one past the last byte
  bool shared, granted;            // shared: compatible with other shared claims
};

constexpr bool in_each_others_way(const Claim& a, const Claim& b) {
  return a.file == b.file && a.begin < b.end && b.begin < a.end && !(a.shared && b.shared);
}
// Whether claim `of` may be granted: no conflicting claim is granted or was requested earlier.
bool may_be_granted(std::span<const Claim> all, std::size_t of);

// Thread rule: any process or thread, each for its own place; the parent, for places without a live owner.
class Claims {
 public:
  explicit Claims(std::size_t places);
  // Requests a claim, for the first time or again. True: it is granted.
  bool ask(std::size_t place, const Claim& what);
  void give_back(std::size_t place);
  // The number of claims given back so far. wait_for_change() sleeps until it differs from `seen`, or for 2 ms.
  std::uint32_t changes() const { return head_[0].bell.rung(); }
  void wait_for_change(std::uint32_t seen) { head_[0].bell.wait(seen); }

 private:
  struct Head {
    SharedLock lock;
    Bell bell;
    std::uint64_t tickets;
  };
  base::system::SharedArray<Head> head_;
  base::system::SharedArray<Claim> places_;
};

// A loop's access to its place in the table: it asks before each I/O. Without claims, every I/O passes.
class ClaimGate final : public Gate {
 public:
  ClaimGate() = default;
  // job_index: distinguishes targets without a name.
  ClaimGate(Claims& claims, std::size_t place, const job::fields::Submit& submit, std::span<const io::Target> targets,
            std::uint32_t job_index);
  Admission enter(io::Request& request) override;
  void wait() override;
  void leave() override;

 private:
  Claims* claims_ = nullptr;
  std::size_t place_ = 0;
  job::fields::FileLock lock_ = job::fields::FileLock::none;
  std::vector<std::uint64_t> files_;  // of the targets
  std::uint32_t seen_ = 0;
  bool asked_ = false;
};

}  // namespace fathom::run::gates
