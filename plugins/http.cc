// ioengine=http: an I/O is a request for one object, by libcurl. The object is FILENAME_OFFSET_LENGTH: a read is GET, a
// write PUT, a trim DELETE, as in fio. fio has one request in flight; here a queue has one transfer per slot, in libcurl's
// multi interface, and libcurl keeps their connections for the next requests.
// libcurl states which sockets it waits for, and epoll waits. A socket stays in epoll while its connection is idle, so a
// request changes nothing there. Everything of this file that a request needs is allocated in open(); libcurl allocates
// in its own calls.
// Source: libcurl-multi(3), curl_multi_socket_action(3); meaning of options, names and statuses: fio's HOWTO.
#include <curl/curl.h>
#include <fathom_engine.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "http_options.h"
#include "http_sign.h"
#include "said.h"

namespace {

using fathom::plugins::say;
using http_options::Mode, http_options::Options, http_options::Tls, http_options::account_of, http_options::encoded,
    http_options::options_of;

constexpr int kLook_ms = 100;  // interval between looks at *stop while no answer arrives
constexpr long kConnect_ms = 10'000;
constexpr std::uint64_t kLargest_bytes = 0x7fffffff;  // of a result
constexpr std::size_t kMostHeaders = 12, kReason = 48, kAnswer = 400;

bool check_name(const char* name, fathom_error& error) {
  if (name[0] == '/') return true;
  say(error, EINVAL, "the name of an object begins with a slash", "write for example filename=/BUCKET/NAME");
  return false;
}

int look_at(const fathom_open* asked, fathom_facts* facts, fathom_error* error) {
  if (!check_name(asked->targets[0], *error)) return -EINVAL;
  const Options options = options_of(*asked);
  constexpr const char* kModes[] = {"WebDAV", "S3", "Swift"};
  facts->largest_bytes = kLargest_bytes;
  facts->can = FATHOM_CAN_WRITE | FATHOM_CAN_TRIM | FATHOM_KEEPS_DATA | FATHOM_HARMLESS | FATHOM_COPIES;
  std::snprintf(facts->about, sizeof facts->about, "libcurl %s, %s; a read of a missing object %s",
                curl_version_info(CURLVERSION_NOW)->version, kModes[static_cast<int>(options.mode)],
                options.missing_fails ? "fails" : "returns zeros, as in fio");
  return 0;
}

struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

struct Descriptor {
  int fd = -1;
  Descriptor() = default;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

struct Slot {
  std::unique_ptr<CURL, FreeEasy> easy;
  fathom_queue* queue = nullptr;
  std::uint32_t number = 0;
  std::uint8_t dir = 0xff;  // of the last request; the method is set when it changes
  char* buffer = nullptr;
  std::uint32_t length = 0, sent = 0, received = 0;
  long status = 0;
  CURLcode code = CURLE_OK;
  std::uint32_t answer_bytes = 0;
  char reason[kReason] = {}, answer[kAnswer] = {}, trouble[CURL_ERROR_SIZE] = {};
  std::string url;
  http_sign::SignedLines signed_lines;
  char etag[6 + 32 + 1] = "etag: ";
  curl_slist headers[kMostHeaders] = {};
};

// A socket in epoll. owned: it belongs to a connection, and libcurl states when it closes.
struct Watched {
  std::uint8_t registered = 0, wanted = 0;
  bool owned = false;
};

}  // namespace

struct fathom_queue {
  Options options;
  std::optional<http_sign::Signer> signer;
  std::optional<http_sign::Digest> md5;
  std::vector<std::string> constant_lines;  // headers that all requests have
  std::vector<std::string> urls;            // by target, without _OFFSET_LENGTH
  std::size_t path_at = 0;                  // in a URL
  Descriptor epoll, timer;
  std::vector<Watched> watched;  // by descriptor
  bool due = false;              // libcurl has work that waits for no socket
  std::vector<epoll_event> events;
  std::unique_ptr<CURLM, FreeMulti> multi;
  std::vector<Slot> slots;
  std::vector<fathom_completion> done;  // ended, and not reaped; from `first`
  std::uint32_t done_count = 0, first = 0, in_flight = 0;
  const std::uint32_t* stop = nullptr;
};

namespace {

// --- sockets ---

Watched& watched_at(fathom_queue& queue, int fd) {
  const auto at = static_cast<std::size_t>(fd);
  if (at >= queue.watched.size()) queue.watched.resize(at + 1);
  return queue.watched[at];
}

void change(fathom_queue& queue, int fd, Watched& watched, std::uint8_t events) {
  if (watched.registered == events) return;
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  const int how = events == 0 ? EPOLL_CTL_DEL : watched.registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  epoll_ctl(queue.epoll.fd, how, fd, &event);
  watched.registered = events;
}

int on_socket(CURL*, curl_socket_t fd, int what, void* user, void*) {
  auto& queue = *static_cast<fathom_queue*>(user);
  auto& watched = watched_at(queue, fd);
  watched.wanted = 0;
  if (what == CURL_POLL_IN || what == CURL_POLL_INOUT) watched.wanted |= EPOLLIN;
  if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT) watched.wanted |= EPOLLOUT;
  if (watched.wanted != 0 || !watched.owned) change(queue, fd, watched, watched.wanted);
  return 0;
}

curl_socket_t open_socket(void* user, curlsocktype, curl_sockaddr* address) {
  const int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (fd >= 0) watched_at(*static_cast<fathom_queue*>(user), fd) = {0, 0, true};
  return fd;
}

int close_socket(void* user, curl_socket_t fd) {
  watched_at(*static_cast<fathom_queue*>(user), fd) = {};
  return close(fd);
}

int on_timer(CURLM*, long timeout_ms, void* user) {
  auto& queue = *static_cast<fathom_queue*>(user);
  if (timeout_ms == 0) queue.due = true;
  if (timeout_ms <= 0) return 0;
  itimerspec when{};
  when.it_value = {timeout_ms / 1000, timeout_ms % 1000 * 1'000'000};
  return timerfd_settime(queue.timer.fd, 0, &when, nullptr);
}

// --- data of a request ---

std::size_t send_body(char* to, std::size_t size, std::size_t count, void* user) {
  auto& slot = *static_cast<Slot*>(user);
  const std::size_t bytes = std::min<std::size_t>(size * count, slot.length - slot.sent);
  std::memcpy(to, slot.buffer + slot.sent, bytes);
  slot.sent += static_cast<std::uint32_t>(bytes);
  return bytes;
}

int rewind_body(void* user, curl_off_t offset, int origin) {
  auto& slot = *static_cast<Slot*>(user);
  if (origin != SEEK_SET || offset < 0 || offset > static_cast<curl_off_t>(slot.length)) return CURL_SEEKFUNC_FAIL;
  slot.sent = static_cast<std::uint32_t>(offset);
  return CURL_SEEKFUNC_OK;
}

// An answer that is no object is kept from its start, for explain().
std::size_t receive_body(char* from, std::size_t size, std::size_t count, void* user) {
  auto& slot = *static_cast<Slot*>(user);
  const std::size_t bytes = size * count;
  if (slot.dir == FATHOM_READ && slot.status == 200) {
    if (bytes > slot.length - slot.received) return 0;  // larger than the buffer: ends the transfer
    std::memcpy(slot.buffer + slot.received, from, bytes);
    slot.received += static_cast<std::uint32_t>(bytes);
    return bytes;
  }
  const std::size_t kept = std::min(bytes, kAnswer - slot.answer_bytes);
  std::memcpy(slot.answer + slot.answer_bytes, from, kept);
  slot.answer_bytes += static_cast<std::uint32_t>(kept);
  return bytes;
}

// "HTTP/1.1 403 Forbidden" begins an answer. A redirected or repeated request has several.
std::size_t receive_header(char* from, std::size_t size, std::size_t count, void* user) {
  const std::string_view line(from, size * count);
  if (!line.starts_with("HTTP/")) return line.size();
  auto& slot = *static_cast<Slot*>(user);
  slot.status = 0;
  slot.received = slot.answer_bytes = 0;
  auto at = std::min(line.find(' '), line.size() - 1) + 1;
  const auto number = std::from_chars(line.data() + at, line.data() + line.size(), slot.status);
  at = static_cast<std::size_t>(number.ptr - line.data());
  std::size_t kept = 0;
  for (; at < line.size() && kept + 1 < kReason; ++at)
    if (line[at] >= ' ' && (kept > 0 || line[at] != ' ')) slot.reason[kept++] = line[at];
  slot.reason[kept] = 0;
  return line.size();
}

constexpr std::string_view kHidden[] = {
    "authorization:", "x-auth-token:", "x-amz-security-token:", "x-amz-server-side-encryption-customer-key:"};

// http_verbose=: one line, without the values of secrets.
void show(const char* mark, std::string_view line) {
  std::size_t end = std::min(line.find_last_not_of("\r\n") + 1, line.size());
  const char* rest = "";
  for (const auto name : kHidden)
    if (line.size() >= name.size() && strncasecmp(line.data(), name.data(), name.size()) == 0)
      end = name.size(), rest = " (secret)";
  std::fprintf(stderr, "%s %.*s%s\n", mark, static_cast<int>(end), line.data(), rest);
}

int on_verbose(CURL*, curl_infotype type, char* text, std::size_t bytes, void* user) {
  const auto& options = static_cast<const Slot*>(user)->queue->options;
  if (type == CURLINFO_TEXT) show("*", {text, bytes});
  if (type == CURLINFO_HEADER_IN) show("<", {text, bytes});
  if (type == CURLINFO_HEADER_OUT)
    for (std::string_view rest(text, bytes); !rest.empty();) {
      const auto end = std::min(rest.find('\n'), rest.size() - 1) + 1;
      show(">", rest.substr(0, end));
      rest.remove_prefix(end);
    }
  if (options.verbose > 1 && (type == CURLINFO_DATA_IN || type == CURLINFO_DATA_OUT))
    std::fprintf(stderr, "%s %zu bytes of data\n", type == CURLINFO_DATA_IN ? "<" : ">", bytes);
  return 0;
}

// --- a request ---

void link_headers(Slot& slot, std::initializer_list<char*> own, std::vector<std::string>& constant) {
  std::size_t count = 0;
  for (char* line : own) slot.headers[count++].data = line;
  for (auto& line : constant) slot.headers[count++].data = line.data();
  for (std::size_t i = 0; i + 1 < count; ++i) slot.headers[i].next = &slot.headers[i + 1];
}

// Swift's header `etag` is the first one, and only a write has it.
curl_slist* headers_of(const fathom_queue& queue, Slot& slot) {
  if (slot.headers[0].data == nullptr) return nullptr;
  return queue.options.mode == Mode::swift && slot.dir != FATHOM_WRITE ? slot.headers[0].next : slot.headers;
}

constexpr std::string_view kMethods[] = {"GET", "PUT", "DELETE"};

void set_method(const fathom_queue& queue, Slot& slot, std::uint8_t dir) {
  CURL* const easy = slot.easy.get();
  slot.dir = dir;
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, dir == FATHOM_TRIM ? "DELETE" : nullptr);
  curl_easy_setopt(easy, dir == FATHOM_WRITE ? CURLOPT_UPLOAD : CURLOPT_HTTPGET, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_of(queue, slot));
}

