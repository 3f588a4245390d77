// A soft controller behind a socket: the server's end of vfio-user. One client at a time, as a PCI function has one
// driver; a second one is told that the device is busy (EBUSY, in answer to its greeting) and
// goes. When a client goes, orderly or not, the controller is reset, everything
// that it shared is unmapped, and the next may come. Nothing here waits: whoever steps the controller also calls step()
// now and then (serve.h does both).
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
  // Listens at `path`, or at `path`/cntrl where path is a folder (what SPDK calls traddr). A socket file that nobody
  // listens at any more is replaced. ErrorKind::usage: the path is in use or cannot be a socket; privilege, io: no
  // right to create it there. The controller must outlive the server.
  static base::Expected<std::unique_ptr<Server>> make(soft::Controller& controller, const std::string& path);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int fd() const { return epoll_.get(); }  // readable when step() has something to do
  // Takes and answers what messages are there, 64 at most; how many.
  unsigned step();
  // Something other than a message wants step(): the controller was removed, or the client cut its memory short.
  bool wants_step() { return has_client() && (controller_.removed() || device_.faulted()); }
  bool has_client() const { return static_cast<bool>(client_); }
  const std::string& path() const { return path_; }

 private:
  Server(soft::Controller& controller, std::string path, base::system::UniqueFd listener, base::system::UniqueFd epoll);
  void accept_client();
  bool answer_one();  // false: nothing more to do now
  void answer(const Header& command, const Reply& reply);
  void drop_client();
  void refuse_the_others();

  soft::Controller& controller_;
  Device device_;
  std::string path_;
  struct stat made_ = {};  // the socket file
  base::system::UniqueFd listener_, epoll_, client_;
  Receiver receiver_;
  // Who came while a client was there: each is told so in answer to its first message, and then goes.
  struct Refused {
    base::system::UniqueFd socket;
    Receiver receiver;
  };
  std::list<Refused> refused_;
};

}  // namespace fathom::nvme::vfio_user
