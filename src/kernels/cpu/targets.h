#pragma once

// The instruction sets that kernels are compiled for, before <hwy/foreach_target.h>: the baseline, AVX2 and AVX-512.
// Those between would add compile time for processors of before 2013.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
