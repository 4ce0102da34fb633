/* A disk that forgets: after every fsync or fdatasync the file, as it is then, is copied into the
   folder $SHADOW; a file that was removed stays there until its folder is synced. What is there
   when the power fails is what was synced, and nothing else.

   While the file $FAILING exists, every sync fails (EIO). As in Linux, the pages that it was to
   write are then clean: a later sync succeeds without them, unless they are written again. Which
   pages those are is in $SHADOW/.NAME.lost, so that it outlives the process, as the cache does. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096

static void forget(int folder, const char *shadow) {
    DIR *there = opendir(shadow);
    struct dirent *entry;
    if (there == NULL) return;
    while ((entry = readdir(there)) != NULL)
        if (entry->d_name[0] != '.' && faccessat(folder, entry->d_name, F_OK, 0) != 0)
            unlinkat(dirfd(there), entry->d_name, 0);
    closedir(there);
}

/* The paths $SHADOW/NAME, $SHADOW/.NAME and $SHADOW/.NAME.lost of an open file. */
struct paths { char target[PATH_MAX + 300], beside[PATH_MAX + 300], lost[PATH_MAX + 300]; };

static int find(int file, struct paths *paths) {
    const char *folder = getenv("SHADOW");
    struct stat about;
    char link[64], path[PATH_MAX];
    if (folder == NULL || fstat(file, &about) != 0) return 0;
    if (S_ISDIR(about.st_mode)) forget(file, folder);
    if (!S_ISREG(about.st_mode)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    const char *name = strrchr(path, '/') + 1;
    snprintf(paths->target, sizeof paths->target, "%s/%s", folder, name);
    snprintf(paths->beside, sizeof paths->beside, "%s/.%s", folder, name);
    snprintf(paths->lost, sizeof paths->lost, "%s/.%s.lost", folder, name);
    return 1;
}

static ssize_t real_write(int file, const void *bytes, size_t length, off_t at) {
    ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite64");
    return real(file, bytes, length, at);
}

static ssize_t page_of(int file, char *page, off_t at) {
    memset(page, 0, PAGE);
    return file < 0 ? 0 : pread(file, page, PAGE, at);
}

static void keep(int file) {
    struct paths paths;
    char page[PAGE], other[PAGE], mark;
    ssize_t length;
    if (!find(file, &paths)) return;
    int to = open(paths.beside, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    int old = open(paths.target, O_RDONLY), lost = open(paths.lost, O_RDONLY);
    if (to < 0) abort();
    for (off_t at = 0; (length = page_of(file, page, at)) > 0; at += length) {
        const char *synced = page;
        if (lost >= 0 && pread(lost, &mark, 1, at / PAGE) == 1 && mark) {
            page_of(old, other, at);
            synced = other;
        }
        if (real_write(to, synced, length, at) != length) abort();
    }
    close(to);
    if (old >= 0) close(old);
    if (lost >= 0) close(lost);
    /* In one step: the process may be killed in the middle of this copy. */
    if (rename(paths.beside, paths.target) != 0) abort();
}

static void lose(int file) {
    struct paths paths;
    char page[PAGE], other[PAGE];
    if (!find(file, &paths)) return;
    int old = open(paths.target, O_RDONLY), lost = open(paths.lost, O_RDWR | O_CREAT, 0644);
    if (lost < 0) abort();
    for (off_t at = 0; page_of(file, page, at) > 0; at += PAGE)
        if (page_of(old, other, at) <= 0 || memcmp(page, other, PAGE) != 0)
            if (real_write(lost, "\1", 1, at / PAGE) != 1) abort();
    if (old >= 0) close(old);
    close(lost);
}

static int synced(int file, const char *name) {
    const char *failing = getenv("FAILING");
    int (*real)(int) = dlsym(RTLD_NEXT, name);
    if (failing != NULL && access(failing, F_OK) == 0) {
        lose(file);
        errno = EIO;
        return -1;
    }
    int result = real(file);
    if (result == 0) keep(file);
    return result;
}

int fsync(int file) { return synced(file, "fsync"); }

int fdatasync(int file) { return synced(file, "fdatasync"); }

/* Pages that were written again can be lost no more. */
static void again(int file, off_t at, ssize_t length) {
    struct paths paths;
    if (length <= 0 || getenv("FAILING") == NULL || !find(file, &paths)) return;
    int lost = open(paths.lost, O_RDWR);
    for (off_t page = at / PAGE; lost >= 0 && page <= (at + length - 1) / PAGE; page++)
        if (real_write(lost, "\0", 1, page) != 1) abort();
    if (lost >= 0) close(lost);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) {
    ssize_t result = real_write(file, bytes, length, at);
    again(file, at, result);
    return result;
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) {
    return pwrite64(file, bytes, length, at);
}

ssize_t write(int file, const void *bytes, size_t length) {
    ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    ssize_t result = real(file, bytes, length);
    if (result > 0) again(file, lseek(file, 0, SEEK_CUR) - result, result);
    return result;
}
