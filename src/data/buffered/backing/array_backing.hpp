// SPDX-License-Identifier: Apache-2.0
// An array of devices: their processes read and write it, so compressed chunks too have one owner.
#pragma once

#include "octavo/data/array.hpp"
#include "octavo/data/buffered/detail/backing.hpp"

namespace octavo::detail {

class ArrayBacking : public Backing {
 public:
  ArrayBacking(Array array, dtype type, std::string name) : array_(std::move(array)), type_(type), name_(std::move(name)) {}
  std::unique_ptr<Moving> start(const BlockMove& move, const Shape& tile) override;
  void flush() override { array_.flush(); }
  [[nodiscard]] const std::string& name() const override { return name_; }

 private:
  void read(const BlockMove& move, const Shape& tile) const;
  void write(const BlockMove& move, const Shape& tile) const;
  Array array_;
  dtype type_;
  std::string name_;
};

}  // namespace octavo::detail
