// Sets up a run's pressure step by step, and writes each entry to the journal before its action. If a step fails, the
// journal's entries list what to undo; Setup itself undoes nothing. Thread rule: main thread.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "paging/plan.h"
#include "paging/pressure/cgroup.h"
#include "paging/pressure/machine.h"
#include "paging/pressure/state/journal_file.h"
#include "paging/pressure/state/switches.h"
#include "paging/pressure/swap/swap_header.h"
#include "result/finding.h"

namespace fathom::paging::pressure {

inline constexpr const char* kLabel = "fathom";  // in the headers of swaps that fathom makes

// The parts of a run's pressure that were made.
struct Made {
  std::string swap_path;             // argument of swapon; "": no swap of ours
  std::string swap_kind;             // zram, file, dev
  std::string swap_name;             // as requested
  std::string cgroup_path;           // "": no cgroup
  std::string controller;            // "cgroup v1", "cgroup v2", ""
  bool kept_from_swap = false;       // --swap=none applies: the run uses no swap of the machine
  std::vector<std::string> changed;  // switches
  struct NotPossible {
    std::string text;  // with the reason
    bool needs_root = false;
  };
  std::vector<NotPossible> not_possible;
};

class Setup {
 public:
  Setup(Machine& machine, std::string state, state::RunId run, const PressurePlan& plan, std::function<bool()> stop)
      : machine_(machine),
        state_(std::move(state)),
        run_(run),
        plan_(plan),
        stop_(std::move(stop)),
        journal_(machine, state_, run) {}

  base::Expected<void> check();  // what would be refused; changes nothing
  base::Expected<void> make();
  state::JournalFile& journal() { return journal_; }
  Made& made() { return made_; }
  std::vector<result::Finding>& findings() { return findings_; }

 private:
  base::Expected<void> check_controller();
  base::Expected<void> check_swap();
  base::Expected<void> check_zram();
  base::Expected<std::string> path_of_new_file();
  base::Expected<FileId> device_to_use(const std::string& path);
  base::Expected<void> check_others_run(const std::vector<swap::ActiveSwap>& swaps);
  base::Expected<void> check_holders(const swap::ActiveSwap& swap);
  base::Expected<void> check_others(const std::vector<swap::ActiveSwap>& swaps);  // both of them
  std::vector<swap::ActiveSwap> other_swaps();
  std::optional<swap::ActiveSwap> swap_again();  // the same swap of an earlier repetition, if it is on
  base::Expected<void> use_again(const swap::ActiveSwap& swap);
  void take_own_left(std::vector<swap::ActiveSwap>& others);  // removes them from `others` and reports it
  base::Expected<void> check_own_left(const std::string& path);
  bool keeps_from_swapping();
  base::Expected<void> turn_other_swaps_off();
  void look_for_other_swaps();
  base::Expected<void> make_swap();
  base::Expected<void> make_zram();
  base::Expected<int> add_zram(const std::string& uuid);
  base::Expected<void> choose_compressor(int id);
  base::Expected<void> make_swap_file();
  base::Expected<void> use_device();
  base::Expected<void> swap_on(const std::string& path);
  base::Expected<void> set_switches();
  base::Expected<void> set_switch(const state::Switch& s, const std::string& written);
  base::Expected<void> make_cgroup();
  base::Expected<bool> make_cgroup_beside_leaf(const std::string& own);  // false: not here
  std::string why_no_cgroup(const EffectiveLimit& ambient);
  base::Expected<bool> make_cgroup_in(const std::string& parent, bool v2);  // false: not here
  base::Expected<bool> give_memory_controller(const std::string& parent);
  base::Expected<void> limit_cgroup(bool v2);
  base::Expected<void> keep_from_swapping(bool v2);
  base::Expected<void> write_limit(const std::string& file, const std::string& value);
  void not_possible(const std::string& what) { made_.not_possible.push_back({what}); }
  void not_without_root(const std::string& what) { made_.not_possible.push_back({"without root: " + what, true}); }

  Machine& machine_;
  std::string state_;
  state::RunId run_;
  const PressurePlan& plan_;
  std::function<bool()> stop_;
  state::JournalFile journal_;
  Made made_;
  std::vector<result::Finding> findings_;
};

inline const char* kind_name(SwapPlan::Kind kind) {
  constexpr const char* kNames[] = {"zram", "file", "dev", "current", "none"};
  return kNames[static_cast<int>(kind)];
}

}  // namespace fathom::paging::pressure
