// A library that is loaded at first use (dlopen(3)), so that the program runs without it and can report what is
// missing. Functions are looked up one by one; a version without one of them counts as missing. The library stays
// loaded. Thread rule: none; callers keep looked-up functions in a static.
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
  // The library or symbol that could not be loaded, or dlopen's error; empty: none.
  const std::string& missing() const { return missing_; }

 private:
  void* const library_;
  std::string missing_;
};

}  // namespace fathom::base::system
