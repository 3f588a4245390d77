// Callbacks of an event loop.
#include "live/serve/answers.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <deque>
#include <memory>
#include <vector>

#include "base/time.h"
#include "live/serve/asking.h"
#include "live/serve/page_server.h"

namespace fathom::live::serve {
namespace {

constexpr std::uint64_t kLooks_ns = 3'000'000'000, kWaits_ns = 5'000'000'000;
constexpr std::size_t kMostMessage = std::size_t{1} << 16, kMostHeaders = 16384;
constexpr timeval kTick{0, 100'000};

struct Free {
  void operator()(event_base* base) const { event_base_free(base); }
  void operator()(evhttp* http) const { evhttp_free(http); }
  void operator()(event* e) const { event_free(e); }
};

class Loop {
 public:
  explicit Loop(const Serving& serving) : serving_(serving), page_(serving.page), message_(kMostMessage) {}
  void run();

 private:
  void take();  // receives the waiting messages
  void tick();  // checks whether the loop may end
  void answer(evhttp_request* request);
  void answer_page(evhttp_request* request);
  void answer_seconds(evhttp_request* request, std::uint64_t after);
  void end();

  const Serving& serving_;
  std::string page_;
  std::vector<char> message_;
  std::deque<std::string> seconds_;
  std::uint64_t first_ = 0;  // number of the first stored second
  std::uint64_t looked_ns_ = 0, ended_ns_ = 0;
  bool taken_ = false;  // a browser has received the last page
  std::unique_ptr<event_base, Free> base_;
  std::unique_ptr<evhttp, Free> http_;
  std::unique_ptr<event, Free> feed_, clock_;
};

void Loop::run() {
  base_.reset(event_base_new());
  http_.reset(base_ ? evhttp_new(base_.get()) : nullptr);
  if (!http_) return;
  evhttp_set_max_headers_size(http_.get(), kMostHeaders);
  evhttp_set_max_body_size(http_.get(), kMostHeaders);
  evhttp_set_timeout(http_.get(), 10);
  evhttp_set_allowed_methods(http_.get(), EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST | EVHTTP_REQ_PUT |
                                              EVHTTP_REQ_DELETE | EVHTTP_REQ_OPTIONS |
                                              EVHTTP_REQ_PATCH);  // the last five get a clear refusal
  evhttp_set_gencb(
      http_.get(), [](evhttp_request* request, void* self) { static_cast<Loop*>(self)->answer(request); }, this);
  if (evhttp_accept_socket(http_.get(), serving_.listening) != 0) return;
  feed_.reset(event_new(
      base_.get(), serving_.feed, EV_READ | EV_PERSIST,
      [](evutil_socket_t, short, void* self) { static_cast<Loop*>(self)->take(); }, this));
  clock_.reset(event_new(
      base_.get(), -1, EV_PERSIST, [](evutil_socket_t, short, void* self) { static_cast<Loop*>(self)->tick(); }, this));
  event_add(feed_.get(), nullptr);
  event_base_dispatch(base_.get());
  http_.reset();
}

void Loop::take() {
  for (;;) {
    const ssize_t n = ::recv(serving_.feed, message_.data(), message_.size(), MSG_DONTWAIT | MSG_TRUNC);
    if (n < 0) return;
    if (static_cast<std::size_t>(n) > message_.size()) continue;  // a truncated object is useless
    const std::string text(message_.data(), static_cast<std::size_t>(n));
    if (n == 0 || text == kEnd) return end();
    seconds_.push_back(text);
    if (seconds_.size() <= kKeptSeconds) continue;
    seconds_.pop_front();
    ++first_;
  }
}

// The last page replaces the live one. If the run ended without a last page, browsers keep what they show.
void Loop::end() {
  event_del(feed_.get());
  ended_ns_ = base::monotonic_ns();
  const auto bytes = ::lseek(serving_.last_page, 0, SEEK_END);
  std::string page(static_cast<std::size_t>(bytes > 0 ? bytes : 0), '\0');
  if (bytes > 0 && ::pread(serving_.last_page, page.data(), page.size(), 0) == bytes)
    page_ = std::move(page);
  else
    taken_ = true;
  event_add(clock_.get(), &kTick);
}

void Loop::tick() {
  const std::uint64_t now = base::monotonic_ns();
  const bool looks = looked_ns_ != 0 && looked_ns_ + kLooks_ns > ended_ns_;
  // Without a last page, active browsers first get the answer that the run has ended.
  const bool told = taken_ && (!looks || looked_ns_ > ended_ns_);
  if (told || !looks || now > ended_ns_ + kWaits_ns) event_base_loopexit(base_.get(), &kTick);
}

std::string_view header(evhttp_request* request, const char* name) {
  const char* const value = evhttp_find_header(evhttp_request_get_input_headers(request), name);
  return value == nullptr ? std::string_view() : value;
}

// No cache stores the page, no other page embeds or reads it, and its address is not sent elsewhere.
void add_headers(evhttp_request* request, const char* type) {
  auto* const headers = evhttp_request_get_output_headers(request);
  constexpr const char* kHeaders[][2] = {{"Cache-Control", "no-store"},
                                         {"X-Content-Type-Options", "nosniff"},
                                         {"X-Frame-Options", "DENY"},
                                         {"Referrer-Policy", "no-referrer"},
                                         {"Cross-Origin-Resource-Policy", "same-origin"}};
  evhttp_add_header(headers, "Content-Type", type);
  for (const auto& [name, value] : kHeaders) evhttp_add_header(headers, name, value);
}

void send(evhttp_request* request, int status, const char* reason, const char* type, std::string_view text) {
  add_headers(request, type);
  const std::unique_ptr<evbuffer, decltype(&evbuffer_free)> body(evbuffer_new(), &evbuffer_free);
  evbuffer_add(body.get(), text.data(), text.size());
  evhttp_send_reply(request, status, reason, body.get());
}

void Loop::answer(evhttp_request* request) {
  const char* const uri = evhttp_request_get_uri(request);
  const auto command = evhttp_request_get_command(request);
  const Asking asking{command == EVHTTP_REQ_GET || command == EVHTTP_REQ_HEAD, uri == nullptr ? "" : uri,
                      header(request, "Host"), header(request, "Origin")};
  constexpr const char* kText = "text/plain; charset=utf-8";
  switch (answer_to(asking, serving_.token)) {
    case Answer::page:
      return answer_page(request);
    case Answer::seconds:
      return answer_seconds(request, after_of(asking.path));
    case Answer::refused:
      return send(request, 403, "Forbidden", kText, "This page is only served to browsers on the same machine.\n");
    case Answer::not_allowed:
      return send(request, 405, "Method Not Allowed", kText, "Only GET and HEAD are supported.\n");
    case Answer::not_found:
      return send(request, 404, "Not Found", kText, "Use the complete address that fathom printed.\n");
  }
}

void Loop::answer_page(evhttp_request* request) {
  looked_ns_ = base::monotonic_ns();
  if (ended_ns_ != 0)
    evhttp_request_set_on_complete_cb(
        request, [](evhttp_request*, void* self) { static_cast<Loop*>(self)->taken_ = true; }, this);
  send(request, 200, "OK", "text/html; charset=utf-8", page_);
}

void Loop::answer_seconds(evhttp_request* request, std::uint64_t after) {
  looked_ns_ = base::monotonic_ns();
  const std::uint64_t next = first_ + seconds_.size();
  std::string text =
      fmt::format(R"({{"next":{},"done":{},"page":{},"seconds":[)", next, ended_ns_ != 0, ended_ns_ != 0 && !taken_);
  const char* between = "";
  for (std::uint64_t i = std::max(after, first_); i < next; ++i) {
    text += between + seconds_[i - first_];
    between = ",";
  }
  send(request, 200, "OK", "application/json", text + "]}\n");
}

}  // namespace

void serve(const Serving& serving) { Loop(serving).run(); }

}  // namespace fathom::live::serve
