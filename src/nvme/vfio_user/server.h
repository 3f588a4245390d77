// An emulated controller behind a socket: the server's end of vfio-user. It has one client at a time, as a PCI
// function has one driver. A second client gets EBUSY as the answer to its first message, and is disconnected.
// When a client disconnects, orderly or not, the server resets the controller, unmaps the shared memory and accepts the
// next client. No function here waits. The thread that steps the controller also calls step() regularly (serve.h does
// both).
//
// Thread rule: the thread that steps the controller.
#pragma once
#include <sys/stat.h>

#include <list>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/system/fd.h"
#include "nvme/soft/controller.h"
#include "nvme/vfio_user/device.h"

namespace fathom::nvme::vfio_user {

class Server {
 public:
  // Listens at `path`, or at `path`/cntrl if path is a directory (SPDK's traddr). Replaces a socket file without a
  // listener. ErrorKind::usage: the path is in use or cannot be a socket; privilege, io: cannot create it there.
  // io: BAR0 cannot be sealed. The controller must outlive the server.
  static base::Expected<std::unique_ptr<Server>> make(soft::Controller& controller, const std::string& path);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int fd() const { return epoll_.get(); }  // readable when step() has work to do
  // Answers the messages that have arrived, 64 at most. Returns how many.
  unsigned step();
  // step() is needed without a message: the controller was removed, or the client truncated its memory.
  bool wants_step() { return has_client() && (controller_.removed() || device_.faulted()); }
  bool has_client() const { return static_cast<bool>(client_); }
  const std::string& path() const { return path_; }

 private:
  Server(soft::Controller& controller, std::string path, base::system::UniqueFd listener, base::system::UniqueFd epoll);
  void accept_client();
  bool answer_one();  // false: no more work now
  void answer(const Header& command, const Reply& reply);
  void drop_client();
  void refuse_the_others();

  soft::Controller& controller_;
  Device device_;
  std::string path_;
  struct stat made_ = {};  // the socket file
  base::system::UniqueFd listener_, epoll_, client_;
  Receiver receiver_;
  // Clients that connected while another was active. Each gets EBUSY as the answer to its first message, and is
  // disconnected.
  struct Refused {
    base::system::UniqueFd socket;
    Receiver receiver;
  };
  std::list<Refused> refused_;
};

}  // namespace fathom::nvme::vfio_user
