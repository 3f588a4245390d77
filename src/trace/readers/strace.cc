// I/Os from `strace -ttt -T` (also -f, -y): reads, writes and syncs of files, with their duration. A call without an
// offset uses the file's position, which is followed from open, read, write and lseek. Descriptors are followed through
// dup, fork and clone. A call that strace printed in two parts (unfinished, resumed) is joined; -T gives the whole call.
// io_uring and libaio pass their requests in memory: strace does not print them, so they are counted as skipped.
// Source: strace(1); the output of strace 6.1.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "trace/readers/readers.h"
#include "trace/readers/strace_call.h"
#include "trace/reorder.h"
#include "trace/text_reader.h"

namespace fathom::trace::readers {
namespace {

// Bounds of memory, for a trace that never closes and never exits.
constexpr std::size_t kMostTasks = 4096, kMostDescriptors = std::size_t{1} << 20;
constexpr std::string_view kTooManyDescriptors = "more than 1,048,576 open descriptors";

struct OpenFile {
  std::string name;
  std::uint64_t position = kNotKnown;
  bool is_file = true, appends = false, is_synced = false;
};
using Table = std::map<std::int64_t, std::shared_ptr<OpenFile>>;

enum class What : std::uint8_t { open, close, dup, seek, move, sync, fork, other_descriptor, hidden };
struct CallRow {
  std::string_view name;
  What what;
  Action action = Action::read;
  // Of the offset (move), the path (open); -1: the file's position.
  int argument = -1;
};
constexpr CallRow kCalls[] = {
    {"read", What::move, Action::read},
    {"write", What::move, Action::write},
    {"readv", What::move, Action::read},
    {"writev", What::move, Action::write},
    {"pread64", What::move, Action::read, 3},
    {"pwrite64", What::move, Action::write, 3},
    {"preadv", What::move, Action::read, 3},
    {"pwritev", What::move, Action::write, 3},
    {"preadv2", What::move, Action::read, 3},
    {"pwritev2", What::move, Action::write, 3},
    {"fsync", What::sync, Action::sync},
    {"fdatasync", What::sync, Action::datasync},
    {"lseek", What::seek},
    {"open", What::open, Action::open, 0},
    {"openat", What::open, Action::open, 1},
    {"openat2", What::open, Action::open, 1},
    {"creat", What::open, Action::open, 0},
    {"close", What::close},
    {"dup", What::dup},
    {"dup2", What::dup},
    {"dup3", What::dup},
    {"fcntl", What::dup},
    {"fork", What::fork},
    {"vfork", What::fork},
    {"clone", What::fork},
    {"clone3", What::fork},
    {"socket", What::other_descriptor},
    {"accept", What::other_descriptor},
    {"accept4", What::other_descriptor},
    {"epoll_create1", What::other_descriptor},
    {"eventfd2", What::other_descriptor},
    {"memfd_create", What::other_descriptor},
    {"io_submit", What::hidden},
    {"io_uring_enter", What::hidden},
    {"sendfile", What::hidden},
    {"copy_file_range", What::hidden},
    {"splice", What::hidden},
};

bool is_file_path(std::string_view path) {
  constexpr std::string_view kCharacterDevices[] = {"/dev/null", "/dev/zero",   "/dev/tty",
                                                    "/dev/pts/", "/dev/random", "/dev/urandom"};
  if (!path.starts_with('/')) return false;  // socket:[7], pipe:[8], anon_inode:...
  return std::none_of(std::begin(kCharacterDevices), std::end(kCharacterDevices),
                      [&](std::string_view device) { return path.starts_with(device); });
}

bool has_word(std::string_view flags, std::string_view word) { return flags.find(word) != std::string_view::npos; }

class Strace final : public TextReader {
 public:
  explicit Strace(std::unique_ptr<Input> input) : TextReader(std::move(input)) {
    traits_ = {.format = "strace", .has_responses = true, .time_unit_ns = 1000, .names_files = true};
  }
  std::vector<std::string> notes() const override;

 private:
  base::Expected<bool> parse(std::string_view line, Event& event) override;
  base::Expected<bool> finish(Event& event) override;
  bool take_call(const StraceLine& line, std::string_view text, Event& event);
  bool act(const CallRow& row, const StraceCall& call, Event& event);
  bool move(const CallRow& row, const StraceCall& call, Event& event);
  void open_file(const CallRow& row, const StraceCall& call);
  void dup(const StraceCall& call);
  void begin_task(const StraceCall& call);
  void end_task(std::uint32_t task);
  void put(std::int64_t descriptor, std::shared_ptr<OpenFile> file);
  OpenFile* file_of(const StraceCall& call);
  bool hand_out(Event& event);

