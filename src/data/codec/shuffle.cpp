// SPDX-License-Identifier: Apache-2.0
// The filter shuffle of HDF5 and numcodecs: the first bytes of all elements, then the second ones, and so on, and as they are those that are no whole element.
// It makes nothing fewer; what comes behind it does so better.
#include <cstring>

#include "data/codec/known.hpp"

namespace octavo {

namespace {

constexpr int largest_shuffled = 255, usual_shuffled = 4;  // bytes of an element

// `Bytes`: of an element, 0 where only `bytes` says it: a loop of known length is unrolled.
template <std::size_t Bytes>
void gather(const std::byte* from, std::byte* to, std::size_t count, std::size_t bytes) {
  const std::size_t each = Bytes > 0 ? Bytes : bytes;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < each; ++j) to[i * each + j] = from[j * count + i];
}

template <std::size_t Bytes>
void scatter(const std::byte* from, std::byte* to, std::size_t count, std::size_t bytes) {
  const std::size_t each = Bytes > 0 ? Bytes : bytes;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < each; ++j) to[j * count + i] = from[i * each + j];
}

class Shuffle : public Codec {
 public:
  explicit Shuffle(std::size_t bytes) : bytes_(bytes) {}
  [[nodiscard]] std::size_t most_encoded(std::size_t bytes) const override { return bytes; }
  [[nodiscard]] std::size_t working_bytes(std::size_t /*bytes*/) const override { return 0; }
  [[nodiscard]] bool keeps_length() const override { return true; }

  std::size_t encode(std::span<const std::byte> from, std::span<std::byte> to) override {
    const std::size_t count = from.size() / bytes_;
    copy_rest(from, to);
    if (bytes_ == 4) scatter<4>(from.data(), to.data(), count, 4);
    else if (bytes_ == 8) scatter<8>(from.data(), to.data(), count, 8);
    else scatter<0>(from.data(), to.data(), count, bytes_);
    return from.size();
  }

  void decode(std::span<const std::byte> from, std::span<std::byte> to) override {
    check_length(from.size(), to.size());
    const std::size_t count = to.size() / bytes_;
    copy_rest(from, to);
    if (bytes_ == 4) gather<4>(from.data(), to.data(), count, 4);
    else if (bytes_ == 8) gather<8>(from.data(), to.data(), count, 8);
    else gather<0>(from.data(), to.data(), count, bytes_);
  }

 private:
  void copy_rest(std::span<const std::byte> from, std::span<std::byte> to) const {
    const std::size_t rest = from.size() % bytes_;
    if (rest > 0) std::memcpy(to.data() + from.size() - rest, from.data() + from.size() - rest, rest);
  }
  std::size_t bytes_;  // of an element
};

}  // namespace

std::unique_ptr<Codec> make_shuffle(const CodecConfiguration& given) {
  return std::make_unique<Shuffle>(static_cast<std::size_t>(given.number("elementsize", 1, largest_shuffled, usual_shuffled)));
}

}  // namespace octavo
