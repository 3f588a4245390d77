// Names, creation times of nodes, inode numbers and header UUIDs identify the objects that the run made.
#include "paging/pressure/own_swap.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "paging/pressure/setup.h"
#include "paging/pressure/undo.h"

namespace fathom::paging::pressure {
namespace {

// By the creation time of its node. If that is unknown, by the header that the run has written, or because it has no
// content yet.
bool is_own_zram(Machine& machine, const state::Entry& entry) {
  const std::string device = swap_of_entry(entry);
  const auto node = machine.identify(device);
  if (!node) return false;
  if (node->birth_ns != 0) return node->birth_ns == entry.number(1);
  if (read_value(machine, fmt::format("/sys/block/zram{}/disksize", entry.number(0))) == "0") return true;
  const auto page = machine.read_page(device);
  if (const auto header = swap::parse_swap_page(page)) return header->uuid == entry.text(2);
  return !page.empty() && std::all_of(page.begin(), page.end(), [](std::byte b) { return b == std::byte{0}; });
}

// The next file may get the same inode number; the header identifies the file.
bool is_own_file(Machine& machine, const state::Entry& entry) {
  const auto id = machine.identify(entry.text(0));
  if (!id || !S_ISREG(id->mode) || id->device != entry.number(1) || id->inode != entry.number(2) ||
      id->size_bytes != entry.number(3))
    return false;
  const auto header = swap::parse_swap_page(machine.read_page(entry.text(0)));
  return header && header->label == kLabel;
}

// If the run kept an older header, that header proves nothing. Then an active swap with fathom's priority is the run's.
bool is_own_device(Machine& machine, const state::Entry& entry) {
  const std::string& path = entry.text(0);
  const auto id = machine.identify(path);
  if (!id || !S_ISBLK(id->mode) || id->rdev != entry.number(1)) return false;
  if (entry.text(2) == "keep") {
    const auto active = active_swap_at(machine, path);
    return active && active->priority == swap::kSwapPriority;
  }
  const auto header = swap::parse_swap_page(machine.read_page(path));
  return header && header->uuid == entry.text(2);
}

}  // namespace

bool is_own_swap(Machine& machine, const state::Entry& entry) {
  switch (entry.action) {
    case state::Action::zram:
      return is_own_zram(machine, entry);
    case state::Action::file:
      return is_own_file(machine, entry);
    case state::Action::device:
      return is_own_device(machine, entry);
    default:
      return false;
  }
}

std::string swap_of_entry(const state::Entry& entry) {
  if (entry.action == state::Action::zram) return fmt::format("/dev/zram{}", entry.number(0));
  return entry.action == state::Action::file || entry.action == state::Action::device ? entry.text(0) : "";
}

std::string asked_text(const SwapPlan& plan) {
  return fmt::format("{}:{}:{}:{}", kind_name(plan.kind), plan.path, plan.size_bytes, plan.compressor);
}

std::vector<OwnSwap> own_swaps_on(Machine& machine, const std::vector<state::Entry>& entries) {
  std::vector<OwnSwap> own;
  for (const state::Entry& entry : entries) {
    if (!is_own_swap(machine, entry)) continue;
    const std::string path = swap_of_entry(entry);
    auto active = active_swap_at(machine, path);
    const auto same = [&](const OwnSwap& o) { return o.swap.path == active->path; };
    if (!active || std::any_of(own.begin(), own.end(), same)) continue;
    own.push_back({std::move(*active), ""});
    for (const state::Entry& asked : entries)
      if (asked.action == state::Action::asked && asked.text(0) == path) own.back().asked = asked.text(1);
  }
  return own;
}

}  // namespace fathom::paging::pressure
