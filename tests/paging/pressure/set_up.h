// Runs on a machine in memory: their plan, their set-up, their process ids, and what is said of them.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "paging/pressure/fake_machine.h"
#include "paging/pressure/run_pressure.h"

namespace fathom::paging {

inline constexpr const char* kState = "/run/fathom/paging";
inline constexpr std::uint64_t kMiB = 1 << 20;
inline constexpr int kFirst = testing::FakeMachine::kPid, kSecond = 5000, kWorker = 5001;

// As the kernel ends its numbers.
inline std::string number(std::uint64_t n) { return std::to_string(n) + "\n"; }

inline PressurePlan zram_plan() {
  PressurePlan plan;
  plan.swap = {SwapPlan::Kind::zram, "zram:256M", "", 256 * kMiB, ""};
  plan.settings = {{"vm.swappiness", "100"}};
  return plan;
}

inline base::Expected<std::unique_ptr<pressure::Pressure>> set_up(testing::FakeMachine& machine,
                                                                  const PressurePlan& plan) {
  std::vector<result::Finding> findings;
  return pressure::set_up_on(machine, kState, plan, findings, {});
}

inline std::vector<std::string> ids(const std::vector<result::Finding>& findings) {
  std::vector<std::string> found;
  for (const auto& finding : findings) found.push_back(finding.id);
  return found;
}

}  // namespace fathom::paging
