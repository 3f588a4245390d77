// The judgement of verify=: what a read must contain, and whether it does. Other files decide what is written and when
// it is read. A block is first compared with its own header. A block that this run has written is also compared with
// the last write there: its number and seed follow from the run. If each place is written once, the order of the writes
// shows which one was the last, otherwise a map does (versions.h).
// Judging changes only the judge's own data, so that any number of judges can work on the same run (verify_threads.h).
// Each judge has one owner. No allocation except for wrong data.
#pragma once
#include <cstdint>
#include <memory>
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
#include "workload/written_log.h"

namespace fathom::run::checks {

class FollowedState;

// Shared by all judges of a job.
struct VerifyFacts {
  const job::Job& job;
  const job::fields::VerifyOptions& options;
  std::span<const io::Target> targets;
  std::uint64_t generation;  // of the run, not 0
  std::uint16_t thread;      // in headers: the job's number, from 1
  std::uint32_t index;       // of the job: part of the seed of its requests
  bool others_write_there;   // another job of the same stage
  bool makes_contents;       // all bytes of a write follow from its seed, or from the pattern
  bool keeps_data;           // of the engine; false: nothing can be judged
  verify::Format format;
  std::optional<Versions> versions;  // nullopt: each place is written once, or any version is valid
  std::unique_ptr<workload::WrittenLog> written =
      nullptr;                              // zonemode=zbd: the writes, which do not follow from the seed
  bool any_version = false;                 // it is unknown which write of this job was the last
  bool order_unknown = false;               // the same; a write may even be the last one nowhere
  const FollowedState* followed = nullptr;  // verify_state_load=1: state of an earlier run
  bool exact_state = false;                 // that state identifies its run, so the exact writes are known

  // A source that repeats the writes of the job from the first one on.
  std::unique_ptr<workload::Source> writes() const;
  bool own_run() const { return (job.mode.writes && !job.verify_only) || exact_state; }
  // The seed of a write's contents. The smaller header (fio 3.33) has the low 16 bits of the number.
  std::uint64_t seed_of(std::uint64_t numberio, std::uint16_t of_thread) const;
};

// The reference for a read.
enum class Against : std::uint8_t {
  standing,  // the final content: nothing is written any more
  mid_run,   // a write may come there at any time: only places without a later write are judged (verify_backlog)
  zeroes     // the place was trimmed
};

struct Judged {
  result::Verified counts;
  bool well = true;
  std::string text;          // about wrong data: fio's lines, separated by newlines, and further details
  std::uint64_t offset = 0;  // of the first wrong interval, and its length
  std::uint32_t length = 0;
  std::uint64_t reread_bytes = 0;  // from storage, by second reads of wrong blocks
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
  // The last write to [offset, offset + length), a part of the write that is read back.
  Versions::Last demanded(const io::Request& read, std::uint64_t offset, std::uint64_t length, Against against) const;
  verify::Verdict look(const io::Request& read, std::span<std::byte> io, Against against, std::uint32_t first,
                       result::Verified& counts);
  verify::Verdict of_these_writes(const io::Request& read, std::span<std::byte> io, Against against,
                                  std::uint32_t first, result::Verified& counts);
  // Checks the intervals from `first` to `end`. Returns the first one with a header of another write than required, or
  // `end`.
  std::uint32_t first_foreign(const io::Request& read, std::span<const std::byte> io, std::uint32_t first,
                              std::uint32_t end, Against against, verify::Verdict& verdict,
                              result::Verified& counts) const;
  bool counts_for(const io::Request& read, const Versions::Last& last) const;
  bool is_of(const verify::Header& header, const Versions::Last& last, verify::Verdict& verdict) const;
  bool has_own_header(std::size_t length) const;
  bool of_this_run(const verify::Header& header) const;
  void tell(const io::Request& read, std::span<const std::byte> io, const verify::Verdict& verdict, Against against,
            Judged& out);
  // A description of the damage to a wrong block; empty: unknown.
  std::string damage_of(const io::Request& read, std::span<const std::byte> io, const verify::Verdict& verdict,
                        std::span<const std::byte> wanted, Against against, std::uint64_t& reread_bytes);
  // The expected bytes, with headers at the start of intervals; empty: unknown.
  std::vector<std::byte> wanted_of(const io::Request& read, std::size_t length, const verify::Verdict& verdict,
                                   Against against);
  bool well_now(const io::Request& read, bool past_the_cache, Against against);

  const VerifyFacts& facts_;
  VerifyTools tools_;
  std::uint64_t reread_blocks_ = 0;
};

}  // namespace fathom::run::checks