  std::unordered_map<std::uint32_t, std::shared_ptr<Table>> tasks_;
  struct Begun {
    std::uint64_t time_ns;
    std::string text;
  };
  std::unordered_map<std::uint32_t, Begun> unfinished_;
  std::shared_ptr<Table> table_;  // of the task of the line
  Reorder order_;
  std::size_t descriptors_ = 0;  // in all tables
  std::uint64_t appends_ = 0, without_duration_ = 0;
};

bool Strace::hand_out(Event& event) {
  event = order_.pop();
  ledger_.time(event.time_ns);
  return true;
}

base::Expected<bool> Strace::finish(Event& event) {
  if (order_.empty()) return false;
  return hand_out(event);
}

base::Expected<bool> Strace::parse(std::string_view text, Event& event) {
  if (stripped(text).empty()) return false;
  const auto line = parse_strace_line(text);
  if (line.kind == StraceKind::other) {
    if (line.text.starts_with("+++")) end_task(line.task);
    return false;
  }
  // Lines of the traced program, or of strace, may stand between the calls.
  if (line.kind == StraceKind::none) return skip("no line of strace -ttt"), false;
  if (line.kind == StraceKind::unfinished) {
    if (unfinished_.size() < kMostTasks) unfinished_[line.task] = {line.time_ns, std::string(line.text)};
    return false;
  }
  bool taken = false;
  if (line.kind == StraceKind::resumed) {
    const auto begun = unfinished_.extract(line.task);
    if (begun.empty()) return skip("the begin of a call is missing"), false;
    auto whole = line;
    whole.time_ns = begun.mapped().time_ns;
    taken = take_call(whole, begun.mapped().text.append(line.text), event);
  } else {
    taken = take_call(line, line.text, event);
  }
  if (!taken) return false;
  order_.push(event);
  return order_.is_full() ? hand_out(event) : false;
}

bool Strace::take_call(const StraceLine& line, std::string_view text, Event& event) {
  const auto name = text.substr(0, text.find('('));
  const auto row = std::find_if(std::begin(kCalls), std::end(kCalls), [&](const auto& r) { return r.name == name; });
  if (row == std::end(kCalls)) return false;
  StraceCall call;
  if (!parse_strace_call(text, call)) return skip("a call without a result"), false;
  auto known = tasks_.find(line.task);
  if (known == tasks_.end()) {
    if (tasks_.size() == kMostTasks) return skip("more than 4,096 processes at once"), false;
    known = tasks_.emplace(line.task, std::make_shared<Table>()).first;
  }
  table_ = known->second;
  event.task = line.task;
  event.time_ns = line.time_ns;
  if (line.duration_ns) event.response_ns = *line.duration_ns;
  if (!act(*row, call, event)) return false;
  without_duration_ += line.duration_ns ? 0 : 1;
  return true;
}

bool Strace::act(const CallRow& row, const StraceCall& call, Event& event) {
  switch (row.what) {
    case What::move:
    case What::sync:
      return move(row, call, event);
    case What::hidden:
      return skip("io_uring, libaio, sendfile, copy_file_range, splice: requests are not printed"), false;
    default:
      break;
  }
  if (call.result < 0 || call.arguments.empty()) return false;
  std::int64_t descriptor = -1;
  switch (row.what) {
    case What::open:
      open_file(row, call);
      break;
    case What::close:
      if (strace_number(call.arguments[0], descriptor)) descriptors_ -= table_->erase(descriptor);
      break;
    case What::seek:
      if (auto* file = file_of(call)) file->position = static_cast<std::uint64_t>(call.result);
      break;
    case What::dup:
      dup(call);
      break;
    case What::fork:
      begin_task(call);
      break;
    default:
      put(call.result, std::make_shared<OpenFile>(OpenFile{.is_file = false}));
  }
  return false;
}

void Strace::put(std::int64_t descriptor, std::shared_ptr<OpenFile> file) {
  const bool is_new = !table_->contains(descriptor);
  if (is_new && descriptors_ == kMostDescriptors) return skip(kTooManyDescriptors);
  descriptors_ += is_new ? 1 : 0;
  (*table_)[descriptor] = std::move(file);
}

void Strace::open_file(const CallRow& row, const StraceCall& call) {
  const auto path = static_cast<std::size_t>(row.argument);
  if (call.arguments.size() <= path) return;
  auto name = std::string(strace_path(call.result_text));
  if (name.empty()) name = strace_string(call.arguments[path]);
  const auto flags = call.arguments.size() > path + 1 ? call.arguments[path + 1] : std::string_view();
  const bool is_file = !name.starts_with('/') || is_file_path(name);
  put(call.result, std::make_shared<OpenFile>(OpenFile{.name = std::move(name),
                                                       .position = 0,
                                                       .is_file = is_file,
                                                       .appends = has_word(flags, "O_APPEND"),
                                                       .is_synced = has_word(flags, "SYNC")}));
}

void Strace::dup(const StraceCall& call) {
  if (call.name == "fcntl" && (call.arguments.size() < 2 || !call.arguments[1].starts_with("F_DUPFD"))) return;
  std::int64_t descriptor = -1;
  if (!strace_number(call.arguments[0], descriptor)) return;
  if (const auto found = table_->find(descriptor); found != table_->end()) put(call.result, found->second);
}

// A thread shares its descriptors; a process has a copy.
void Strace::begin_task(const StraceCall& call) {
  if (call.result == 0 || call.result > 0xffffffff || tasks_.size() == kMostTasks) return;
  const bool shares = std::any_of(call.arguments.begin(), call.arguments.end(),
                                  [](std::string_view argument) { return has_word(argument, "CLONE_FILES"); });
  const auto task = static_cast<std::uint32_t>(call.result);
  // Its first calls may be printed before this one ends.
  if (const auto early = tasks_.find(task); early != tasks_.end() && !early->second->empty()) return;
  if (!shares && descriptors_ + table_->size() > kMostDescriptors) return skip(kTooManyDescriptors);
  descriptors_ += shares ? 0 : table_->size();
  tasks_[task] = shares ? table_ : std::make_shared<Table>(*table_);
}

void Strace::end_task(std::uint32_t task) {
  unfinished_.erase(task);
  table_.reset();
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return;
  if (found->second.use_count() == 1) descriptors_ -= found->second->size();
  tasks_.erase(found);
}

// nullptr: the descriptor is not known.
OpenFile* Strace::file_of(const StraceCall& call) {
  std::int64_t descriptor = -1;
  if (call.arguments.empty() || !strace_number(call.arguments[0], descriptor)) return nullptr;
  const auto path = strace_path(call.arguments[0]);
  if (const auto found = table_->find(descriptor); found != table_->end()) return found->second.get();
  if (path.empty()) return nullptr;
  put(descriptor, std::make_shared<OpenFile>(OpenFile{.name = std::string(path), .is_file = is_file_path(path)}));
  const auto found = table_->find(descriptor);
  return found == table_->end() ? nullptr : found->second.get();
}

bool Strace::move(const CallRow& row, const StraceCall& call, Event& event) {
  auto* file = file_of(call);
  if (file == nullptr) return skip("a descriptor that was opened before the trace"), false;
  if (!file->is_file) return skip("no file: a socket, a pipe, a terminal"), false;
  if (call.result < 0) return skip("a call that failed"), false;
  event.action = row.action;
  if (row.what == What::move) {
    event.length_bytes = static_cast<std::uint64_t>(call.result);
    std::int64_t offset = -1;
    const auto at = static_cast<std::size_t>(row.argument);
    if (row.argument >= 0 && call.arguments.size() > at) strace_number(call.arguments[at], offset);
    if (row.argument >= 0 && offset < -1) return skip("a negative offset"), false;
    event.offset_bytes = offset >= 0 ? static_cast<std::uint64_t>(offset) : file->position;
    if (event.offset_bytes == kNotKnown) return skip("the file's position is not known"), false;
    if (offset < 0) file->position += event.length_bytes;
    if (event.length_bytes == 0) return skip(kZeroLength), false;
    if (row.action == Action::write) {
      appends_ += file->appends ? 1 : 0;
      event.forced_unit_access = file->is_synced || (call.arguments.size() > 4 && has_word(call.arguments[4], "SYNC"));
    }
  }
  return set_file(file->name, event);
}

std::vector<std::string> Strace::notes() const {
  auto all = TextReader::notes();
  if (appends_ > 0)
    all.push_back(
        fmt::format("{} writes append: the file's size at its opening is not known, offsets begin at 0", appends_));
  if (without_duration_ > 0) all.push_back(fmt::format("{} calls have no duration: record with -T", without_duration_));
  return all;
}

}  // namespace

bool fits_strace(std::string_view head) {
  for (int lines = 0; lines < 8 && !head.empty(); ++lines) {
    auto line = take(head, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (parse_strace_line(line).kind != StraceKind::none) return true;
    if (!stripped(line).starts_with("strace: ")) return false;  // "strace: Process 7 attached"
  }
  return false;
}
Opened open_strace(Inputs inputs, const OpenOptions&) {
  return std::unique_ptr<Reader>(std::make_unique<Strace>(std::move(inputs.front())));
}

}  // namespace fathom::trace::readers
