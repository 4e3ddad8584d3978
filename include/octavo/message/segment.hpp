// SPDX-License-Identifier: Apache-2.0
// Memory that threads, processes and objects of a program on one machine have in common: elements that each of them reads and writes where they lie.
//
//   octavo::Segment<double> heat("heat", 1000);         // in each of them: opens it, or makes it, of zeros
//   octavo::Mutex mutex("heat");
//   { std::lock_guard lock(mutex);  heat[17] += 0.5; }  // locks, calls and messages say who comes after whom; a store alone does not
//   octavo::Segment<double> own(1000);                  // without a name:
//   object->fill(own);                                  // as an argument, a result or a message it is the same memory there
//   far->fill(heat.copy());                             // to another machine only a copy goes
//
// SEG-1  Whoever has a segment sees the same elements, at the price of its own memory. A new one is all zeros.
// SEG-2  The same name on the same machine is the same segment while anybody has it; of another type or size it is a usage_error.
// SEG-3  The memory lives while anybody has it: a Segment, a copy of one, or a message on its way. It goes with the last of them, also where that one was
//        killed, or the message is never read. The process that uses the name next makes a new one.
// SEG-4  A process that cannot map it, which is one of another machine or one that outlives the program (an object with a name), does not get it, but for
//        SEG-6: the call, its answer or the post fails with not_supported (the next post, where the reader was not known yet), and nothing is sent. But one
//        without a name that nobody else has, as copy() gives it, goes there with its elements where it is moved into a call, or returned.
// SEG-5  The death of one that has it, also in the midst of a store, takes nothing from the others. Of what it had locked they hear by lock_abandoned.
// SEG-6  One whose name begins with ov://home/ is between all programs of the user that have this home, on one machine, their objects and objects with names.
//        It lies in memory of its own, which the lasting agent makes and holds as SEG-3 says; if that agent is killed, a process that has it keeps it, and one
//        that opens it later has a new one. A process of another machine that it is sent to gets not_supported.
// Any other lies in the pool, so it takes of the Runtime's memory; a name may have 255 bytes, and there are 4096 at a time.
// Threading: a Segment as a std::shared_ptr; its elements as any memory: two threads that store to one, or one that stores and one that loads, need a lock, or
// std::atomic_ref. It belongs to the object, or Runtime, it was made in, or arrived at: an object on a thread has none for longer than it lives; after the
// Runtime the memory is still there, for this process alone.
// Failure: usage_error (see SEG-2; no elements, a name that is too long, made elsewhere), refused (it does not fit the pool, or the pool stays full for five
// seconds; bounds), not_supported (SEG-4), gone_error (the program ends).
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#include "octavo/message/detail/segment_memory.hpp"

namespace octavo {

template <class T>
class Segment : public detail::SegmentMemory {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_const_v<T>,
                "the elements of a Segment are numbers, or structs of numbers: memory that each process maps at an address of its own can hold no pointers, "
                "and nothing that has to be constructed or destroyed");

 public:
  using value_type = T;

  Segment() noexcept = default;
  explicit Segment(std::size_t elements) : SegmentMemory(detail::element_kind<T>(), elements) {}
  Segment(std::string name, std::size_t elements) : SegmentMemory(std::move(name), detail::element_kind<T>(), elements) {}

  [[nodiscard]] T* data() const noexcept { return static_cast<T*>(memory()); }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return data()[i]; }
  [[nodiscard]] T* begin() const noexcept { return data(); }
  [[nodiscard]] T* end() const noexcept { return data() + size(); }

  // A new one without a name, of the elements as they are now.
  [[nodiscard]] Segment copy() const {
    if (empty()) return {};
    Segment made(size());
    std::memcpy(made.memory(), memory(), size() * sizeof(T));
    return made;
  }

  void save(wire::Encoder& out) const { put(out); }
  void load(wire::Decoder& in) { get(in, sizeof(T)); }
};

}  // namespace octavo
