// Cross-check: what the kernel charged to the workers, /proc/PID/io. read_bytes is counted when a read is submitted to
// the block layer. So direct reads agree to the byte, data from memory is missing, and read-ahead is added. write_bytes
// is counted when a direct write is submitted, or when a page becomes dirty. On file systems with large folios, the
// whole folio of several pages counts. A page that is already dirty adds nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/text.h"
#include "audit/witnesses/witness.h"

namespace fathom::audit::witnesses {
namespace {

using result::Verdict;

struct Account {
  std::vector<JobPair> jobs;
  double seen = 0;
};

void read_less(const Case& c, const Account& account, double missing, Witness& w) {
  if (conclude_missing_reads(c, account.jobs, account.seen, w)) return;
  if (conclude_unit_error(c, account.jobs, Way::read, w, "the process")) return;
  conclude(
      w, Verdict::disagrees, "missing_io",
      fmt::format("the engine counted {} more than the kernel charged to its process: reads that never reached the "
                  "kernel's block layer{}",
                  bytes_text(missing), memory_text(c, account.jobs, Way::read, account.seen)));
}

void read_more(const Case& c, const Account& account, const Moved& m, double surplus, Witness& w) {
  if (m.buffered_ios > 0 && surplus <= m.read_ahead_bytes + w.tolerance_bytes) {
    explain(w, "read-ahead", surplus,
            fmt::format("pages that were read without a request, at most {}", bytes_text(m.read_ahead_bytes)));
    return conclude(w, Verdict::explained, "read_ahead",
                    fmt::format("the kernel read {} ahead of the job", bytes_text(surplus)));
  }
  if (surplus <= m.program_bytes) {
    explain(w, "pages of programs", surplus,
            fmt::format("at most {} by the workers' major faults", bytes_text(m.program_bytes)));
    return conclude(w, Verdict::explained, "program_pages",
                    fmt::format("{} of program and library pages were read in", bytes_text(surplus)));
  }
  if (conclude_counted_twice(c, account.jobs, Way::read, w)) return;
  if (conclude_unit_error(c, account.jobs, Way::read, w, "the process")) return;
  conclude(w, Verdict::disagrees, "engine_count",
           fmt::format("the kernel charged {} more to the workers than the engine counted", bytes_text(surplus)));
}

void write_less(const Case& c, const Account& account, double missing, Witness& w) {
  if (conclude_missing_writes(c, account.jobs, w)) return;
  if (conclude_unit_error(c, account.jobs, Way::write, w, "the process")) return;
  conclude(w, Verdict::disagrees, "missing_io",
           fmt::format("the engine counted {} more than the kernel charged to its process{}", bytes_text(missing),
                       memory_text(c, account.jobs, Way::write, account.seen)));
}

// Metadata blocks that became clean are charged again. The kernel's own write-back cleans them. A process that syncs
// the file system cleans them too, and flushes the disk. The blocks were written to the disk before, so the disk's
// surplus is a bound.
double charged_again(const Case& c, const Account& account, const Moved& m) {
  double flushes = 0;
  for (const auto& disk : disks_of(account.jobs)) flushes += value(find(c.counts, "block", disk, "flush_ios"));
  const double most = m.metadata.again_bytes + (m.metadata.again_bytes > 0 ? flushes * m.metadata.charged_bytes : 0);
  return std::min(most, disk_surplus(c, account.jobs, Way::write).value_or(most));
}

void write_more(const Case& c, const Account& account, const Moved& m, double surplus, Witness& w) {
  if (m.buffered_ios > 0 && surplus <= m.whole_page_bytes + w.tolerance_bytes) {
    explain(w, "whole pages", surplus, "a page or folio is charged whole when a part of it is written");
    return conclude(w, Verdict::explained, "whole_pages",
                    fmt::format("{} more became dirty than was written", bytes_text(surplus)));
  }
  if (surplus <= m.metadata.charged_bytes + charged_again(c, account, m) + w.tolerance_bytes) {
    explain(w, "metadata", surplus, metadata_how(m));
    return conclude(w, Verdict::explained, "metadata", fmt::format("{} of file system metadata", bytes_text(surplus)));
  }
  if (conclude_counted_twice(c, account.jobs, Way::write, w)) return;
  if (conclude_unit_error(c, account.jobs, Way::write, w, "the process")) return;
  conclude(w, Verdict::disagrees, "engine_count",
           fmt::format("the kernel charged {} more to the workers than the engine counted", bytes_text(surplus)));
}

// Jobs with bytes that pass through the kernel's block layer, or may: the disks below an overlay are not always known.
std::vector<JobPair> through_kernel(const Case& c) {
  std::vector<JobPair> jobs;
  for (const auto& pair : c.jobs)
    if (!pair.reach->disks.empty() || !pair.reach->unfollowed.empty()) jobs.push_back(pair);
  return jobs;
}

// A thread has its own account only if the engine submits I/Os in it. io_uring passes work to kernel threads.
bool has_account(const JobPair& pair) {
  return pair.job->process_io.readable && (!pair.reach->thread || pair.job->traits.own_account);
}

double charged(const result::Job& job, Way way) {
  return static_cast<double>(way == Way::read ? job.process_io.read_bytes : job.process_io.write_bytes);
}

// Jobs without their own account (killed workers, threads) share their process's account (with its children), minus the
// other jobs' accounts. The shared account belongs to these jobs only if no other job shares it.
std::optional<std::vector<Account>> accounts_of(const Case& c, const std::vector<JobPair>& jobs, Way way) {
  std::vector<Account> accounts;
  Account shared;
  for (const auto& pair : jobs) {
    if (has_account(pair))
      accounts.push_back({{pair}, charged(*pair.job, way)});
    else
      shared.jobs.push_back(pair);
  }
  if (shared.jobs.empty()) return accounts;
  const auto* whole = find(c.counts, "process", "fathom", way == Way::read ? "read_bytes" : "write_bytes");
  if (whole == nullptr) return std::nullopt;
  shared.seen = whole->value;
  std::size_t sharing = 0;
  for (const auto& pair : through_kernel(c)) {
    if (has_account(pair))
      shared.seen -= charged(*pair.job, way);
    else
      ++sharing;
  }
  if (sharing != shared.jobs.size()) return std::nullopt;
  shared.seen = std::max(0.0, shared.seen);
  accounts.push_back(std::move(shared));
  return accounts;
}

Witness judge_account(const Case& c, const Account& account, Way way) {
  const Moved m = moved(account.jobs, way);
  Witness w = witness("process", "fathom", way);
  expect(w, "engine", m.bytes, fmt::format("{:.0f} I/Os, ramp and reading back included", m.ios));
  see(w, account.seen);
  tolerate(w, m);
  const double difference = rest(w);
  if (within(w))
    conclude(w, Verdict::agrees, "", "");
  else if (difference < 0)
    way == Way::read ? read_less(c, account, -difference, w) : write_less(c, account, -difference, w);
  else
    way == Way::read ? read_more(c, account, m, difference, w) : write_more(c, account, m, difference, w);
  return w;
}

// If an account cannot be judged, the sum has no verdict, unless another account disagrees.
int rank(Verdict verdict) {
  return verdict == Verdict::no_witness ? 2 * static_cast<int>(Verdict::explained) + 1 : 2 * static_cast<int>(verdict);
}

// A name appears once in the sum, for any number of accounts with that term.
void take_term(const result::AuditTerm& term, Witness& sum) {
  for (auto& have : sum.explained)
    if (have.name == term.name) {
      have.bytes += term.bytes;
      have.how = "of several workers";
      return;
    }
  sum.explained.push_back(term);
}

}  // namespace

std::optional<Witness> judge_process(const Case& c, const std::vector<JobPair>& jobs, Way way) {
  const auto accounts = accounts_of(c, jobs, way);
  if (!accounts) return std::nullopt;
  const Moved m = moved(jobs, way);
  Witness sum = witness("process", "fathom", way);
  expect(sum, "engine", m.bytes, fmt::format("{:.0f} I/Os, ramp and reading back included", m.ios));
  double seen = 0, worst = 0;
  conclude(sum, Verdict::agrees, "", "");
  for (const auto& account : *accounts) {
    const Witness one = judge_account(c, account, way);
    seen += account.seen;
    sum.tolerance_bytes += one.tolerance_bytes;
    for (const auto& term : one.explained) take_term(term, sum);
    const double size = std::abs(account.seen - one.expected_bytes);
    if (rank(one.verdict) < rank(sum.verdict) || (one.verdict == sum.verdict && size <= worst)) continue;
    worst = size;
    const bool named = accounts->size() > 1 && !one.cause.empty();
    conclude(sum, one.verdict, one.diagnosis,
             named ? "job " + account.jobs[0].job->name + ": " + one.cause : one.cause);
  }
  see(sum, seen);
  return sum;
}

namespace {

void judge_ways(const Case& c, const std::vector<JobPair>& jobs, const std::string& unfollowed, Witnesses& out) {
  for (const Way way : kWays) {
    if (moved(jobs, way).bytes <= 0) continue;
    auto judged = judge_process(c, jobs, way);
    Witness w = judged ? std::move(*judged) : witness("process", "fathom", way);
    if (!judged) conclude(w, Verdict::no_witness, "", "/proc/PID/io of the workers could not be read");
    if (!unfollowed.empty()) w.subject += ", for targets that could not be traced to a disk";
    // A file system without a disk either charges the bytes that it sends to its server, or charges nothing. The layers
    // of an overlay charge like any file; a layer in memory charges nothing.
    const bool overlaid = std::all_of(jobs.begin(), jobs.end(), [](const auto& pair) { return pair.reach->overlaid; });
    const bool perhaps_memory = w.diagnosis == "page_cache" && !moved(jobs, way).memory_known;
    if (!unfollowed.empty() && (!overlaid || w.verdict == Verdict::disagrees || perhaps_memory)) {
      w.explained.clear();
      conclude(w, Verdict::no_witness, "", unfollowed + ", and the kernel's accounting does not show the disk");
    }
    out.push_back(std::move(w));
  }
}

}  // namespace

void judge_processes(const Case& c, Witnesses& out) {
  std::vector<JobPair> followed, others;
  std::string why;
  for (const auto& pair : through_kernel(c)) {
    (pair.reach->unfollowed.empty() ? followed : others).push_back(pair);
    if (why.empty()) why = pair.reach->unfollowed;
  }
  judge_ways(c, followed, "", out);
  judge_ways(c, others, why, out);
}

}  // namespace fathom::audit::witnesses
