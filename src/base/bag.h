// One object of each type at most. So a struct can carry what it has never heard of: a job the options of an engine or
// of a feature, each of which is known to the file that is about it and to those that ask for it by its type. An object
// is made when somebody first wants to write to it; who reads one that is not there gets it as it is by default. Looks
// along a list: for what is asked once a run. Any thread, one at a time.
#pragma once
#include <any>
#include <list>

namespace fathom::base {

class Bag {
 public:
  template <class T>
  T& get() {
    for (std::any& object : objects_)
      if (T* found = std::any_cast<T>(&object)) return *found;
    return objects_.emplace_back().emplace<T>();
  }
  template <class T>
  const T& get() const {
    for (const std::any& object : objects_)
      if (const T* found = std::any_cast<T>(&object)) return *found;
    static const T kUntouched{};
    return kUntouched;
  }

 private:
  std::list<std::any> objects_;  // a list: what was handed out stays where it is
};

}  // namespace fathom::base
