// SPDX-License-Identifier: Apache-2.0
// A function in another process: f(args...) run there, without any class.
//
//   double area(double r);
//   double a = octavo::call(machine1, area, 2.0);                            // waits
//   octavo::future<double> f = octavo::start(octavo::process, area, 3.0);    // at once
//   auto worker = machine1.make<octavo::Worker>();                           // for one call after the other
//   octavo::start(worker, [](std::vector<double> v) { return v.size(); }, data);
//   octavo::start(worker, Scale{2.5}, data);                                 // a functor whose fields travel, or with serialize(Archive&)
//
// On a place (octavo::thread, octavo::process, a machine, beside(p)) a worker is made for the call and ended with it, whether it returns, throws, is
// dropped or cancelled. That costs the making of a process each time: for many calls keep a worker, or a Service (service.hpp).
// f is a function of the program or of one of its libraries, a lambda without captures, or a functor that travels. A lambda with captures is
// refused at compile time: pass the values as arguments. Arguments, results, exceptions and death are as for methods (C-1 to C-6, C-12: f may
// be a coroutine or return a future); a worker runs one call at a time, a Service (service.hpp) several.
// Errors: usage_error where the worker's process is of another build.
#pragma once

#include "octavo/process/detail/code.hpp"
#include "octavo/process/detail/one_shot_worker.hpp"

namespace octavo {

namespace detail {

// The extension function of Worker that makes the call there.
template <class R, class... P>
R run_at(Worker&, const Code& code, P... arguments) {
  return reinterpret_cast<R (*)(P...)>(const_cast<void*>(code_at(code)))(std::forward<P>(arguments)...);
}
// The same where the worker ends with the call: a function that answers later is waited for there.
template <class R, class... P>
auto run_to_the_end(Worker& worker, const Code& code, P... arguments) {
  return run_at<R, P...>(worker, code, std::forward<P>(arguments)...).get();
}
// A functor becomes a function: made anew where it has no state, else an argument as the others. (It lives as long as they do: a coroutine needs it.)
template <class F, class R, class... P>
R call_new(P... arguments) {
  return F{}(std::forward<P>(arguments)...);
}
template <class F, class R, class... P>
R call_sent(F&& functor, P... arguments) {
  return functor(std::forward<P>(arguments)...);
}

// Of f: the function that is called there, and what it takes.
template <class R, class... P>
struct Callee {
  static constexpr auto* runner = &run_at<R, P...>;
  static constexpr auto* last_runner() {
    if constexpr (is_future<std::remove_cvref_t<R>>::value) return &run_to_the_end<R, P...>;
    else return runner;
  }
  using value = typename signature<runner>::value;
  static Code code(R (*function)(P...)) { return code_of(reinterpret_cast<const void*>(function)); }
};

template <class F>
concept stateless = std::is_empty_v<F> && std::is_default_constructible_v<F>;
template <class F>
concept one_operator = requires {
  typename signature_of<decltype(&F::operator())>::result;
};

template <class F, class R, class... P>
struct FunctorCall : std::conditional_t<stateless<F>, Callee<R, P...>, Callee<R, F&&, P...>> {
  static Code code() {
    if constexpr (stateless<F>) return Callee<R, P...>::code(&call_new<F, R, P...>);
    else return Callee<R, F&&, P...>::code(&call_sent<F, R, P...>);
  }
};
template <class F, class R>
struct FunctorOf {
  template <class... P>
  using With = FunctorCall<F, R, P...>;
};

// F: decayed; A: the arguments, for functors that do not say what they take.
template <class F, class... A>
struct FunctionCall : FunctorCall<F, std::invoke_result_t<F&, std::decay_t<A>...>, std::decay_t<A>...> {};
template <class F, class... A>
  requires one_operator<F>
struct FunctionCall<F, A...>
    : signature_of<decltype(&F::operator())>::template parameters<FunctorOf<F, typename signature_of<decltype(&F::operator())>::result>::template With> {
};
template <class R, class... P, class... A>
struct FunctionCall<R (*)(P...), A...> : Callee<R, P...> {};
template <class R, class... P, class... A>
struct FunctionCall<R (*)(P...) noexcept, A...> : Callee<R, P...> {};

template <class F>
inline constexpr bool is_function = std::is_pointer_v<F>&& std::is_function_v<std::remove_pointer_t<F>>;

// Whether f can be named there; the reason why not is a message for people.
template <class F>
constexpr bool can_be_sent() {
  constexpr bool is_method = std::is_member_pointer_v<F>;
  static_assert(!is_method, "a method is called through a remote pointer to its object: octavo::start<&Class::method>(p, ...)");
  constexpr bool has_place = is_method || is_function<F> || stateless<F> || wire::travels<F>;
  static_assert(has_place,
                "this function has a state that cannot travel, as a lambda with captures has: pass the values as arguments instead, "
                "or write a functor with serialize(Archive&)");
  return !is_method && has_place;
}

template <class Mode, class Call>
constexpr auto* runner_for() {
  if constexpr (requires { requires Mode::to_the_end; }) return Call::last_runner();
  else return Call::runner;
}

// Mode: Waiting, Starting, or what else has invoke.
template <class Mode, class Given, class... A>
auto call_function(const Mode& mode, const Address& worker, Given&& given, A&&... arguments) {
  using F = std::decay_t<Given>;
  if constexpr (can_be_sent<F>()) {
    using Call = FunctionCall<F, A...>;
    constexpr auto* runner = runner_for<Mode, Call>();
    if constexpr (is_function<F>) return mode.template invoke<runner>(worker, Call::code(given), std::forward<A>(arguments)...);
    else if constexpr (stateless<F>) return mode.template invoke<runner>(worker, Call::code(), std::forward<A>(arguments)...);
    else return mode.template invoke<runner>(worker, Call::code(), F(std::forward<Given>(given)), std::forward<A>(arguments)...);
  }
}

}  // namespace detail

template <class F, class... A>
auto call(const Place& place, F&& f, A&&... arguments) {
  return detail::call_function(detail::OneShotWaiting{place.placement()}, Address(), std::forward<F>(f), std::forward<A>(arguments)...);
}
template <class F, class... A>
auto start(const Place& place, F&& f, A&&... arguments) {
  return detail::call_function(detail::OneShotStarting{place.placement()}, Address(), std::forward<F>(f), std::forward<A>(arguments)...);
}

template <class F, class... A>
auto call(const remote_ptr<Worker>& worker, F&& f, A&&... arguments) {
  return detail::call_function(Waiting(), worker.address(), std::forward<F>(f), std::forward<A>(arguments)...);
}
template <class F, class... A>
auto start(const remote_ptr<Worker>& worker, F&& f, A&&... arguments) {
  return detail::call_function(Starting(), worker.address(), std::forward<F>(f), std::forward<A>(arguments)...);
}

}  // namespace octavo
