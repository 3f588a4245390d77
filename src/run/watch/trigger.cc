// Detects the trigger file with lstat(2), and removes it with unlink(2).
#include "run/watch/trigger.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/system/subprocess.h"
#include "base/text/printable.h"
#include "result/findings/rows.h"

namespace fathom::run::watch {

Trigger::Trigger(const TriggerWishes& wishes, std::function<void()> fire) : wishes_(wishes), fire_(std::move(fire)) {}

void Trigger::begin(std::uint64_t now_ns) {
  if (wishes_.timeout_ns != 0) end_ns_ = now_ns + wishes_.timeout_ns;
  next_ns_ = wishes_.file.empty() ? end_ns_ : now_ns;
}

// As in fio, a file that cannot be removed fires the trigger as well; here it fires only once. A name that is not a
// regular file also fires it, and is not removed.
bool Trigger::is_due(std::uint64_t now_ns) {
  struct stat file = {};
  if (!wishes_.file.empty() && ::lstat(wishes_.file.c_str(), &file) == 0) {
    errno = EPERM;
    if (!S_ISREG(file.st_mode) || ::unlink(wishes_.file.c_str()) != 0)
      findings_.push_back(result::findings::found(
          "run.trigger",
          {.variant = "file", .values = {{"file", base::text::printable(wishes_.file)}, {"cause", strerror(errno)}}}));
    return true;
  }
  return now_ns >= end_ns_;
}

void Trigger::look(std::uint64_t now_ns) {
  if (now_ns < next_ns_) return;
  if (is_due(now_ns)) {
    fired_ = true;
    next_ns_ = UINT64_MAX;
    fire_();
    return;
  }
  next_ns_ = std::min(end_ns_, now_ns + kBeat_ns);
}

void Trigger::run_command() {
  if (!fired_ || wishes_.command.empty()) return;
  std::string why;
  auto shell =
      base::system::Subprocess::hold({"/bin/sh", "-c", wishes_.command}, base::system::Subprocess::Orphan::goes_on);
  if (!shell) {
    why = shell.error().what;
  } else if (const int err = shell->let_go(); err != 0) {
    why = strerror(err);
  } else if (const auto ended = shell->wait(-1); ended && ended->status != 0) {
    why = fmt::format("it ended with status {}", ended->status);
  }
  if (why.empty()) return;
  findings_.push_back(result::findings::found("run.trigger", {.values = {{"cause", base::text::printable(why)}}}));
}

}  // namespace fathom::run::watch
