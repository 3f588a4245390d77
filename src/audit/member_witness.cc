// Witness: the disks that a dm or md device is built on. What it was asked to read they read once between them, however
// it is striped or mirrored; what it was asked to write, a mirror writes as often as it has sides.
#include <fmt/format.h>

#include <cmath>

#include "audit/witness.h"
#include "audit/words.h"

namespace fathom::audit {
namespace {

using result::Verdict;

void judge(const result::Disk& top, Way way, Witness& w) {
  w.tolerance_bytes = kMetadataBlocksOfAFile * kPageBytes + kNegligible * w.expected_bytes;
  if (within(w)) return conclude(w, Verdict::agrees, "", "");
  const double copies = std::round(w.seen_bytes / w.expected_bytes);
  if (way == Way::write && copies >= 2 && copies <= static_cast<double>(top.members.size())) {
    explain(w, "copies", (copies - 1) * w.expected_bytes, fmt::format("a mirror of {:.0f} sides", copies));
    if (std::abs(rest(w)) <= copies * w.tolerance_bytes)
      return conclude(w, Verdict::explained, "mirror", fmt::format("every write went to {:.0f} members", copies));
    w.explained.clear();
  }
  if (rest(w) > 0) {
    const char* what = way == Way::write ? "parity, copies, or others on these disks" : "others on these disks";
    explain(w, what, rest(w), "the members counted more than " + top.name);
    return conclude(w, Verdict::explained, "foreign_io", std::string("the members' surplus: ") + what);
  }
  explain(w, "not passed on", rest(w), "the members counted less than " + top.name);
  conclude(w, Verdict::explained, "not_passed_on",
           fmt::format("{} answered {} without its members", top.name, bytes_text(-rest(w))));
}

void judge_below(const Case& c, const result::Disk& top, Witnesses& out) {
  if (top.members.empty()) return;
  for (const Way way : kWays) {
    const char* column = way == Way::read ? "read_sectors" : "write_sectors";
    const double asked = value(find(c.counts, "block", top.name, column));
    if (asked <= 0) continue;
    std::vector<std::string> names;
    for (const auto& member : top.members) names.push_back(member.name);
    Witness w = witness("members", joined(names, " + "), way);
    expect(w, "block layer of " + top.name, asked, "sectors x 512 bytes");
    for (const auto& member : top.members)
      if (const auto* count = find(c.counts, "block", member.name, column)) see(w, *count);
    judge(top, way, w);
    out.push_back(std::move(w));
  }
  for (const auto& member : top.members) judge_below(c, member, out);
}

}  // namespace

void judge_members(const Case& c, Witnesses& out) {
  for (const auto& disk : c.run.disks) judge_below(c, disk, out);
}

}  // namespace fathom::audit
