// Forks workers, reads their messages, and reaps them.
#include "worker/group.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>

#include "base/time.h"

namespace fathom::worker {
namespace {

constexpr int kLook_ms = 1;  // between two checks of ending processes

// Blocks all signals for the lifetime of this object. A new child must not react to the Ctrl-C that its parent counts.
class Held {
 public:
  Held() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~Held() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Held(const Held&) = delete;
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

// The parent may end before the child has registered for the signal.
void die_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
}

void say_end(const Voice& voice, int status) {
  voice.say(Kind::ended, {reinterpret_cast<const char*>(&status), sizeof status});
}

}  // namespace

int End::signal() const { return !whole && WIFSIGNALED(status) ? WTERMSIG(status) : 0; }

std::string End::how() const {
  if (signal() != 0) return fmt::format("was killed by signal {} ({})", signal(), ::strsignal(signal()));
  return fmt::format("ended with status {}", whole ? status : WEXITSTATUS(status));
}

Group::Group(std::size_t workers) : members_(workers), admitted_(workers) {}

Group::~Group() {
  const auto awaited = [&](std::size_t i) { return living(i) && !members_[i].left; };
  for (std::size_t i = 0; i < size(); ++i)
    while (awaited(i)) look(kLook_ms);
}

base::Expected<void> Group::start(std::size_t worker, Start how) {
  return how.thread ? start_thread(worker, std::move(how)) : fork_one(worker, how);
}

base::Expected<void> Group::start_thread(std::size_t worker, Start how) {
  const Held held;  // a thread inherits the mask, and leaves signals to the main thread
  try {
    members_[worker].thread = std::thread([voice = channel_.voice(static_cast<std::uint32_t>(worker)),
                                           body = std::move(how.body)] { say_end(voice, body(voice)); });
  } catch (const std::system_error& error) {
    return base::system_error("start a thread", error.code().value());
  }
  return {};
}

void Group::be_child(std::size_t worker, const Start& how, pid_t parent, const void* mask) {
  die_with(parent);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(signal, SIG_IGN);
  ::pthread_sigmask(SIG_SETMASK, static_cast<const sigset_t*>(mask), nullptr);
  if (how.admit && !admitted_[worker].await(1)) ::_exit(1);
  const auto voice = channel_.voice(static_cast<std::uint32_t>(worker));
  const int status = how.body(voice);
  say_end(voice, status);
  ::_exit(status);
}

base::Expected<void> Group::fork_one(std::size_t worker, const Start& how) {
  const pid_t parent = ::getpid();
  pid_t pid;
  {
    const Held held;
    pid = ::fork();
    if (pid == 0) be_child(worker, how, parent, &held.before());
    if (pid < 0) return base::system_error("fork", errno);
  }
  members_[worker].pid = pid;
  if (!how.admit) return {};
  auto ok = how.admit(pid);
  if (ok)
    admitted_[worker].take(1);
  else
    admitted_[worker].abort();
  return ok;
}

Heard Group::look(int timeout_ms) {
  Heard heard;
  if (channel_.wait(timeout_ms))
    hear(heard);
  else
    reap(heard);
  return heard;
}

void Group::hear(Heard& heard) {
  for (auto& message : channel_.read()) {
    auto& member = members_[message.worker];
    if (message.kind != Kind::ended) {
      heard.messages.push_back(std::move(message));
      continue;
    }
    int status = 0;
    std::copy_n(message.bytes.data(), sizeof status, reinterpret_cast<char*>(&status));
    member.told_end = true;
    heard.ends.push_back({message.worker, true, status, member.killed});
    if (member.thread.joinable()) member.thread.join();  // this message was its last action
  }
}

// First finds the ended processes, then reads their messages. A worker's messages therefore always precede its end.
void Group::reap(Heard& heard) {
  std::vector<End> dead;
  for (std::size_t i = 0; i < size(); ++i) {
    auto& member = members_[i];
    int status = 0;
    if (member.pid <= 0 || ::waitpid(member.pid, &status, WNOHANG) != member.pid) continue;
    member.pid = 0;
    dead.push_back({i, false, status, member.killed});
  }
  if (dead.empty()) return;
  hear(heard);
  std::copy_if(dead.begin(), dead.end(), std::back_inserter(heard.ends),
               [&](const End& end) { return !members_[end.worker].told_end; });
}

std::size_t Group::living() const {
  std::size_t n = 0;
  for (std::size_t i = 0; i < size(); ++i) n += living(i) ? 1 : 0;
  return n;
}

void Group::kill(std::size_t worker) {
  auto& member = members_[worker];
  if (member.pid <= 0) return;
  member.killed = true;
  ::kill(member.pid, SIGKILL);
}

Heard Group::kill_all(std::uint64_t patience_ns) {
  Heard all;
  const auto look_again = [&] {
    auto heard = look(kLook_ms);
    std::move(heard.messages.begin(), heard.messages.end(), std::back_inserter(all.messages));
    std::move(heard.ends.begin(), heard.ends.end(), std::back_inserter(all.ends));
  };
  look_again();  // workers that have ended already were not killed by this call
  for (std::size_t i = 0; i < size(); ++i) kill(i);
  const auto processes = [&] {
    return std::any_of(members_.begin(), members_.end(), [](const Member& m) { return m.pid > 0; });
  };
  for (const std::uint64_t end_ns = base::monotonic_ns() + patience_ns; processes() && base::monotonic_ns() < end_ns;)
    look_again();
  for (auto& member : members_) member.left = member.pid > 0;
  return all;
}

}  // namespace fathom::worker
