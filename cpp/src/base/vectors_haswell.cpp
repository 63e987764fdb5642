// The vector loops compiled with -mavx2 -mfma (see CMakeLists.txt); called only if the processor has both.
#if defined(__AVX2__) && defined(__FMA__)
#define VITALFEW_TARGET haswell
#include "base/vectors_loops.hpp"
#endif
