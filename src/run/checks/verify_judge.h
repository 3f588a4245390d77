// What a read has to hold, and whether it does: the judgement of verify=, apart from what is written and when it is read.
// A block is held against its own header first; of a block that this run has written, against the very write that was
// the last there too, whose number and seed follow from the run. Which one was the last follows from the order of the
// writes where each place is written once, else from a map (versions.h). Nothing here changes while it judges but for
// its own tools, so that any number of judges can look at the same run (verify_threads.h): each has one owner.
// No allocation but for what is wrong.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/request.h"
#include "io/target.h"
#include "job/fields/verify.h"
#include "job/job.h"
#include "result/verified.h"
#include "run/checks/verify_plan.h"
#include "run/checks/versions.h"

namespace fathom::run::checks {

class FollowedState;

// What all judges of a job share.
struct VerifyFacts {
  const job::Job& job;
  const job::fields::VerifyOptions& options;
  std::span<const io::Target> targets;
  std::uint64_t generation;  // of the run, not 0
  std::uint16_t thread;      // in headers: the job's number, from 1
  std::uint32_t index;       // of the job, which enters its stream of requests
  bool others_write_there;   // another job of the run
  bool makes_contents;       // all bytes of a write follow from its seed, or from the pattern
  bool keeps_data;           // the engine does; else there is nothing to judge
  verify::Format format;
  std::optional<Versions> versions;         // none: each place is written once, or any version will do
  bool any_version = false;                 // of this job's writes: which was the last is not known
  bool order_unknown = false;               // the same, and not even that each of them was the last somewhere
  const FollowedState* followed = nullptr;  // verify_state_load=1: what an earlier run has left
  bool exact_state = false;                 // it says which run that was, so the very writes are known

  bool own_run() const { return (job.mode.writes && !job.verify_only) || exact_state; }
  // Of the contents of a write. The smaller header has the low 16 bits of the number.
  std::uint64_t seed_of(std::uint64_t numberio, std::uint16_t of_thread) const;
};

// What is demanded of a read.
enum class Against : std::uint8_t {
  standing,  // what stands at the end: nothing is written any more
  mid_run,   // a write may come there at any time: only what no later one has touched is judged (verify_backlog)
  zeroes     // it was trimmed
};

struct Judged {
  result::Verified counts;
  bool well = true;
  std::string text;          // of what is wrong: fio's lines, each ended by a newline, and what else is known
  std::uint64_t offset = 0;  // of the first interval that is wrong, and its length
  std::uint32_t length = 0;
  std::uint64_t reread_bytes = 0;  // from storage, to see what a second read returns
};

class Judge {
 public:
  // The facts outlive it.
  Judge(const VerifyFacts& facts, VerifyTools tools) : facts_(facts), tools_(std::move(tools)) {}
  // The buffer's headers may be moved.
  Judged judge(const io::Request& read, std::span<std::byte> io, Against against);
  verify::Sealer& sealer() { return tools_.sealer; }
  const verify::Layout& layout() const { return tools_.checker.layout(); }

 private:
  Judged of_intervals(const io::Request& read, std::span<std::byte> io, Against against);
  Judged zeroes(const io::Request& read, std::span<const std::byte> io) const;
  Judged of_old_format(const io::Request& read, std::span<const std::byte> io, std::uint32_t interval) const;
  // Of the bytes [offset, offset + length) of a write that is read back.
  Versions::Last demanded(const io::Request& read, std::uint64_t offset, std::uint64_t length, Against against) const;
  verify::Verdict look(const io::Request& read, std::span<std::byte> io, Against against, std::uint32_t first,
                       result::Verified& counts);
  verify::Verdict of_these_writes(const io::Request& read, std::span<std::byte> io, Against against,
                                  std::uint32_t first, result::Verified& counts);
  // Goes from `first` to `end`: the first interval whose header is of another write than is demanded, or `end`.
  std::uint32_t first_foreign(const io::Request& read, std::span<const std::byte> io, std::uint32_t first,
                              std::uint32_t end, Against against, verify::Verdict& verdict,
                              result::Verified& counts) const;
  bool is_of(const verify::Header& header, const Versions::Last& last, verify::Verdict& verdict) const;
  bool has_own_header(std::size_t length) const;
  bool of_this_run(const verify::Header& header) const;
  void tell(const io::Request& read, std::span<const std::byte> io, const verify::Verdict& verdict, Against against,
            Judged& out);
  // What happened to a block that is wrong, in words; empty: nothing tells it.
  std::string damage_of(const io::Request& read, std::span<const std::byte> io, const verify::Verdict& verdict,
                        std::span<const std::byte> wanted, Against against, std::uint64_t& reread_bytes);
  // What should be there, with headers at the start of intervals; empty: not known.
  std::vector<std::byte> wanted_of(const io::Request& read, std::size_t length, const verify::Verdict& verdict,
                                   Against against);
  bool well_now(const io::Request& read, bool past_the_cache, Against against);

  const VerifyFacts& facts_;
  VerifyTools tools_;
  std::uint64_t reread_blocks_ = 0;
};

}  // namespace fathom::run::checks
