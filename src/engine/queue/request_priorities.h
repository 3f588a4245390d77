// What the number in a request's flags stands for (io/cmdprio.h), as the kernel's request structures have it.
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
  // 0: the one of the thread.
  std::uint16_t of(const io::Request& request) const { return values_[request.flags >> io::kPriorityShift]; }

 private:
  std::array<std::uint16_t, io::kMostPriorities + 1> values_{};
  bool used_ = false;
};

}  // namespace fathom::engine::queue
