// SPDX-License-Identifier: Apache-2.0
// The few small things that g++ 12 and up call of libstdc++ newer than GLIBCXX_3.4.24, made of what the old library has. Larger ones (std::filesystem, ...)
// sysroot.py takes from the compiler's own libstdc++.a. Here are those whose object files there would bring a second copy of the library's state.
#include <exception>
#include <new>
#include <stdexcept>

namespace {
// What the old library exports, by its mangled name: the headers of today have these inline.
extern "C" void octavo_copy_exception_ptr(void*, const void*) asm("_ZNSt15__exception_ptr13exception_ptrC1ERKS0_");
extern "C" void octavo_drop_exception_ptr(void*) asm("_ZNSt15__exception_ptr13exception_ptrD1Ev");
extern "C" void octavo_copy_logic_error(void*, const void*) asm("_ZNSt11logic_errorC1ERKS_");
extern "C" void octavo_copy_runtime_error(void*, const void*) asm("_ZNSt13runtime_errorC1ERKS_");
}  // namespace

extern "C" {
// exception_ptr::_M_addref: a copy that is never destroyed has counted one up. _M_release: a destructor counts one down.
void octavo_addref(void* self) asm("_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv");
void octavo_addref(void* self) {
  void* copy = nullptr;
  octavo_copy_exception_ptr(&copy, self);
}
void octavo_release(void* self) asm("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
void octavo_release(void* self) { octavo_drop_exception_ptr(self); }

// To move an error is to copy it: its text is counted.
void octavo_move_logic(void* self, void* other) asm("_ZNSt11logic_errorC2EOS_");
void octavo_move_logic(void* self, void* other) { octavo_copy_logic_error(self, other); }
void octavo_move_logic_1(void* self, void* other) asm("_ZNSt11logic_errorC1EOS_");
void octavo_move_logic_1(void* self, void* other) { octavo_copy_logic_error(self, other); }
void octavo_move_runtime(void* self, void* other) asm("_ZNSt13runtime_errorC2EOS_");
void octavo_move_runtime(void* self, void* other) { octavo_copy_runtime_error(self, other); }
void octavo_move_runtime_1(void* self, void* other) asm("_ZNSt13runtime_errorC1EOS_");
void octavo_move_runtime_1(void* self, void* other) { octavo_copy_runtime_error(self, other); }
}

namespace std {
void __throw_bad_array_new_length() { throw bad_array_new_length(); }
}  // namespace std
