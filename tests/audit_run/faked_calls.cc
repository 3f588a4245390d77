// Runs a command whose pread64 or pwrite64 of one length are answered "done" and never done, by a notifier of seccomp
// (seccomp_unotify(2)): faked_calls read|write LENGTH COMMAND... Only every second one with `half-read`, `half-write`.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kSkipped = 77;

int filtered(unsigned number) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof code / sizeof code[0], code};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

void answer(int listener, std::uint64_t length, bool half) {
  static unsigned calls = 0;
  seccomp_notif call{};
  if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return;
  seccomp_notif_resp done{};
  done.id = call.id;
  if (call.data.args[2] == length && (!half || ++calls % 2 == 0))
    done.val = static_cast<std::int64_t>(length);
  else
    done.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &done);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const bool writes = std::strstr(argv[1], "write") != nullptr, half = std::strstr(argv[1], "half") != nullptr;
  const std::uint64_t length = std::strtoull(argv[2], nullptr, 10);
  int number[2], go[2];
  if (::pipe(number) != 0 || ::pipe(go) != 0) return kSkipped;
  const pid_t child = ::fork();
  if (child == 0) {
    const int listener = filtered(writes ? SYS_pwrite64 : SYS_pread64);
    char one = 0;
    if (::write(number[1], &listener, sizeof listener) != sizeof listener || ::read(go[0], &one, 1) != 1)
      _exit(kSkipped);
    ::close(listener);
    ::execv(argv[3], argv + 3);
    _exit(127);
  }
  int theirs = -1;
  if (::read(number[0], &theirs, sizeof theirs) != sizeof theirs || theirs < 0) return kSkipped;
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  const int listener = static_cast<int>(::syscall(SYS_pidfd_getfd, pidfd, theirs, 0));
  if (listener < 0) return kSkipped;
  if (::write(go[1], "g", 1) != 1) return kSkipped;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    pollfd waiting{listener, POLLIN, 0};
    if (::poll(&waiting, 1, 20) > 0 && (waiting.revents & POLLIN) != 0) answer(listener, length, half);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
