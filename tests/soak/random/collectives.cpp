// SPDX-License-Identifier: Apache-2.0
// Random collectives: all members draw the same ones, and each knows what it is to get.
#include <functional>
#include <numeric>
#include <random>

#include "random/worker.hpp"

namespace soak {

namespace {

using Me = ov::member<Worker>;

void reduces(const Me& me, std::uint64_t x) {
  const std::uint64_t n = me.size();
  expect("all_reduce", me.all_reduce(x * (me.index() + 1), std::plus<>()), x * (n * (n + 1) / 2));
  const std::size_t root = x % n;
  const auto joined = me.reduce(std::string(1, static_cast<char>('a' + me.index())), std::plus<>(), root);  // not commutative
  std::string expected;
  for (std::uint64_t i = 0; i < n; ++i) expected += static_cast<char>('a' + i);
  if (joined.has_value() != (me.index() == root) || joined.value_or(expected) != expected) throw wrong("reduce gave '" + joined.value_or("nothing") + "'");
}

void reduces_many(const Me& me, std::uint64_t x) {
  const std::uint64_t n = me.size();
  Words values(x % 50'000 + 1);
  std::iota(values.begin(), values.end(), me.index());
  me.all_reduce(std::span(values), std::plus<>());
  for (std::uint64_t i = 0; i < values.size(); ++i) expect("all_reduce of many, element " + std::to_string(i), values[i], n * i + n * (n - 1) / 2);
}

void spreads(const Me& me, std::uint64_t x) {
  const std::size_t root = x % me.size();
  expect("broadcast", me.broadcast(me.index() == root ? x : 0, root), x);
  Words parts;
  if (me.index() == root)
    for (std::uint64_t i = 0; i < me.size(); ++i) parts.push_back(mix(x + i));
  expect("scatter", me.scatter(parts, root), mix(x + me.index()));
}

void gathers(const Me& me, std::uint64_t x) {
  const std::size_t root = x % me.size();
  const auto at_root = me.gather(mix(x ^ me.index()), root);
  const auto everywhere = me.all_gather(mix(x ^ me.index()));
  expect("how many gather gave", at_root.size(), me.index() == root ? me.size() : 0);
  expect("how many all_gather gave", everywhere.size(), me.size());
  for (std::uint64_t i = 0; i < everywhere.size(); ++i) {
    expect("all_gather", everywhere[i], mix(x ^ i));
    if (!at_root.empty()) expect("gather", at_root[i], mix(x ^ i));
  }
}

void scans(const Me& me, std::uint64_t x) {
  const std::uint64_t n = me.size(), i = me.index();
  expect("scan", me.scan(x + i, std::plus<>()), (i + 1) * x + i * (i + 1) / 2);
  std::string before;
  for (std::uint64_t each = 0; each < i; ++each) before += static_cast<char>('a' + each);
  const auto joined = me.exclusive_scan(std::string(1, static_cast<char>('a' + i)), "init", std::plus<>());
  if (joined != "init" + before) throw wrong("exclusive_scan gave '" + joined + "'");
  Words many(x % 50'000 + 1, i);
  many = me.scan(std::move(many), std::plus<>());
  for (auto each : many) expect("scan of many", each, i * (i + 1) / 2);
  std::vector<Words> given;
  for (std::uint64_t to = 0; to < n; ++to) given.emplace_back(mix(x ^ i ^ to << 8) % 30'000, mix(i ^ to << 8));
  const auto came = me.all_to_all(given);
  expect("how many all_to_all gave", came.size(), n);
  for (std::uint64_t from = 0; from < n; ++from)
    if (came[from] != Words(mix(x ^ from ^ i << 8) % 30'000, mix(from ^ i << 8))) throw wrong("all_to_all gave something else from " + std::to_string(from));
}

void splits(const Me& me, std::uint64_t x) {
  const std::uint64_t colour = me.index() % 2;
  const auto part = me.split(static_cast<std::int64_t>(colour));
  expect("the size of a part", part.size(), (me.size() + 1 - colour) / 2);
  expect("all_reduce in a part", part.all_reduce(x, std::plus<>()), x * part.size());
  part.barrier();
}

}  // namespace

std::uint64_t Worker::collectives(std::uint64_t seed, std::uint64_t rounds) const {
  const auto me = ov::self<Worker>();
  std::mt19937_64 random(seed);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    const std::uint64_t what = random(), x = random() % 1'000'000;
    sum += x;
    switch (what % 7) {
      case 0: reduces(me, x); break;
      case 1: reduces_many(me, x); break;
      case 2: spreads(me, x); break;
      case 3: gathers(me, x); break;
      case 4: splits(me, x); break;
      case 5: scans(me, x); break;
      default: me.barrier();
    }
  }
  return sum;
}

std::uint64_t collectives_give(std::uint64_t seed, std::uint64_t rounds) {
  std::mt19937_64 random(seed);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    random();
    sum += random() % 1'000'000;
  }
  return sum;
}

}  // namespace soak
