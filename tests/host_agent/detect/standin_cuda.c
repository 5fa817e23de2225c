// What the probe calls of NVIDIA's driver, on the processor. Memory is the machine's own, and every measurement takes
// STANDIN_MILLISECONDS; results of the kernel STANDIN_WRONG are zeros. PTX, the code that it knows, stands before this, and its kernels in place of the mark below.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REFUSED = 1, NO_GPU = 100, OUT_OF_MEMORY = 2, UNKNOWN_CODE = 218 };
static char shared[1 << 16];

/* KERNELS */

static int asked(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : atoi(text);
}

int cuInit(unsigned flags) { return flags ? REFUSED : asked("STANDIN_GPUS", 1) ? 0 : NO_GPU; }
int cuDeviceGetCount(int *count) { return *count = asked("STANDIN_GPUS", 1), 0; }
int cuDeviceGet(int *device, int number) { return *device = number, 0; }
int cuDeviceGetName(char *name, int size, int device) {
  return snprintf(name, size, "NVIDIA Stand-in %d", device), 0;
}
int cuDeviceGetPCIBusId(char *name, int size, int device) {
  return snprintf(name, size, "0000:%02X:00.0", 0x0a + device), 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) { return *value = 2, attribute == 16 ? 0 : REFUSED; }
int cuDevicePrimaryCtxRetain(void **context, int device) { return *context = &shared, 0; }
int cuDevicePrimaryCtxRelease_v2(int device) { return 0; }
int cuCtxSetCurrent(void *context) { return context == &shared ? 0 : REFUSED; }
int cuModuleLoadData(void **module, const char *code) {
  return *module = (void *)PTX, strcmp(code, PTX) ? UNKNOWN_CODE : 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  *function = !strcmp(name, "chain") ? (void *)chain : !strcmp(name, "gemm") ? (void *)gemm : NULL;
  return *function == NULL;
}
int cuMemAlloc_v2(void **memory, size_t size) {
  return *memory = size > (size_t)asked("STANDIN_BYTES", 1 << 30) ? NULL : malloc(size), *memory ? 0 : OUT_OF_MEMORY;
}
int cuMemAllocHost_v2(void **memory, size_t size) { return cuMemAlloc_v2(memory, size); }
int cuMemFree_v2(void *memory) { return free(memory), 0; }
int cuMemFreeHost(void *memory) { return cuMemFree_v2(memory); }
int cuMemcpyHtoD_v2(void *target, const void *source, size_t size) { return memcpy(target, source, size), 0; }
int cuMemcpyDtoD_v2(void *target, const void *source, size_t size) { return memcpy(target, source, size), 0; }
int cuMemcpyDtoH_v2(void *target, const void *source, size_t size) { return memcpy(target, source, size), 0; }
int cuEventCreate(void **event, unsigned flags) { return *event = malloc(1), 0; }
int cuEventRecord(void *event, void *stream) { return stream ? REFUSED : 0; }
int cuEventSynchronize(void *event) { return 0; }
int cuEventElapsedTime(float *milliseconds, void *begun, void *ended) {
  return *milliseconds = asked("STANDIN_MILLISECONDS", 1), 0;
}
int cuEventDestroy_v2(void *event) { return free(event), 0; }
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned rows, unsigned layers,
                   unsigned shared_bytes, void *stream, void **arguments, void **extra) {
  if (z != 1 || rows != 1 || layers != 1 || shared_bytes || stream || extra) return REFUSED;
  for (unsigned row = 0; row < y; row++)
    for (unsigned column = 0; column < x; column++)
      ((void (*)(void **, uint32_t, uint32_t))function)(arguments, column, row);
  const char *wrong = getenv("STANDIN_WRONG");
  if (wrong != NULL && function == (!strcmp(wrong, "chain") ? (void *)chain : (void *)gemm))
    memset(*(void **)arguments[0], 0, 4 * threads * x * (function == (void *)chain ? 1 : threads / 4 * y));
  return 0;
}
