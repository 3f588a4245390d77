// The behavior of a job after a failed or slow I/O, and the effect of its end on other jobs.
#include <cstring>

#include "base/text/parse.h"
#include "job/fields/ends.h"
#include "job/fields/errors.h"
#include "job/option.h"

namespace fathom::job {
namespace {

constexpr int kLargestErrno = 4095;

constexpr int bit(fields::ErrorKind kind) { return 1 << static_cast<int>(kind); }
constexpr int kIo = bit(fields::ErrorKind::read) | bit(fields::ErrorKind::write);
constexpr int kAll = kIo | bit(fields::ErrorKind::verify);

constexpr Choice kKinds[] = {
    {"none", 0, "the first failed I/O ends the job"},
    {"read", bit(fields::ErrorKind::read), "continue after failed reads"},
    {"write", bit(fields::ErrorKind::write), "continue after failed writes, trims and syncs"},
    {"io", kIo, "continue after both"},
    {"verify", bit(fields::ErrorKind::verify), "continue after wrong data"},
    {"all", kAll, "continue after all of them"},
    {"0", 0, "as none"},
    {"1", kAll, "as all"},
};

// "EIO" or "5"; 0: neither.
int errno_of(std::string_view word) {
  if (const auto number = base::text::parse_bytes(word); number.ok() && *number <= kLargestErrno)
    return static_cast<int>(*number);
  for (int err = 1; err < 140; ++err) {
    const char* name = strerrorname_np(err);
    if (name != nullptr && word == name) return err;
  }
  return 0;
}

Outcome read_errors(const Value& value, std::string_view list, std::vector<int>& out) {
  out.clear();
  while (!list.empty()) {
    const auto end = std::min(list.find(':'), list.size());
    const auto word = base::text::trim(list.substr(0, end));
    const int err = errno_of(word);
    if (err == 0)
      return wrong(fmt::format("Unknown error {}, please use number value", word),
                   "an error is a name such as EIO, or its number", "write for example " + value.with("EIO:61"), word);
    out.push_back(err);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return {};
}

// "EIO:ENODATA,ENOSPC,EILSEQ": for reads, for writes, for verification.
Outcome read_ignored(fields::Errors& errors, const Value& value) {
  auto listed = errors.listed;
  std::string_view rest = value.text;
  for (std::size_t kind = 0;; ++kind) {
    if (kind == fields::kErrorKinds)
      return wrong("more than three lists", "the lists are for reads, writes and verification",
                   "write " + value.with("READ,WRITE,VERIFY"), rest);
    const auto end = std::min(rest.find(','), rest.size());
    if (auto problem = read_errors(value, rest.substr(0, end), listed[kind])) return problem;
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  errors.listed = std::move(listed);
  return {};
}

constexpr Choice kWhom[] = {
    {"group", int(fields::ExitWhat::group), "the jobs of its group"},
    {"stonewall", int(fields::ExitWhat::stonewall), "all that have started"},
    {"all", int(fields::ExitWhat::all), "all, including jobs that have not started"},
};

constexpr Row kErrorRows[] = {
    choice<&fields::Errors::goes_on>({"continue_on_error", "none", "Continue after these failed I/Os (EIO, EILSEQ)"},
                                     kKinds),
    special<read_ignored>(
        {"ignore_error", "", "Continue after these errors of reads, writes and verification: `EIO:61,ENOSPC,`"},
        Type::list),
    boolean<&fields::Errors::dump>(
        {"error_dump", "0", "Print the failed I/Os (the first 4,111) after which the job continued"}),
    flag<&Job::exitall>({"exitall", "", "When a job ends, the jobs of exit_what end too"}),
    flag<&fields::Ends::on_error>({"exitall_on_error", "", "When this job fails, the jobs of exit_what end too"}),
    choice<&fields::Ends::what>({"exit_what", "group", "Jobs that end with this job"}, kWhom),
};

}  // namespace

std::span<const Row> errors_options() { return kErrorRows; }

}  // namespace fathom::job
