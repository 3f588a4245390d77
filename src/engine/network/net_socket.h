// One end of a connection, for the engines that send and receive. open() creates it (a waiting end is reachable from
// then on), and begin() connects it. A wait checks every kLook_ms whether the job must stop.
//
// UDP has no connection. The sender announces itself and its end by datagrams of eight bytes, and numbers its blocks in
// their last 24 bytes, so that the receiver can count lost blocks. The formats are fio's, with fio's byte order.
#pragma once
#include <sys/socket.h>

#include <string>

#include "base/error.h"
#include "base/system/fd.h"
#include "engine/engine.h"
#include "io/options/net.h"

namespace fathom::engine::network {

inline constexpr int kLook_ms = 100;

class NetSocket {
 public:
  NetSocket(const io::NetOptions& options, JobFacts job) : options_(options), job_(std::move(job)) {}
  ~NetSocket();
  NetSocket(const NetSocket&) = delete;
  NetSocket& operator=(const NetSocket&) = delete;

  base::Expected<void> open();   // resolves, binds, listens
  base::Expected<void> begin();  // accepts or connects; success without connected(): the job was stopped first

  const io::NetOptions& options() const { return options_; }
  const JobFacts& job() const { return job_; }
  int fd() const { return fd_.get(); }
  bool connected() const { return connected_; }
  // True if the job must end: it was stopped, or its runtime has passed.
  bool over() const;
  // Waits until there is data to receive, or space to send. False: the job ended first.
  bool wait_until(short events) const;

  std::int32_t send_block(std::byte* data, std::uint32_t bytes);
  std::int32_t receive_block(std::byte* data, std::uint32_t bytes);
  void say_closed();

 private:
  bool waits() const { return options_.waits(job_.reads); }
  base::Expected<void> find_address();
  base::Expected<void> make_socket();
  base::Expected<void> set(int level, int name, int value, const char* what);
  base::Expected<void> bind_and_listen();
  base::Expected<void> join_group();
  base::Expected<void> accept_one();
  base::Expected<void> await_datagrams();
  std::int32_t send_datagram(std::byte* data, std::uint32_t bytes);
  std::int32_t receive_datagram(std::byte* data, std::uint32_t bytes);
  base::Error failed(const std::string& what, int err) const;
  std::string whom() const;

  const io::NetOptions options_;
  const JobFacts job_;
  base::system::UniqueFd listener_, fd_;
  sockaddr_storage address_{};  // of the other end, or our own listening address
  socklen_t address_bytes_ = 0;
  std::string bound_path_;
  std::uint64_t end_ns_ = 0;  // end of the runtime; 0: no runtime limit
  std::uint64_t sent_bytes_ = 0, next_number_ = 0;
  bool connected_ = false;
};

// Numbers of a block, in its last bytes.
struct UdpNumber {
  static constexpr std::uint64_t kMagic = 0x657375716e556563;
  std::uint64_t magic, number, bytes;
};
static_assert(sizeof(UdpNumber) == 24);
void number_block(std::byte* data, std::uint32_t bytes, std::uint64_t number);
// Returns the number of missing blocks before this one. `next`: the expected number; on return, the one after this
// block.
std::uint64_t missing_before(const std::byte* data, std::uint32_t bytes, std::uint64_t& next);

}  // namespace fathom::engine::network