void append(std::string& to, std::uint64_t number) {
  char digits[20];
  to += '_';
  to.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void prepare(fathom_queue& queue, Slot& slot, const fathom_post& post) {
  const fathom_request& r = *post.request;
  slot.buffer = static_cast<char*>(post.buffer);
  slot.length = r.length_bytes;
  slot.sent = slot.received = slot.answer_bytes = 0;
  slot.status = 0;
  slot.trouble[0] = 0;
  slot.url = queue.urls[r.target];
  append(slot.url, r.offset_bytes);
  append(slot.url, r.length_bytes);
  if (slot.dir != r.dir) set_method(queue, slot, r.dir);
  const bool writes = r.dir == FATHOM_WRITE;
  const std::string_view body = writes ? std::string_view(slot.buffer, slot.length) : std::string_view();
  if (writes) curl_easy_setopt(slot.easy.get(), CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(slot.length));
  curl_easy_setopt(slot.easy.get(), CURLOPT_URL, slot.url.c_str());
  if (queue.signer)
    queue.signer->sign(kMethods[r.dir], std::string_view(slot.url).substr(queue.path_at), body, slot.signed_lines);
  if (queue.md5 && writes) {
    unsigned char digest[16];
    queue.md5->of(body, digest);
    http_sign::to_hex(digest, sizeof digest, slot.etag + 6);
  }
}

// What counts as success is fio's.
std::int32_t result_of(fathom_queue& queue, Slot& slot) {
  const auto all = static_cast<std::int32_t>(slot.length);
  if (slot.code != CURLE_OK) return -EIO;
  switch (slot.dir) {
    case FATHOM_WRITE:
      return slot.status >= 200 && slot.status <= 204 ? all : -EIO;
    case FATHOM_TRIM:
      return slot.status == 200 || slot.status == 202 || slot.status == 204 || slot.status == 404 ? all : -EIO;
    default:
      if (slot.status == 404 && queue.options.missing_fails) return -EIO;
      if (slot.status == 404) std::memset(slot.buffer, 0, slot.length);
      return slot.status == 404 || (slot.status == 200 && slot.received == slot.length) ? all : -EIO;
  }
}

// `done` has space for each slot, from its start.
void move_to_front(fathom_queue& queue) {
  std::copy(queue.done.begin() + queue.first, queue.done.begin() + queue.done_count, queue.done.begin());
  queue.done_count -= queue.first;
  queue.first = 0;
}

void end(fathom_queue& queue, std::uint32_t slot, std::int32_t result) {
  if (queue.done_count == queue.done.size()) move_to_front(queue);
  queue.done[queue.done_count++] = {slot, result};
}

void collect(fathom_queue& queue) {
  int left = 0;
  while (const CURLMsg* const message = curl_multi_info_read(queue.multi.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    void* user = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &user);
    auto& slot = *static_cast<Slot*>(user);
    slot.code = message->data.result;  // `message` is gone after the next call
    curl_multi_remove_handle(queue.multi.get(), slot.easy.get());
    --queue.in_flight;
    end(queue, slot.number, result_of(queue, slot));
  }
}

void act(fathom_queue& queue, curl_socket_t fd, int events) {
  int running = 0;
  curl_multi_socket_action(queue.multi.get(), fd, events, &running);
}

void act_if_due(fathom_queue& queue) {
  while (queue.due) {
    queue.due = false;
    act(queue, CURL_SOCKET_TIMEOUT, 0);
  }
}

void serve(fathom_queue& queue, const epoll_event& event) {
  const int fd = event.data.fd;
  if (fd == queue.timer.fd) {
    std::uint64_t expired = 0;
    queue.due = read(fd, &expired, sizeof expired) == sizeof expired || queue.due;
    return;
  }
  auto& watched = watched_at(queue, fd);
  if (watched.wanted == 0) return change(queue, fd, watched, 0);  // the server has closed an idle connection
  int events = 0;
  if ((event.events & EPOLLIN) != 0) events |= CURL_CSELECT_IN;
  if ((event.events & EPOLLOUT) != 0) events |= CURL_CSELECT_OUT;
  if ((event.events & (EPOLLERR | EPOLLHUP)) != 0) events |= CURL_CSELECT_ERR;
  act(queue, fd, events);
}

// Waits for sockets once. Returns the number of events, or -errno.
int drive(fathom_queue& queue, int timeout_ms) {
  const int count = epoll_wait(queue.epoll.fd, queue.events.data(), static_cast<int>(queue.events.size()), timeout_ms);
  if (count < 0) return -errno;
  for (int i = 0; i < count; ++i) serve(queue, queue.events[static_cast<std::size_t>(i)]);
  act_if_due(queue);
  collect(queue);
  return count;
}

// --- opening ---

void set_transport(fathom_queue& queue, Slot& slot) {
  CURL* const easy = slot.easy.get();
  const Options& o = queue.options;
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, kConnect_ms);
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &queue);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, &queue);
  if (o.tls == Tls::insecure) {
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (!o.user.empty()) {
    curl_easy_setopt(easy, CURLOPT_USERNAME, o.user.c_str());
    curl_easy_setopt(easy, CURLOPT_PASSWORD, o.pass.c_str());
    curl_easy_setopt(easy, CURLOPT_HTTPAUTH, CURLAUTH_ANY);
  }
}

