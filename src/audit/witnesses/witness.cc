// The arithmetic shared by all judge functions.
#include "audit/witnesses/witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/text.h"
#include "stats/unit_factor.h"

namespace fathom::audit::witnesses {

Witness witness(std::string source, std::string subject, Way way) {
  Witness w;
  w.source = std::move(source);
  w.subject = std::move(subject);
  w.direction = name(way);
  return w;
}

void expect(Witness& w, std::string name, double bytes, std::string how) {
  w.terms.push_back({std::move(name), bytes, std::move(how)});
  w.expected_bytes += bytes;
}

void see(Witness& w, double bytes) { w.seen_bytes = w.seen_low_bytes = w.seen_high_bytes = bytes; }

void see(Witness& w, const result::Count& count) {
  w.seen_bytes += count.value;
  w.seen_low_bytes += count.confidence > 0 ? count.low : count.value;
  w.seen_high_bytes += count.confidence > 0 ? count.high : count.value;
  if (!count.rule.empty()) w.rule = count.rule;
}

void explain(Witness& w, std::string name, double bytes, std::string how) {
  w.explained.push_back({std::move(name), bytes, std::move(how)});
}

double rest(const Witness& w) {
  double accounted = w.expected_bytes;
  for (const auto& term : w.explained) accounted += term.bytes;
  if (accounted >= w.seen_low_bytes && accounted <= w.seen_high_bytes) return 0;
  return accounted < w.seen_low_bytes ? w.seen_low_bytes - accounted : w.seen_high_bytes - accounted;
}

bool within(const Witness& w) { return std::abs(rest(w)) <= w.tolerance_bytes; }

void conclude(Witness& w, result::Verdict verdict, std::string diagnosis, std::string cause) {
  w.verdict = verdict;
  w.diagnosis = std::move(diagnosis);
  w.cause = std::move(cause);
}

std::string lost_text(double at_s) { return fmt::format("lost at {:.1f} s", at_s); }

bool conclude_lost(Witness& w, const result::Count* count) {
  if (count == nullptr || !count->lost_at_s) return false;
  conclude(w, result::Verdict::no_witness, "lost",
           fmt::format("{}: the counter can no longer be read; until then it counted {}", lost_text(*count->lost_at_s),
                       bytes_text(count->value)));
  w.lost_at_s = count->lost_at_s;
  return true;
}

bool conclude_unit_error(Witness& w, const std::string& who) {
  const auto factor = stats::unit_factor(w.seen_bytes, w.expected_bytes);
  if (!factor) return false;
  const bool more = *factor > 1;
  const double times = more ? *factor : 1 / *factor;
  conclude(w, result::Verdict::disagrees, fmt::format("unit_error_{}{:.0f}", more ? "" : "1_", times),
           fmt::format("{} counted {:.2f} times the bytes moved, near {}{:.0f}: one of the two uses a wrong unit", who,
                       w.seen_bytes / w.expected_bytes, more ? "" : "1/", times));
  return true;
}

void conclude_also(Witness& w, double bytes, std::string diagnosis, std::string cause) {
  if (w.verdict != result::Verdict::explained || w.cause.empty())
    return conclude(w, result::Verdict::explained, std::move(diagnosis), std::move(cause));
  double earlier = 0;  // the largest of the terms that `cause` already names
  for (std::size_t i = 0; i + 1 < w.explained.size(); ++i) earlier = std::max(earlier, std::abs(w.explained[i].bytes));
  if (earlier >= std::abs(bytes)) {
    w.cause += "; " + cause;
  } else {
    w.diagnosis = std::move(diagnosis);
    w.cause = std::move(cause) + "; " + w.cause;
  }
}

double explain_submitted(const Witness& account, Witness& w) {
  double late = 0;
  for (const auto& term : account.explained) {
    if (term.bytes <= 0) continue;
    const double bytes = std::clamp(rest(w), 0.0, term.bytes);
    if (bytes > kNegligible * w.expected_bytes) explain(w, term.name, bytes, term.how);
    late += term.bytes - bytes;
  }
  return late;
}

void tolerate(Witness& w, const Moved& m) {
  w.tolerance_bytes = m.unclear_ios * m.largest_io_bytes + kNegligible * m.bytes;
  if (rest(w) > 0) w.tolerance_bytes += m.files * kMetadataBlocksOfAFile * kPageBytes;
}

namespace {

std::string commits_text(double commits) {
  return fmt::format("up to {:.0f} blocks of 4 KiB for each of {:.0f} commits", kBlocksOfACommit, commits);
}

// Commits that a loop device can have caused in the file system below it, at most.
double commits_of(const Case& c, const LayerReach& loop) {
  const auto* flushes = find(c.counts, "block", loop.upper, "flush_ios");
  const auto* writes = find(c.counts, "block", loop.upper, "write_sectors");
  return value(flushes) + (writes == nullptr ? 0 : writes->window_s / kCommitEvery_s) + 1;
}

double new_bytes(const Case& c, const LayerReach& loop) {
  return std::min(loop.sparse_bytes, value(find(c.counts, "block", loop.upper, "write_sectors")));
}

}  // namespace

std::string metadata_how(const Moved& m) {
  return fmt::format("by what a file system writes and charges for {:.0f} commits and {:.0f} I/Os at most", m.commits,
                     m.ios);
}

double journal_bytes(const Case& c, const LayerReach& loop) {
  if (loop.file.empty()) return 0;
  return commits_of(c, loop) * kBlocksOfACommit * kPageBytes + kMetadataOfNewBytes * new_bytes(c, loop);
}

std::string journal_how(const Case& c, const LayerReach& loop) {
  std::string how = commits_text(commits_of(c, loop));
  if (const double fresh = new_bytes(c, loop); fresh > 0)
    how += fmt::format(", and of up to {} that {} had no blocks for", bytes_text(fresh), loop.file);
  return how;
}

}  // namespace fathom::audit::witnesses
