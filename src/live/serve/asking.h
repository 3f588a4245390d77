// Who is answered by the page of a run, and with what. Problem: whatever a browser of this machine shows may ask
// 127.0.0.1 too: another site's script, a name that was made to mean this address, another user's program. Choice: an
// address with a random part that only whoever started the run is told; requests that name this machine and come from
// the page itself; nothing but GET. Nothing is ever changed by a request. Pure.
// Source: RFC 9110 (Host), the Fetch standard (Origin); DNS rebinding.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace fathom::live::serve {

struct Asking {
  bool get = true;        // and HEAD
  std::string_view path;  // with what stands behind `?`
  std::string_view host;  // of the header; empty: none
  std::string_view origin;
};

enum class Answer { page, seconds, refused, not_found, not_allowed };
// token: the random part. What is asked for is /TOKEN/ and /TOKEN/seconds?after=N.
Answer answer_to(const Asking& asking, std::string_view token);
// N of it; 0: none is written, or no number.
std::uint64_t after_of(std::string_view path);

// 32 hexadecimal digits of the kernel's own randomness; empty: it gives none.
std::string new_token();

}  // namespace fathom::live::serve