void set_callbacks(fathom_queue& queue, Slot& slot) {
  CURL* const easy = slot.easy.get();
  curl_easy_setopt(easy, CURLOPT_PRIVATE, &slot);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, slot.trouble);
  curl_easy_setopt(easy, CURLOPT_READFUNCTION, send_body);
  curl_easy_setopt(easy, CURLOPT_READDATA, &slot);
  curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, rewind_body);
  curl_easy_setopt(easy, CURLOPT_SEEKDATA, &slot);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &slot);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, receive_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &slot);
  if (queue.options.verbose == 0) return;
  curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
  curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, on_verbose);
  curl_easy_setopt(easy, CURLOPT_DEBUGDATA, &slot);
}

void make_headers(fathom_queue& queue) {
  const Options& o = queue.options;
  auto& lines = queue.constant_lines;
  if (o.mode == Mode::webdav) return;
  lines.emplace_back("Accept:");  // libcurl's header is omitted
  if (o.mode == Mode::swift) {
    queue.md5.emplace("MD5");
    if (!o.swift_token.empty()) lines.push_back("x-auth-token: " + o.swift_token);
    return;
  }
  auto account = account_of(o);
  for (const auto& [name, value] : account.headers) lines.push_back(name + ": " + value);
  queue.signer.emplace(std::move(account));
}

