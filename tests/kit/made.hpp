// SPDX-License-Identifier: Apache-2.0
// A value whose save() gives the archive what may be gone when it returns, in every way that users write it.
#pragma once

#include <array>
#include <cereal/types/list.hpp>
#include <cereal/types/map.hpp>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "octavo/wire/archive.hpp"

namespace octavo::kit {

// The numbers that a value of this seed has.
inline std::vector<double> numbers_of(std::uint32_t seed, std::uint32_t count) {
  std::vector<double> all(count);
  for (std::uint32_t i = 0; i < count; ++i) all[i] = seed * 1e6 + i;
  return all;
}
inline std::string text_of(const std::vector<double>& values) { return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)}; }
inline std::vector<double> values_of(const std::string& text) {
  std::vector<double> values(text.size() / sizeof(double));
  text.copy(reinterpret_cast<char*>(values.data()), text.size());
  return values;
}

// Two conventions of cereal, each of which makes what it archives.
struct ListAsVector {
  std::list<double> values;
  template <class A>
  void save(A& a) const {
    a(std::vector<double>(values.begin(), values.end()));
  }
  template <class A>
  void load(A& a) {
    std::vector<double> all;
    a(all);
    values.assign(all.begin(), all.end());
  }
};
struct AsText {
  std::list<double> values;
  template <class A>
  [[nodiscard]] std::string save_minimal(const A& /*archive*/) const {
    return text_of({values.begin(), values.end()});
  }
  template <class A>
  void load_minimal(const A& /*archive*/, const std::string& text) {
    const auto all = values_of(text);
    values.assign(all.begin(), all.end());
  }
};

class Made {
 public:
  enum way : std::uint8_t {
    member,
    temporary,
    local,
    temporary_text,
    local_text,
    nested_temporary,
    map_on_the_spot,
    raw_local,
    pair_of_locals,
    named_value,
    own_class,
    list_of_own,
    minimal,
    pointed_to,
    array_inside,
    ways
  };
  struct What {
    way how = member;
    std::uint32_t seed = 0, count = 0;
  };
  // Around the sizes at which bulk leaves the body, and of several times the ring.
  static What any(std::mt19937& random) {
    constexpr std::array<std::uint32_t, 4> around{0, 512, 32768, 40000};
    const auto near = around[random() % around.size()];
    const auto some = [&random](unsigned below) { return static_cast<std::uint32_t>(random() % below); };
    return {static_cast<way>(some(ways)), some(1000), near == 0 ? some(4) : near - 1 + some(3)};
  }

  Made() = default;
  explicit Made(const What& what) : what_(what), values_(numbers_of(what.seed, what.count)) { inside_.fill(what.seed); }
  // What came is what was meant.
  [[nodiscard]] bool right() const {
    return values_ == numbers_of(what_.seed, what_.count) && (what_.how != array_inside || inside_.front() + inside_.back() == 2.0 * what_.seed);
  }
  [[nodiscard]] const What& what() const { return what_; }

  template <class A>
  void save(A& a) const {
    a(what_.how, what_.seed, what_.count);
    switch (what_.how) {
      case temporary: return put(a, std::vector<double>(values_));
      case local: return put_local(a, std::vector<double>(values_));
      case temporary_text: return put(a, text_of(values_));
      case local_text: return put_local(a, text_of(values_));
      case nested_temporary: return put(a, std::vector<std::vector<double>>{values_, values_});
      case map_on_the_spot: return put(a, std::map<int, std::vector<double>>{{1, values_}, {2, values_}});
      case raw_local: {
        const auto copy = values_;
        return put(a, cereal::binary_data(copy.data(), copy.size() * sizeof(double)));
      }
      case pair_of_locals: return put_local(a, std::pair(values_, text_of(values_)));
      case named_value: return put(a, cereal::make_nvp("values", std::vector<double>(values_)));
      case own_class: return put(a, ListAsVector{{values_.begin(), values_.end()}});
      case list_of_own: return put(a, std::list<ListAsVector>(2, ListAsVector{{values_.begin(), values_.end()}}));
      case minimal: return put(a, AsText{{values_.begin(), values_.end()}});
      case pointed_to: return put(a, *std::make_unique<std::vector<double>>(values_));
      case array_inside: return a(inside_, values_), void();
      case member:
      case ways: return put(a, values_);
    }
  }
  template <class A>
  void load(A& a) {
    a(what_.how, what_.seed, what_.count);
    values_.assign(what_.count, 0);
    switch (what_.how) {
      case temporary_text:
      case local_text: return take<std::string>(a, [](const auto& all) { return values_of(all); });
      case nested_temporary: return take<std::vector<std::vector<double>>>(a, [](const auto& all) { return same(all.at(0), all.at(1)); });
      case map_on_the_spot: return take<std::map<int, std::vector<double>>>(a, [](const auto& all) { return same(all.at(1), all.at(2)); });
      case raw_local: return put(a, cereal::binary_data(values_.data(), values_.size() * sizeof(double)));
      case pair_of_locals: return take<std::pair<std::vector<double>, std::string>>(a, [](const auto& all) { return same(all.first, values_of(all.second)); });
      case own_class: return take<ListAsVector>(a, [](const auto& all) { return from(all); });
      case list_of_own: return take<std::list<ListAsVector>>(a, [](const auto& all) { return same(from(all.front()), from(all.back())); });
      case minimal: return take<AsText>(a, [](const auto& all) { return from(all); });
      case array_inside: return a(inside_, values_), void();
      default: return put(a, values_);
    }
  }

 private:
  template <class A, class T>
  static void put(A& a, T&& value) {
    a(std::forward<T>(value));
  }
  template <class A, class T>
  static void put_local(A& a, T value) {
    a(value);
  }
  template <class T, class A, class Read>
  void take(A& a, Read read) {
    T all;
    a(all);
    values_ = read(all);
  }
  template <class Own>
  static std::vector<double> from(const Own& own) {
    return {own.values.begin(), own.values.end()};
  }
  static std::vector<double> same(std::vector<double> one, const std::vector<double>& other) { return one == other ? std::move(one) : std::vector<double>{-1}; }

  What what_;
  std::vector<double> values_;
  std::array<double, 600> inside_{};
};

}  // namespace octavo::kit
