// libFuzzer: any bytes as a run's journal, undone on a machine in memory that has other people's zram, swap, files and
// cgroups. What is understood must be written back as it was read; what the run did not make must be there afterwards.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "paging/pressure/fake_machine.h"
#include "paging/pressure/stale_state.h"
#include "paging/pressure/state/journal.h"

namespace {

using namespace fathom::paging;

void reads_what_it_writes(std::string_view text) {
  const auto parsed = fathom::paging::pressure::state::parse_journal(text);
  std::string written;
  for (const fathom::paging::pressure::state::Entry& entry : parsed.entries)
    written += fathom::paging::pressure::state::format_entry(entry);
  if (fathom::paging::pressure::state::parse_journal(written).entries != parsed.entries ||
      fathom::paging::pressure::state::parse_journal(written).not_understood != 0)
    std::abort();
}

// That much a journal may do: put a switch back that still has the value which it names, remove the very file whose
// inode and size it names, the zram whose birth it names, and an empty one that was born at the time it names and by
// its list was not there before.
bool may_have_changed_it(std::string_view text) {
  constexpr std::uint64_t kZram0Birth = testing::FakeMachine::kFirstTime;
  for (const fathom::paging::pressure::state::Entry& entry :
       fathom::paging::pressure::state::parse_journal(text).entries) {
    if (entry.action == fathom::paging::pressure::state::Action::set_switch) return true;
    if (entry.action == fathom::paging::pressure::state::Action::file && entry.number(2) == 55 && entry.number(3) == 10)
      return true;
    if (entry.action == fathom::paging::pressure::state::Action::zram && entry.number(0) == 0 &&
        entry.number(1) == kZram0Birth)
      return true;
    const auto there =
        entry.action == fathom::paging::pressure::state::Action::zram_intent ? entry.ids(0) : std::vector<int>{0};
    if (std::find(there.begin(), there.end(), 0) == there.end()) return true;
  }
  return false;
}

void harms_nobody(std::string_view text) {
  testing::FakeMachine machine;
  machine.add_disk("/dev/other", 64 << 20);
  machine.pages["/dev/other"] =
      fathom::paging::pressure::swap::swap_page(64 << 20, 4096, fathom::paging::pressure::swap::random_uuid(), "");
  machine.swaps.push_back({"/dev/other", "partition", 64 << 20, 4096, 5});
  machine.nodes["/var/precious"] = {9, 55, 10, 0, 0, S_IFREG | 0644, 0};
  machine.directories.insert({"/run/fathom", "/run/fathom/paging"});
  const std::string before = machine.state();
  machine.files["/run/fathom/paging/99-1"] = std::string(text);
  fathom::paging::pressure::clean_up_on(machine, "/run/fathom/paging");
  if (machine.state() != before && !may_have_changed_it(text)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  reads_what_it_writes(text);
  harms_nobody(text);
  return 0;
}
