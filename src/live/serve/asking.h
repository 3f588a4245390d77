// Decides how the page of a run answers a request. Problem: any page in a browser of this machine can send requests to
// 127.0.0.1: a script of another site, a name that was made to resolve to this address. So can programs of other users.
// Choice: the address has a random part, which only the user that started the run gets. Requests must name this
// machine, come from the page itself (Origin is absent or the page's), and use GET or HEAD. No request changes any
// state. Pure.
// Source: RFC 9110 (Host), the Fetch standard (Origin); DNS rebinding.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace fathom::live::serve {

struct Asking {
  bool get = true;        // or HEAD
  std::string_view path;  // with the query behind `?`
  std::string_view host;  // Host header; empty: absent
  std::string_view origin;
};

enum class Answer { page, seconds, refused, not_found, not_allowed };
// token: the random part. Valid paths are /TOKEN/ and /TOKEN/seconds?after=N.
Answer answer_to(const Asking& asking, std::string_view token);
// N of the path; 0: N is missing or not a number.
std::uint64_t after_of(std::string_view path);

// 32 hexadecimal digits from the kernel's random source; empty: the source failed.
std::string new_token();

}  // namespace fathom::live::serve
