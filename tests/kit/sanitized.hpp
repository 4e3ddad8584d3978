// SPDX-License-Identifier: Apache-2.0
// What a test cannot do under a sanitizer:
//
//   if (octavo::kit::thread_sanitized) GTEST_SKIP() << octavo::kit::forks_no_threads;
#pragma once

namespace octavo::kit {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool thread_sanitized = true;
#else
inline constexpr bool thread_sanitized = false;
#endif
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool address_sanitized = true;
#else
inline constexpr bool address_sanitized = false;
#endif
inline constexpr const char* needs_descriptors = "the sanitizer looks through a pipe whether an object is there, and there are no descriptors for one";
inline constexpr const char* forks_no_threads =
    "in a process that a program with threads forked off, ThreadSanitizer takes a new thread for one of the parent's";
inline constexpr const char* one_thread = "the model runs in one thread and in memory of its own, where sanitizers find nothing, and takes minutes for it";

}  // namespace octavo::kit
