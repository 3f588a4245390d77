// The priority of the number in a request's flags (io/cmdprio.h), as encoded in the kernel's request structures.
#pragma once
#include <array>
#include <cstdint>

#include "io/cmdprio.h"
#include "io/request.h"

namespace fathom::engine::queue {

class RequestPriorities {
 public:
  RequestPriorities() = default;
  explicit RequestPriorities(const io::CmdprioOptions& options) : used_(options.used()) {
    for (std::size_t i = 0; i < options.values.size(); ++i) values_[i + 1] = options.values[i].value();
  }
  bool used() const { return used_; }
  // 0: the thread's priority.
  std::uint16_t of(const io::Request& request) const { return values_[request.flags >> io::kPriorityShift]; }

 private:
  std::array<std::uint16_t, io::kMostPriorities + 1> values_{};
  bool used_ = false;
};

}  // namespace fathom::engine::queue
