#pragma once

// Prefetches a cache line without waiting for it, which Swift itself cannot do. Any address is allowed.
static inline void prefetch(const void *address) { __builtin_prefetch(address); }
