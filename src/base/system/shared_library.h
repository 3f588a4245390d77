// A library that is looked for when it is first wanted (dlopen(3)), so that the program runs where it is missing and says
// what. Its functions are looked up one by one; a version without one of them is as good as none. Stays loaded. Thread
// rule: none; whoever keeps what was looked up does so in a static.
#pragma once
#include <dlfcn.h>

#include <string>

namespace fathom::base::system {

class SharedLibrary {
 public:
  explicit SharedLibrary(const char* file) : library_(::dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ != nullptr) return;
    const char* why = ::dlerror();
    missing_ = why != nullptr ? why : file;
  }
  template <class Function>
  void take(const char* symbol, Function& function) {
    if (library_ == nullptr) return;
    function = reinterpret_cast<Function>(::dlsym(library_, symbol));
    if (function == nullptr) missing_ = symbol;
  }
  // What could not be had; empty: nothing.
  const std::string& missing() const { return missing_; }

 private:
  void* const library_;
  std::string missing_;
};

}  // namespace fathom::base::system
