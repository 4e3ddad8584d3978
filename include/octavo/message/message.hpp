// SPDX-License-Identifier: Apache-2.0
// A message whose parts are known to those who write and read it only: packed in one order, unpacked in the same.
//
//   octavo::Message message;
//   message.pack(3, std::string("rows"), std::vector<double>(1000));
//   box.post(std::move(message));                            // Mailbox<octavo::Message>
//   auto [count, what, rows] = box.retrieve().unpack<int, std::string, std::vector<double>>();
//
// Anything that can be an argument of a call can be packed, but for pages. Each value says its type: unpacking another one throws usage_error
// which names both, and so does unpacking more than was packed. Threading: a value. Moving it copies nothing.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "octavo/process/detail/method.hpp"
#include "octavo/wire/archive.hpp"

namespace octavo {

class Message {
 public:
  template <class... T>
  Message& pack(const T&... values) {
    (pack_one(detail::type_name<T>(), [&](wire::Encoder& out) { out(values); }), ...);
    return *this;
  }
  // The next values, in the order in which they were packed.
  template <class... T>
  std::tuple<T...> unpack() {
    return std::tuple<T...>{unpack_one<T>()...};
  }
  // Unpacked from its beginning again.
  void rewind() noexcept { next_ = 0; }
  void clear() noexcept {
    parts_.clear();
    next_ = 0;
  }
  [[nodiscard]] std::size_t left() const noexcept { return parts_.size() - next_; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(parts_);
    next_ = 0;
  }

 private:
  struct Part {
    std::uint64_t type = 0;  // the hash of its name
    std::string name;        // where it is short
    std::vector<std::byte> body;
    std::vector<std::vector<std::byte>> bulk;
    template <class Archive>
    void serialize(Archive& archive) {
      archive(type, name, body, bulk);
    }
  };
  template <class T>
  T unpack_one() {
    wire::Message from = open_next(detail::type_name<T>());
    wire::Decoder in(from);
    T value{};
    in(value);
    return value;
  }
  void pack_one(std::string_view type, const std::function<void(wire::Encoder&)>& encode);
  wire::Message open_next(std::string_view type);

  std::vector<Part> parts_;
  std::size_t next_ = 0;
};

}  // namespace octavo
