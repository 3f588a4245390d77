// The cross-checks begin before the first fork of a worker, and end after the last worker has ended.
#include "witness/run_witnesses.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>

#include "audit/witnesses/reconcile.h"
#include "witness/targets/blank_targets.h"
#include "witness/targets/file_state.h"

namespace fathom::witness {
namespace {

constexpr std::chrono::seconds kIdleWindow{1};

// The bytes charged to this process and to the workers that it has waited for. Needed for workers that are threads, or
// that were killed before they could report their own account.
void add_whole_process(const run::records::ProcessIoCounts& whole, std::vector<result::Count>& counts) {
  if (!whole.readable) return;
  const auto add = [&](const char* name, const char* direction, std::uint64_t bytes) {
    result::Count c;
    c.source = "process";
    c.subject = "fathom";
    c.name = name;
    c.direction = direction;
    c.value = c.low = c.high = c.raw = static_cast<double>(bytes);
    c.unit = "bytes";
    counts.push_back(std::move(c));
  };
  add("read_bytes", "read", whole.read_bytes);
  add("write_bytes", "write", whole.write_bytes);
}

WitnessList listed(bool asked, const job::Command& command, const std::vector<run::files::Plan>& plans,
                   host::placement::Placements& placements) {
  return asked ? list_witnesses(command, plans, placements) : WitnessList{};
}

}  // namespace

RunWitnesses::RunWitnesses(const job::Command& command, const std::vector<run::files::Plan>& plans,
                           host::placement::Placements& placements)
    : asked_(std::find(command.audit.begin(), command.audit.end(), "off") == command.audit.end()),
      plans_(plans),
      list_(listed(asked_, command, plans, placements)) {}

void RunWitnesses::watch_idle() {
  if (list_.idle.empty()) return;
  WitnessThread idle;
  idle.begin(std::move(list_.idle));
  std::this_thread::sleep_for(kIdleWindow);
  idle.end();
  take(idle);
}

void RunWitnesses::begin() {
  if (!asked_) return;
  targets::look_at_files(plans_, list_.facts);
  for (auto& finding : targets::blank_targets(plans_, list_.facts)) list_.findings.push_back(std::move(finding));
  watch_.begin(std::move(list_.witnesses));
  targets::look_at_page_cache(plans_, list_.facts);
  whole_process_ = run::records::read_process_io(false);
}

void RunWitnesses::take(WitnessThread& from) {
  const auto add = [](auto& to, auto& more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    more.clear();
  };
  add(counts_, from.counts);
  add(list_.findings, from.findings);
  add(list_.facts.missing, from.missing);
  add(ended_, from.ended);
}

void RunWitnesses::complete(result::Run& run) {
  if (!asked_) return;
  end();
  take(watch_);
  add_whole_process(run::records::grown(whole_process_, run::records::read_process_io(false)), counts_);
  add_overhead(run, counts_, list_.facts);
  targets::look_at_written_files(plans_, list_.facts);
  run.audit = audit::witnesses::reconcile(run, counts_, list_.facts);
  run.findings.insert(run.findings.end(), list_.findings.begin(), list_.findings.end());
}

}  // namespace fathom::witness