void make_slot(fathom_queue& queue, Slot& slot, std::uint32_t number, std::size_t longest_url) {
  slot.easy.reset(curl_easy_init());
  if (slot.easy == nullptr) throw std::bad_alloc();
  slot.queue = &queue;
  slot.number = number;
  slot.url.reserve(longest_url);
  set_transport(queue, slot);
  set_callbacks(queue, slot);
  if (queue.signer) {
    slot.signed_lines = queue.signer->lines();
    auto& own = slot.signed_lines;
    link_headers(slot, {own.content.data(), own.date.data(), own.authorization.data()}, queue.constant_lines);
  } else if (queue.md5) {
    link_headers(slot, {slot.etag}, queue.constant_lines);
  }
}

bool open_waits(fathom_queue& queue, std::uint32_t depth) {
  queue.epoll.fd = epoll_create1(EPOLL_CLOEXEC);
  queue.timer.fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = queue.timer.fd;
  if (queue.epoll.fd < 0 || queue.timer.fd < 0) return false;
  if (epoll_ctl(queue.epoll.fd, EPOLL_CTL_ADD, queue.timer.fd, &event) != 0) return false;
  queue.events.resize(depth + 1);
  queue.watched.resize(static_cast<std::size_t>(queue.timer.fd) + std::size_t{2} * depth + 16);
  CURLM* const multi = queue.multi.get();
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, &queue);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, &queue);
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, static_cast<long>(depth));  // all stay open
  return true;
}

