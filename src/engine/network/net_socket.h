// One end of a connection, for the engines that send and receive: made at open (who waits is reachable then), connected
// when the job begins. Waiting looks every kLook_ms at whether the job is to stop.
//
// UDP has no connection: who sends announces itself and its end by datagrams of eight bytes, and numbers its blocks in
// their last 24 bytes, so that who receives knows which of them were lost. They are fio's, in fio's order of bytes.
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
  base::Expected<void> begin();  // accepts or connects; false job: stopped() says why nothing came of it

  const io::NetOptions& options() const { return options_; }
  const JobFacts& job() const { return job_; }
  int fd() const { return fd_.get(); }
  bool connected() const { return connected_; }
  // The job is to end: somebody said so, or its time is over.
  bool over() const;
  // Until there is something to receive, or room to send: false when the job is over before.
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
  sockaddr_storage address_{};  // of the other end, or where it finds us
  socklen_t address_bytes_ = 0;
  std::string bound_path_;
  std::uint64_t end_ns_ = 0;  // of the runtime; 0: there is none
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
// How many blocks are missing before this one; `next` is the number that was expected, and is then the one after it.
std::uint64_t missing_before(const std::byte* data, std::uint32_t bytes, std::uint64_t& next);

}  // namespace fathom::engine::network
