#pragma once

// The instruction sets that kernels are compiled for, before <hwy/foreach_target.h>: the baseline, AVX2 and AVX-512.
// Those between would add compile time for processors of before 2013. Some builds leave out more (CMakeLists.txt).
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | STRETTO_DISABLED_TARGETS)

// Before a loop: an output may be the very same array as an input, but no iteration depends on another.
#if defined(__clang__)
#define STRETTO_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#else
#define STRETTO_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif
