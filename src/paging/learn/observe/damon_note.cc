// See damon_note.h. The file is one line of words, in the order of the struct.
#include "paging/learn/observe/damon_note.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>

#include "base/files/output_file.h"
#include "base/system/fd.h"
#include "host/proc/proc_text.h"
#include "host/proc/text_file.h"

namespace fathom::paging::learn::observe {
namespace {

constexpr std::string_view kWord = "damon";  // the first one
constexpr std::size_t kWords = 8;

template <class T>
bool number(std::string_view word, T& out) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

std::string format_note(const DamonNote& note) {
  return fmt::format("{} {} {} {} {} {} {} {}\n", kWord, note.owner.pid, note.owner.start_ticks, note.kdamonds_before,
                     note.operations, note.target, note.mark, note.kdamond);
}

std::optional<DamonNote> parse_note(std::string_view text) {
  const auto fields = host::proc::split_fields(text.substr(0, text.find('\n')));
  DamonNote note;
  std::uint32_t kdamonds = 0;
  if (text.find('\n') == text.npos || fields.size() != kWords || fields[0] != kWord) return std::nullopt;
  if (!number(fields[1], note.owner.pid) || note.owner.pid <= 0 || !number(fields[2], note.owner.start_ticks) ||
      !number(fields[3], kdamonds) || !number(fields[5], note.target) || !number(fields[6], note.mark) ||
      !number(fields[7], note.kdamond))
    return std::nullopt;
  note.kdamonds_before = std::string(fields[3]);
  note.operations = std::string(fields[4]);
  return note;
}

base::Expected<void> save_note(const std::string& path, const DamonNote& note) {
  base::files::NamedFiles none;
  constexpr mode_t kMode = 0600;
  auto place = base::files::look_at({"DAMON's note", path, nullptr, true, false, kMode}, none);
  if (!place) return place.error();
  return base::files::Document(std::move(*place), base::files::Document::Durability::unsynced)
      .replace(format_note(note));
}

pressure::state::RunId own_run() {
  const auto start = pressure::state::start_of_living(host::proc::read_text("/proc/self/stat"));
  return {getpid(), start.value_or(0)};
}

bool lives(pressure::state::RunId run) {
  return pressure::state::start_of_living(host::proc::read_text(fmt::format("/proc/{}/stat", run.pid))) ==
         run.start_ticks;
}

// Far above one minute in microseconds, so no user would choose it as an interval.
std::uint64_t new_mark() {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 40;
  std::uint64_t bits = 0;
  if (getrandom(&bits, sizeof bits, 0) != sizeof bits) bits = own_run().start_ticks << 8;
  return kLeast + bits % kLeast;
}

std::string kdamond_folder(const std::string& folder) { return folder + "/kdamonds/0"; }

base::Expected<void> write_damon(const std::string& path, const std::string& value) {
  const base::system::UniqueFd fd(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd || ::write(fd.get(), value.data(), value.size()) != static_cast<ssize_t>(value.size()))
    return base::system_error("write " + value + " to " + path, errno);
  return {};
}

std::optional<std::string> cause_not_ours(const std::string& folder, const DamonNote& note) {
  const std::string one = kdamond_folder(folder), context = one + "/contexts/0/";
  const bool on = host::proc::read_line(one + "/state") == "on";
  struct Row {
    const char* what;
    std::string file, written;
    bool asked;
  };
  const Row rows[] = {
      {"mark", context + "monitoring_attrs/intervals/update_us", fmt::format("{}", note.mark), true},
      {"set of operations", context + "operations", note.operations, true},
      {"target", context + "targets/0/pid_target", fmt::format("{}", note.target), on && note.target != 0},
      {"action", context + "schemes/0/action", "stat", on},
      {"kernel thread", one + "/pid", fmt::format("{}", note.kdamond), on && note.kdamond != 0},
  };
  for (const Row& row : rows) {
    const std::string now = row.asked ? host::proc::read_line(row.file) : row.written;
    if (now == row.written) continue;
    return fmt::format("its {} is {}, not {}", row.what, now.empty() ? "not there" : now, row.written);
  }
  return {};
}

base::Expected<void> take_down(const std::string& folder, const DamonNote& note) {
  const std::string state = kdamond_folder(folder) + "/state";
  if (host::proc::read_line(state) == "on")
    if (auto good = write_damon(state, "off"); !good) return good;
  return write_damon(folder + "/kdamonds/nr_kdamonds", note.kdamonds_before);
}

}  // namespace fathom::paging::learn::observe
