// Declares the parts of Apple's C library that the sources may use, according to its manual pages. The names are from
// POSIX; the few names from BSD are marked. This file only serves to check types.
#include "../math.h"

typedef unsigned short mode_t;
typedef long ssize_t;
typedef long long off_t;
typedef int dev_t;
typedef unsigned long long ino_t;
struct stat {
  dev_t st_dev;
  mode_t st_mode;
  unsigned short st_nlink;
  ino_t st_ino;
  off_t st_size;
  long long st_blocks;
};

extern int errno __attribute__((swift_attr("nonisolated(unsafe)")));
char *strerror(int);
static const int EINTR = 4, ENOENT = 2, EEXIST = 17, EINVAL = 22, EWOULDBLOCK = 35, EFBIG = 27, ENOSPC = 28, EDQUOT = 69, PATH_MAX = 1024;
static const mode_t S_IFMT = 0170000, S_IFREG = 0100000, S_IFLNK = 0120000, S_IFDIR = 0040000, S_IFIFO = 0010000;

int fstat(int, struct stat *), lstat(const char *, struct stat *), stat(const char *, struct stat *);
int close(int), unlink(const char *), access(const char *, int), rename(const char *, const char *);
char *realpath(const char *path, char *resolved);
int fchmod(int, mode_t), ftruncate(int, off_t), fsync(int);
void sync(void);
// Swift declares these two functions itself, because C's functions take any number of arguments.
int open(const char *, int) __attribute__((overloadable));
int open(const char *, int, mode_t) __attribute__((overloadable));
int fcntl(int, int);
ssize_t pread(int, void *, size_t, off_t), pwrite(int, const void *, size_t, off_t);
ssize_t readlink(const char *, char *, size_t);
static const int O_RDONLY = 0, O_RDWR = 2, O_NONBLOCK = 4, O_NOFOLLOW = 0x100, O_CREAT = 0x200, O_EXCL = 0x800, O_TRUNC = 0x400;
static const int O_CLOEXEC = 0x1000000, F_OK = 0, R_OK = 4, STDIN_FILENO = 0;

int mkdir(const char *, mode_t), rmdir(const char *);
struct statvfs {
  unsigned long f_bsize, f_frsize;
  unsigned int f_blocks, f_bfree, f_bavail;
};
int statvfs(const char *, struct statvfs *);

void *mmap(void *, size_t, int, int, int, off_t);
int munmap(void *, size_t);
int msync(void *, size_t, int);
int madvise(void *, size_t, int);
static void *const MAP_FAILED = (void *)-1;
static const int PROT_READ = 1, PROT_WRITE = 2, MAP_SHARED = 1, MAP_PRIVATE = 2, MAP_ANONYMOUS = 0x1000,
                 MAP_NORESERVE = 0x40;
static const int MS_SYNC = 0x10, MADV_DONTNEED = 4;

long sysconf(int);
static const int _SC_NPROCESSORS_ONLN = 58;

// From BSD.
int flock(int, int);
static const int LOCK_EX = 2, LOCK_NB = 4, F_FULLFSYNC = 51;
