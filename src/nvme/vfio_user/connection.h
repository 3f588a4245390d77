// The client's end of a vfio-user socket: one command, one reply, each wait bounded. If the server closes, does not
// answer in time or sends an invalid answer, the connection is lost for good: lost() is true and every call fails at
// once.
//
// Thread rule: lost() from any thread; call() from any thread, one at a time (Transport holds the lock).
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/system/fd.h"
#include "nvme/vfio_user/framing.h"

namespace fathom::nvme::vfio_user {

inline constexpr int kTimeoutMs = 5000;

class Connection {
 public:
  // Connects to the socket, or to the socket `cntrl` in a directory, and negotiates the version.
  // ErrorKind::usage: no server there; privilege: no permission to connect; io: it does not speak this version of
  // vfio-user.
  static base::Expected<std::unique_ptr<Connection>> open(const std::string& where, int timeout_ms = kTimeoutMs);

  // Returns the server's reply. ErrorKind::refused with sys_errno: the server refused the command, the connection stays
  // usable; io: the connection is lost.
  base::Expected<Packet> call(Message command, std::span<const std::byte> payload, std::span<const int> fds = {});
  // Checks the socket once per millisecond at most.
  bool lost() const;
  const std::string& path() const { return path_; }

 private:
  Connection(std::string path, base::system::UniqueFd socket, int timeout_ms)
      : path_(std::move(path)), socket_(std::move(socket)), timeout_ms_(timeout_ms) {}
  base::Expected<void> agree_on_version();
  base::Expected<Packet> wait_for_reply(Message command, std::uint16_t id);
  base::Error lose(std::string cause);

  std::string path_;
  base::system::UniqueFd socket_;
  int timeout_ms_;
  std::uint16_t id_ = 0;
  Receiver receiver_;
  mutable std::atomic<bool> lost_{false};
  mutable std::atomic<std::int64_t> looked_ms_{0};
};

}  // namespace fathom::nvme::vfio_user
