// Functions marked VITALFEW_HOT are compiled twice on x86-64, for the baseline and for AVX2 + FMA, and
// chosen when the library is loaded. Put it on plain functions with the whole inner loop inside.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && (defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define VITALFEW_HOT __attribute__((target_clones("default", "arch=haswell")))
#else
#define VITALFEW_HOT
#endif
