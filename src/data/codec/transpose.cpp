// SPDX-License-Identifier: Apache-2.0
// The codec transpose of Zarr v3: the elements of a chunk with its axes in another order (https://zarr-specs.readthedocs.io/en/latest/v3/codecs/transpose).
// It makes nothing fewer. Beside the order it is told what it moves: the shape of the chunk, and the bytes of an element.
#include "data/codec/known.hpp"
#include "data/permute.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr int largest_transposed = 16;                                 // bytes of an element
constexpr std::int64_t most_transposed_bytes = std::int64_t{1} << 62;  // of a chunk

class Transpose : public Codec {
 public:
  Transpose(const Shape& shape, const Shape& order, std::int64_t element)
      : shape_(shape), element_(element), bytes_(static_cast<std::size_t>(shape.count() * element)), plain_(dense_byte_strides(shape, element)) {
    // Of each axis of the chunk, where it stands in the file.
    turned_ = permuted(dense_byte_strides(permuted(shape, order), element), inverse(order));
  }

  [[nodiscard]] std::size_t most_encoded(std::size_t bytes) const override { return bytes; }
  [[nodiscard]] std::size_t working_bytes(std::size_t /*bytes*/) const override { return 0; }
  [[nodiscard]] bool keeps_length() const override { return true; }

  std::size_t encode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (from.size() != bytes_) throw usage_error("transposing " + std::to_string(from.size()) + " bytes as " + shape_.text() + " elements");
    copy_strided(to.data(), turned_, from.data(), plain_, shape_, element_);
    return bytes_;
  }

  void decode(std::span<const std::byte> from, std::span<std::byte> to) override {
    check_length(from.size(), bytes_);
    check_length(from.size(), to.size());
    copy_strided(to.data(), plain_, from.data(), turned_, shape_, element_);
  }

 private:
  Shape shape_;
  std::int64_t element_;
  std::size_t bytes_;
  Shape plain_, turned_;  // strides in bytes
};

// A chunk whose bytes can be counted.
void check_extents(const CodecConfiguration& given, const Shape& shape, std::int64_t element) {
  std::int64_t bytes = element;
  for (auto extent : shape) {
    if (extent < 1 || extent > most_transposed_bytes / bytes) throw usage_error("the shape " + shape.text() + " of the codec '" + given.name() + "'");
    bytes *= extent;
  }
}

}  // namespace

std::unique_ptr<Codec> make_transpose(const CodecConfiguration& given) {
  const Shape order = given.numbers("order"), shape = given.numbers("shape");
  const int element = given.number("elementsize", 1, largest_transposed, 1);
  check_extents(given, shape, element);
  check_order(order, shape.size());
  return std::make_unique<Transpose>(shape, order, element);
}

}  // namespace octavo
