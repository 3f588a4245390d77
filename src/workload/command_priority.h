// cmdprio_*: a source between a job's source and its loop. It gives some reads and writes a priority number, at random
// or by their size. Jobs without cmdprio_* do not have it. The number is in the request's flags (io/cmdprio.h). Thread
// rule: one owner.
#pragma once
#include <cstdint>
#include <vector>

#include "base/prng.h"
#include "io/cmdprio.h"
#include "workload/source.h"

namespace fathom::workload {

class CommandPriority final : public Source {
 public:
  // `source` must outlive this object.
  CommandPriority(Source& source, const io::CmdprioOptions& options, std::uint64_t seed);
  std::size_t next(std::span<io::Request> out) override;
  bool begin_pass() override { return source_.begin_pass(); }

 private:
  // For one size (0: for any): random numbers below `end`, of 100, select `number`.
  struct Share {
    std::uint64_t bytes = 0;
    unsigned end = 0;
    std::uint8_t number = 0;
  };
  std::uint8_t number_of(const io::Request& request);

  Source& source_;
  io::PerDir<std::vector<Share>> shares_;
  base::Prng prng_;
};

}  // namespace fathom::workload
