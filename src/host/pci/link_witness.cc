// The maximum of a link is the lower one of its two ends. A Gen4 SSD in a Gen3 slot is no fault. A root port of 32 GT/s
// above a card of 5 GT/s is no fault either.
#include "host/pci/link_witness.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

#include "host/pci/pci_tree.h"
#include "host/pci/pci_tree_walk.h"
#include "host/proc/text_file.h"
#include "result/findings/rows.h"

namespace fathom::host::pci {
namespace {

using Clock = std::chrono::steady_clock;

struct Watched {
  PciAddress address;
  LinkState first;
  std::optional<double> lost_at_s;
};

// The upper end of the link of a function, if it has a link.
std::optional<PciAddress> upper_end(const PciAddress& address, const std::string& prefix) {
  const auto chain = pci_chain(real_path(function_folder(address, prefix)));
  if (chain.size() < 2) return std::nullopt;
  return chain[chain.size() - 2];
}

// The function at the lower end of the link of a bridge.
std::optional<PciAddress> lower_end(const PciAddress& bridge, const std::string& prefix) {
  for (const auto& name : proc::list_names(function_folder(bridge, prefix))) {
    const auto address = parse_pci_address(name);
    if (address && name == to_string(*address)) return address;
  }
  return std::nullopt;
}

PciLink possible(const PciAddress& lower, const std::string& prefix) {
  PciLink link = read_link(lower, prefix).link;
  const auto upper = upper_end(lower, prefix);
  if (!upper) return link;
  const PciLink above = read_link(*upper, prefix).link;
  if (above.max_speed_gts > 0) link.max_speed_gts = std::min(link.max_speed_gts, above.max_speed_gts);
  if (above.max_width > 0) link.max_width = std::min(link.max_width, above.max_width);
  return link;
}

class LinkWitness : public result::Witness {
 public:
  LinkWitness(const std::vector<std::string>& addresses, std::string prefix) : prefix_(std::move(prefix)) {
    for (const auto& text : addresses) {
      if (const auto address = parse_pci_address(text)) asked_.push_back(*address);
    }
    std::sort(asked_.begin(), asked_.end());
    asked_.erase(std::unique(asked_.begin(), asked_.end()), asked_.end());
  }

  std::string name() const override {
    std::string names;
    for (const auto& address : asked_) names += (names.empty() ? "link of " : ", ") + to_string(address);
    return names.empty() ? "link" : names;
  }

  bool may_have_nothing() const override { return true; }

  base::Expected<void> begin() override {
    functions_.clear();
    links_.clear();
    for (const auto& address : asked_) add(address);
    started_ = Clock::now();
    if (!functions_.empty() || !links_.empty()) return {};
    base::Error e;
    e.kind = base::ErrorKind::privilege;
    e.what = name() + ": sysfs has neither link speed nor error counters";
    e.cause = "a device on a conventional PCI bus, or of a virtual machine, has no PCIe link";
    return e;
  }

  void tick() override {
    for (auto& [address, watched] : functions_) mark_if_lost(watched);
  }

  result::WitnessReport end() override {
    tick();
    result::WitnessReport report;
    const double window_s = elapsed_s();
    for (const auto& [address, watched] : functions_) {
      watched.lost_at_s ? add_lost(watched, window_s, report) : add_errors(watched, window_s, report);
    }
    for (const auto& [address, watched] : links_) add_link(watched, window_s, report);
    return report;
  }

 private:
  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

  void add(const PciAddress& address) {
    const LinkState state = read_link(address, prefix_);
    if (state.readable) functions_[address] = {address, state, {}};
    const bool bridge = is_bridge(read_hex(function_folder(address, prefix_) + "/class"));
    const auto lower = bridge ? lower_end(address, prefix_) : std::optional(address);
    if (!lower) return;
    const LinkState below = read_link(*lower, prefix_);
    if (below.link.speed_gts > 0 || below.link.width > 0) links_[*lower] = {*lower, below, {}};
  }

  void mark_if_lost(Watched& watched) const {
    if (!watched.lost_at_s && real_path(function_folder(watched.address, prefix_)).empty()) {
      watched.lost_at_s = elapsed_s();
    }
  }

  static result::Count count(const PciAddress& address, std::string name, std::string unit, double value,
                             double window_s) {
    result::Count c;
    c.source = "link";
    c.subject = to_string(address);
    c.name = std::move(name);
    c.unit = std::move(unit);
    c.value = c.low = c.high = c.raw = value;
    c.window_s = window_s;
    return c;
  }

  void add_errors(const Watched& watched, double window_s, result::WitnessReport& report) const {
    const std::map<std::string, std::uint64_t> before(watched.first.errors.begin(), watched.first.errors.end());
    for (const auto& [name, now] : read_link(watched.address, prefix_).errors) {
      const auto found = before.find(name);
      const std::uint64_t then = found == before.end() ? 0 : found->second;
      if (now == then) continue;
      const auto rose = static_cast<double>(now > then ? now - then : now);
      report.counts.push_back(count(watched.address, name, "count", rose, window_s));
      report.counts.back().rule = "the kernel's counter at the end minus its value at the start";
    }
  }

  static void add_lost(const Watched& watched, double window_s, result::WitnessReport& report) {
    auto c = count(watched.address, "current_link_width", "lanes", 0, window_s);
    c.low = watched.first.link.width;
    c.lost_at_s = watched.lost_at_s;
    report.counts.push_back(std::move(c));
    report.findings.push_back(result::findings::found(
        "link.lost", {.values = {{"function", to_string(watched.address)}, {"lost_s", *watched.lost_at_s}}}));
  }

  // Two counts: the current value of the link, and its maximum.
  static void add_pair(const PciAddress& address, const char* what, const char* unit, double then, double now,
                       double most, double window_s, result::WitnessReport& report) {
    if (now <= 0 || (now == then && now >= most)) return;
    auto current = count(address, std::string("current_link_") + what, unit, now, window_s);
    current.low = then;
    report.counts.push_back(std::move(current));
    report.counts.push_back(count(address, std::string("max_link_") + what, unit, most, window_s));
  }

  void add_link(const Watched& watched, double window_s, result::WitnessReport& report) const {
    const PciLink& then = watched.first.link;
    const PciLink now = possible(watched.address, prefix_);
    add_pair(watched.address, "speed", "GT/s", then.speed_gts, now.speed_gts, now.max_speed_gts, window_s, report);
    add_pair(watched.address, "width", "lanes", then.width, now.width, now.max_width, window_s, report);
  }

  std::string prefix_;
  std::vector<PciAddress> asked_;
  std::map<PciAddress, Watched> functions_;  // with error counters to read
  std::map<PciAddress, Watched> links_;      // by their lower end
  Clock::time_point started_;
};

}  // namespace

std::unique_ptr<result::Witness> make_link_witness(const std::vector<std::string>& functions_and_ports,
                                                   std::string prefix) {
  return std::make_unique<LinkWitness>(functions_and_ports, std::move(prefix));
}

}  // namespace fathom::host::pci
