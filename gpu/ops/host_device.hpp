#pragma once
// Marks an expression that the host compiler and nvcc both take: an element-wise operator is written once.

#ifdef __CUDACC__
#define HEADRACE_HOST_DEVICE __host__ __device__
#else
#define HEADRACE_HOST_DEVICE
#endif
