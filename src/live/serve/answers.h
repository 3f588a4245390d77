// What the page's process does: takes messages, keeps the last of them, answers browsers, ends when the run has. Problem
// of the end: who looked should see the report, who is gone should not be waited for. Choice: whoever asked within the
// last three seconds looks, and has five to come for it.
#pragma once
#include <cstdint>
#include <string>

namespace fathom::live::serve {

struct Serving {
  int listening = -1;  // a socket that listens
  int feed = -1;       // messages: an object of JSON, or nothing but kEnd; its end: the run is gone
  int last_page = -1;  // a file that holds HTML once kEnd has come
  std::string token, page;
};
inline constexpr char kEnd[] = "end";

// Until the run has ended, and those who look have seen it.
void serve(const Serving& serving);

}  // namespace fathom::live::serve