fathom_queue* open_ready(const fathom_open& asked, fathom_error& error) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  auto queue = std::make_unique<fathom_queue>();
  queue->options = options_of(asked);
  const Options& o = queue->options;
  const std::string server = (o.tls == Tls::off ? "http://" : "https://") + o.host;
  queue->path_at = server.size();
  std::size_t longest_url = 0;
  for (std::uint32_t i = 0; i < asked.target_count; ++i) {
    if (!check_name(asked.targets[i], error)) return nullptr;
    queue->urls.push_back(server + encoded(o.prefix + asked.targets[i]));
    longest_url = std::max(longest_url, queue->urls.back().size() + std::size_t{2} * 21);
  }
  queue->multi.reset(curl_multi_init());
  if (queue->multi == nullptr) throw std::bad_alloc();
  if (!open_waits(*queue, asked.depth)) return say(error, errno, "epoll or timerfd", ""), nullptr;
  make_headers(*queue);
  queue->slots.resize(asked.depth);
  for (std::uint32_t i = 0; i < asked.depth; ++i) make_slot(*queue, queue->slots[i], i, longest_url);
  queue->done.resize(asked.depth);
  queue->stop = asked.stop;
  return queue.release();
}

fathom_queue* open_queue(const fathom_open* asked, fathom_error* error) {
  try {
    return open_ready(*asked, *error);
  } catch (const std::bad_alloc&) {
    return say(*error, ENOMEM, "memory of the queue", "lower iodepth="), nullptr;
  }
}

