// SPDX-License-Identifier: Apache-2.0
// The items of a call to a stage's worker, or what came of them. One that cannot be encoded, or not be made again where it arrives, leaves those before it.
//
//   Before<Image> before;
//   Row<Image> row(std::move(images), &before);
//   start<&Hosted::run>(worker, std::move(row));   // throws what an Image's serialize threw: those before it are in `before`
//   for (Image& each : row.items) ...                                      // at the other side: those that could be made; then
//   if (row.error) std::rethrow_exception(row.error);
//
// It travels as the vector of its items does. Threading: of one thread at a time.
#pragma once

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "octavo/process/errors.hpp"
#include "octavo/wire/archive.hpp"

namespace octavo::stream {

// What stays of a row of which one could not be encoded.
template <class T>
struct Before {
  bool failed = false;
  std::vector<T> items = {};
};

// Types of which no function of a user's is called to encode them or to make them, and that give nothing away when they are encoded.
template <class T>
inline constexpr bool is_only_data = std::is_arithmetic_v<T> || wire::flat<T, wire::Encoder>;
template <class C, class T, class A>
inline constexpr bool is_only_data<std::basic_string<C, T, A>> = true;
template <class T, class A>
inline constexpr bool is_only_data<std::vector<T, A>> = is_only_data<T>;

// All of `from` goes on in the frame that `to` fills. What it borrows is borrowed.
void append(wire::Encoder& to, wire::Outgoing& from);
// It will not leave: its pages are the message's.
[[nodiscard]] wire::Message take_back(wire::Outgoing& from);

template <class T>
class Row {
 public:
  Row() = default;
  explicit Row(std::exception_ptr of_the_first) : error(std::move(of_the_first)) {}
  Row(std::vector<T> all, Before<T>* before) : items(std::move(all)), before_(before) {}
  // Mutable: what is encoded may be given away, and what was given away comes back.
  mutable std::vector<T> items;
  std::exception_ptr error;  // of the item behind these

  void leaves(Before<T>* before) noexcept { before_ = before; }
  void save(wire::Encoder& archive) const {
    if constexpr (is_only_data<T>) archive(items);
    else {
      archive(cereal::make_size_tag(static_cast<cereal::size_type>(items.size())));
      if (!archive.giving || items.size() == 1) return save_each(archive, [] {});
      frame_ = std::make_shared<wire::Outgoing>();
      frame_->shares = archive.shares();
      wire::Encoder encoder(*frame_);
      encoder.giving = true;
      save_each(encoder, [&] {
        wire::Message message = take_back(*frame_);
        wire::Decoder in(message);
        load_each(in, items.size());
      });
      append(archive, *frame_);
    }
  }
  void load(wire::Decoder& archive) {
    if constexpr (is_only_data<T>) archive(items);
    else {
      cereal::size_type count = 0;
      archive(cereal::make_size_tag(count));
      error = load_each(archive, static_cast<std::size_t>(count));
    }
  }

 private:
  // take_back(): of the items before the one that failed, which are `items` then.
  template <class TakeBack>
  void save_each(wire::Encoder& archive, TakeBack&& take_back) const {
    std::size_t good = 0;
    try {
      for (; good < items.size(); ++good) archive(items[good]);
    } catch (...) {
      if (before_ != nullptr) {
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(good), items.end());
        take_back();
        *before_ = {true, std::move(items)};
      }
      throw;
    }
  }
  std::exception_ptr load_each(wire::Decoder& archive, std::size_t count) const {
    items.clear();
    items.reserve(std::min(count, archive.left() / sizeof(T)));
    try {
      for (; count != 0; --count) {
        T item{};
        archive(item);
        items.push_back(std::move(item));
      }
    } catch (const process_died&) {  // before all had come
      throw;
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }

  Before<T>* before_ = nullptr;
  mutable std::shared_ptr<wire::Outgoing> frame_;  // has what is borrowed
};

}  // namespace octavo::stream

// Its items are in it, wherever they lie.
template <class T>
inline constexpr bool octavo::wire::owns_what_it_saves<octavo::stream::Row<T>> = true;
