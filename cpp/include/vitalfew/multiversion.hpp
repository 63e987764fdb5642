// Functions marked VITALFEW_HOT are compiled twice on x86-64, for the baseline and for AVX2 + FMA, and
// chosen when the library is loaded. Put it on plain functions with the whole inner loop inside.
// (Not "arch=haswell": that is chosen on processors of this name alone, never on others with the same instructions.)
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && (defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define VITALFEW_HOT __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define VITALFEW_HOT
#endif
