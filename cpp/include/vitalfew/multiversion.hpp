// Functions marked VITALFEW_HOT are compiled twice on x86-64, for the baseline and for AVX2 + FMA, and one version is chosen when
// the library is loaded. Use it on plain functions that contain the whole inner loop.
// (Not "arch=haswell": that is chosen only on processors of this name, not on others with the same instructions.)
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && (defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define VITALFEW_HOT __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define VITALFEW_HOT
#endif