// --- the interface ---

int submit(fathom_queue* queue, const fathom_post* posts, std::uint32_t count, std::uint32_t) {
  for (std::uint32_t i = 0; i < count; ++i) {
    Slot& slot = queue->slots[posts[i].slot];
    prepare(*queue, slot, posts[i]);
    ++queue->in_flight;
    if (curl_multi_add_handle(queue->multi.get(), slot.easy.get()) == CURLM_OK) continue;
    --queue->in_flight;
    slot.code = CURLE_FAILED_INIT;
    end(*queue, slot.number, -EIO);
  }
  act_if_due(*queue);
  collect(*queue);
  return static_cast<int>(count);
}

std::uint32_t take(fathom_queue& queue, fathom_completion* out, std::uint32_t most) {
  const std::uint32_t count = std::min(queue.done_count - queue.first, most);
  std::copy_n(queue.done.begin() + queue.first, count, out);
  queue.first += count;
  if (queue.first == queue.done_count) queue.first = queue.done_count = 0;
  return count;
}

int reap(fathom_queue* queue, std::uint32_t min, fathom_completion* out, std::uint32_t most) {
  const auto ended = [&] { return queue->done_count - queue->first; };
  const std::uint32_t wanted = std::min(min, most);
  if (ended() == 0 || ended() < wanted) {
    do {
      if (queue->in_flight == 0) break;
      const int events = drive(*queue, wanted == 0 ? 0 : kLook_ms);
      if (events < 0) return events;
      if (events == 0 && queue->stop != nullptr && __atomic_load_n(queue->stop, __ATOMIC_RELAXED) >= 2 && ended() == 0)
        return -EINTR;
    } while (ended() < wanted);
  }
  return static_cast<int>(take(*queue, out, most));
}

// S3's answers name the reason: <Code>SignatureDoesNotMatch</Code>.
std::string_view code_in(std::string_view answer) {
  constexpr std::string_view kBegin = "<Code>";
  const auto at = answer.find(kBegin);
  if (at == answer.npos) return {};
  answer.remove_prefix(at + kBegin.size());
  return answer.substr(0, std::min(answer.find('<'), answer.size()));
}

void explain(fathom_queue* queue, std::uint32_t number, char* text, std::uint32_t text_bytes) {
  const Slot& slot = queue->slots[number];
  const auto code = code_in({slot.answer, slot.answer_bytes});
  const bool read = slot.dir == FATHOM_READ && slot.status == 200;
  if (read && slot.code == CURLE_WRITE_ERROR)
    std::snprintf(text, text_bytes, "the object is larger than the read of %u bytes", slot.length);
  else if (slot.code != CURLE_OK)
    std::snprintf(text, text_bytes, "%s", slot.trouble[0] != 0 ? slot.trouble : curl_easy_strerror(slot.code));
  else if (read)
    std::snprintf(text, text_bytes, "the object has %u of %u bytes", slot.received, slot.length);
  else
    std::snprintf(text, text_bytes, "the server answered %ld %s%s%.*s", slot.status, slot.reason,
                  code.empty() ? "" : ": ", static_cast<int>(code.size()), code.data());
  for (char* c = text; *c != 0; ++c)
    if (static_cast<unsigned char>(*c) < ' ' || *c == 0x7f) *c = '?';
}

void close_queue(fathom_queue* queue) {
  for (auto& slot : queue->slots) curl_multi_remove_handle(queue->multi.get(), slot.easy.get());
  queue->slots.clear();
  queue->multi.reset();
  delete queue;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const struct fathom_engine fathom_io_engine = {
    FATHOM_ENGINE_VERSION, sizeof(struct fathom_engine), "http", look_at, open_queue, submit, reap, explain,
    close_queue,
};
