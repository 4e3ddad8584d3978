// SPDX-License-Identifier: Apache-2.0
// A named box that any thread, object or machine of a program posts to, and one process reads: the way of DECK (Avila et al.), with types. One whose name
// begins with ov://home/ is the same for all programs of this user on this machine, and for objects with names.
//
//   octavo::Mailbox<Result> results("results");       // in each of them, the same name and type
//   results.post({3, 0.5});                           // returns at once
//   Result next = results.retrieve();                 // waits; the first process to retrieve is its reader from then on
//   if (auto more = results.retrieve_for(2s)) use(*more);
//
// A box begins with the first post or the first retrieve, whichever comes first: what is posted before there is a reader waits where it was
// posted. Order: the messages of one thread arrive in the order in which it posted them. The value is moved where poster and reader are one
// process, else it travels as an argument does.
// Name: one that begins with ov://home/ the lasting agent of the program's machine knows (MB-1, MB-2, MB-3, MB-4, MB-5): the main process of any program, its
// objects, and objects with names post to it and read it. Any other name is the program's own; one that begins with
// ov:// otherwise is a usage_error.
// Bound: post waits while `messages` of its process, or `bytes`, lie unread; within this bound it does not wait for a busy reader. (It gives a reader that
// waits a moment to take large data from where they lie. The reader tells what it has taken by quarters of the bound, and where a post has no room left
// by what it knows, when asked: so a reader that has taken less than a quarter since, and now neither reads nor waits, may hold back as much of it.
// try_post gives it two milliseconds.) In a method, waiting serves callbacks only (C-3).
// Threading: any. A Mailbox is a name in the program or object that made it: copies are the same box, and it travels as an argument.
// Failure: refused (another process reads it), usage_error (another type, no name, no Runtime), process_died (once, from the post after the reader's death:
// what the reader had not read is lost, but for the pages of a post that waited for room: they are in their value again; the next post waits for a new reader),
// gone_error (the program ends), io_error (what came is no T), not_supported (in an object with a name, which outlives the program, with a name of the
// program). When destroy() of the reader has returned, this process's next post is that one: it sends nothing, and its value stays. A reader dies with its
// program, and an object with a name when it is put to rest: its next life reads when it retrieves. It does not rest of itself while something lies unread
// there, nor while something that it has posted waits for a reader. What waits for a reader where it was posted ends with that process; what the reader has not
// got yet leaves first: an end waits as long as the reader takes some of it, and logs that it is lost when nothing was taken for 5 s.
#pragma once

#include <chrono>
#include <concepts>
#include <optional>
#include <string>

#include "octavo/message/detail/mailbox_endpoint.hpp"

namespace octavo {

using MailboxBound = detail::Bound;

template <class T>
class Mailbox {
 public:
  Mailbox() = default;
  explicit Mailbox(std::string name, MailboxBound bound = {}) : name_(std::move(name)), bound_(bound) { open(); }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  void post(T&& value) const { endpoint().post(value, true); }
  // The value stays with the poster: it is sent from where it lies, and copied only if the reader is in this process, or not known yet.
  void post(const T& value) const requires std::copy_constructible<T> { endpoint().post(value, true); }
  // False, and the value is as it was, where post would wait.
  [[nodiscard]] bool try_post(T& value) const { return endpoint().post(value, false); }
  // The same where it would wait longer.
  template <class Rep, class Period>
  [[nodiscard]] bool post_for(T& value, std::chrono::duration<Rep, Period> time) const {
    return endpoint().post(value, true, detail::deadline_after(time));
  }

  [[nodiscard]] T retrieve() const {
    T value{};
    retrieve(value);
    return value;
  }
  // The same into a value that is there: its memory is used again.
  void retrieve(T& into) const { as_reader().take(into, detail::forever()); }
  template <class Rep, class Period>
  [[nodiscard]] std::optional<T> retrieve_for(std::chrono::duration<Rep, Period> time) const {
    std::optional<T> value(std::in_place);
    if (!as_reader().take(*value, detail::deadline_after(time))) value.reset();
    return value;
  }
  [[nodiscard]] std::optional<T> try_retrieve() const { return retrieve_for(std::chrono::seconds(0)); }

  template <class Archive>
  void save(Archive& archive) const {
    archive(name_, bound_.messages, bound_.bytes);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(name_, bound_.messages, bound_.bytes);
    open();
  }

 private:
  using Endpoint = detail::MailboxEndpoint<T>;
  template <class... Others>
  friend std::optional<std::size_t> select_until(std::chrono::steady_clock::time_point deadline, const Mailbox<Others>&... boxes);

  void open() {
    const std::string type(detail::type_name<T>());
    const auto make = [&] { return std::make_shared<Endpoint>(name_, type, bound_); };
    endpoint_ = std::static_pointer_cast<Endpoint>(detail::mailbox_endpoint(name_, type, make));
  }
  Endpoint& endpoint() const {
    if (!endpoint_) detail::mailbox_endpoint({}, {}, {});  // says what is wrong
    return *endpoint_;
  }
  Endpoint& as_reader() const {
    endpoint().own();
    return *endpoint_;
  }

  std::string name_;
  MailboxBound bound_;
  std::shared_ptr<Endpoint> endpoint_;
};

}  // namespace octavo
