// bare_http URL BLOCKS DEPTH SECONDS: reads of random objects URL_OFFSET_4096 by libcurl's multi interface. Like the
// engine, it leaves idle sockets in epoll; it looks at no status, and keeps no header. A completed transfer begins again
// from the loop, so at most DEPTH are in flight.
#include <curl/curl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "bare.h"

namespace {

struct Waits {
  int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  bool due = false;
  std::vector<unsigned> registered = std::vector<unsigned>(1024);  // by descriptor
};

int on_socket(CURL*, curl_socket_t fd, int what, void* user, void*) {
  auto& waits = *static_cast<Waits*>(user);
  unsigned& now = waits.registered[static_cast<std::size_t>(fd)];
  epoll_event event{};
  event.events = what == CURL_POLL_IN ? EPOLLIN : what == CURL_POLL_OUT ? EPOLLOUT : EPOLLIN | EPOLLOUT;
  event.data.fd = fd;
  if (what == CURL_POLL_REMOVE || now == event.events) return 0;
  ::epoll_ctl(waits.epoll, now == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
  now = event.events;
  return 0;
}

int on_timer(CURLM*, long timeout_ms, void* user) {
  static_cast<Waits*>(user)->due |= timeout_ms == 0;
  return 0;
}

int close_socket(void* user, curl_socket_t fd) {
  static_cast<Waits*>(user)->registered[static_cast<std::size_t>(fd)] = 0;
  return ::close(fd);
}

struct Flight {
  CURL* easy;
  char* buffer;
  std::size_t received;
  std::string url;
};

std::size_t receive(char* from, std::size_t size, std::size_t count, void* user) {
  auto& flight = *static_cast<Flight*>(user);
  if (flight.received + size * count > bare::kBlock) return 0;
  std::memcpy(flight.buffer + flight.received, from, size * count);
  flight.received += size * count;
  return size * count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::uint64_t blocks = static_cast<std::uint64_t>(std::atoll(argv[2]));
  const auto depth = static_cast<std::size_t>(std::atoi(argv[3]));
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM* const multi = curl_multi_init();
  Waits waits;
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, &waits);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, &waits);
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, static_cast<long>(depth));
  char* const memory = bare::buffers(depth);
  fathom::base::Prng prng(1);
  std::vector<Flight> flights(depth);
  const auto send = [&](Flight& flight) {
    flight.received = 0;
    flight.url.assign(argv[1]).append("_").append(std::to_string(prng.below(blocks) * bare::kBlock)).append("_4096");
    curl_easy_setopt(flight.easy, CURLOPT_URL, flight.url.c_str());
    curl_multi_add_handle(multi, flight.easy);
  };
  for (std::size_t i = 0; i < depth; ++i) {
    flights[i] = {curl_easy_init(), memory + i * bare::kBlock, 0, {}};
    CURL* const easy = flights[i].easy;
    curl_easy_setopt(easy, CURLOPT_PRIVATE, &flights[i]);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &flights[i]);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, &waits);
    send(flights[i]);
  }
  const auto act = [&](curl_socket_t fd, int events) {
    int running = 0;
    curl_multi_socket_action(multi, fd, events, &running);
  };
  std::vector<epoll_event> events(depth);
  return bare::measure(std::atof(argv[4]), [&](volatile sig_atomic_t& stop) {
    std::uint64_t ios = 0;
    while (!stop) {
      while (waits.due) waits.due = false, act(CURL_SOCKET_TIMEOUT, 0);
      const int count = ::epoll_wait(waits.epoll, events.data(), static_cast<int>(depth), 100);
      for (int i = 0; i < count; ++i) act(events[static_cast<std::size_t>(i)].data.fd, CURL_CSELECT_IN);
      int left = 0;
      while (const CURLMsg* const message = curl_multi_info_read(multi, &left)) {
        void* user = nullptr;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &user);
        auto& flight = *static_cast<Flight*>(user);
        if (message->data.result != CURLE_OK || flight.received != bare::kBlock) bare::fail("read");
        curl_multi_remove_handle(multi, flight.easy);
        send(flight);
        ++ios;
      }
    }
    return ios;
  });
}
