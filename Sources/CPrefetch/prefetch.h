#pragma once

// Has the machine fetch a line of memory without waiting for it, which Swift has no word for. Any address will do.
static inline void prefetch(const void *address) { __builtin_prefetch(address); }
