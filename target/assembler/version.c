/* The version of the assembler that a compilation will use, without running it.
 *
 * ptxas contains the line that it prints, "Cuda compilation tools, release 13.0, V13.0.88". In the programs of CUDA 12
 * and 13 it is within 20 KB of the start of .rodata, after more than 20 MB of code, so sections of constants are
 * searched first: 0.1 ms in place of 8. The last answer is kept for the process, with the identity of the file. */
#include "target/assembler/assemble.h"

#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
  pthread_mutex_t mutex;
  dev_t device;
  ino_t inode;
  struct timespec changed;
  char version[32]; /* empty: none was read yet */
} last = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Copies the version, "13.0.88". False, with an empty version, when the bytes do not contain it. */
static bool search(nereid_view_t bytes, char out_version[32]) {
  static const char before[] = "Cuda compilation tools, release ";
  const char *at = memmem(bytes.data, bytes.size, before, sizeof before - 1), *end = bytes.data + bytes.size;
  const char *start = at ? memmem(at, (size_t)(end - at), ", V", 3) : NULL;
  size_t n = 0;
  for (start = start ? start + 3 : end; start + n < end && n < 31 && strchr("0123456789.", start[n]) && start[n]; ++n)
    out_version[n] = start[n];
  out_version[n] = '\0';
  return n > 0;
}

static bool is_inside(nereid_view_t file, uint64_t offset, uint64_t size) {
  return offset <= file.size && size <= file.size - offset;
}

/* Searches the read-only sections without code of a 64-bit ELF file. False for other files, too. */
static bool search_constants(nereid_view_t file, char out_version[32]) {
  Elf64_Ehdr header;
  Elf64_Shdr section;
  if (file.size < sizeof header)
    return false;
  memcpy(&header, file.data, sizeof header);
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_shentsize != sizeof section || !is_inside(file, header.e_shoff, header.e_shnum * sizeof section))
    return false;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    memcpy(&section, file.data + header.e_shoff + i * sizeof section, sizeof section);
    const bool is_constant =
        section.sh_type == SHT_PROGBITS && (section.sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR)) == SHF_ALLOC;
    if (is_constant && is_inside(file, section.sh_offset, section.sh_size) &&
        search(nereid_view_of(file.data + section.sh_offset, section.sh_size), out_version))
      return true;
  }
  return false;
}

static void read_version(const char *path, char out_version[32]) {
  struct stat about;
  out_version[0] = '\0';
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return;
  if (fstat(file, &about) == 0 && about.st_size > 0) {
    pthread_mutex_lock(&last.mutex);
    const bool is_same = last.version[0] && last.device == about.st_dev && last.inode == about.st_ino &&
                         memcmp(&last.changed, &about.st_mtim, sizeof last.changed) == 0;
    const size_t size = (size_t)about.st_size;
    char *data = is_same ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (data != MAP_FAILED) {
      const nereid_view_t bytes = nereid_view_of(data, size);
      if (!search_constants(bytes, last.version))
        (void)search(bytes, last.version);
      munmap(data, size);
      last.device = about.st_dev;
      last.inode = about.st_ino;
      last.changed = about.st_mtim;
    }
    if (is_same || data != MAP_FAILED)
      memcpy(out_version, last.version, sizeof last.version);
    pthread_mutex_unlock(&last.mutex);
  }
  close(file);
}

const char *nereid_assembler_version(const char *asked, bool nvjitlink, nereid_arena_t *arena) {
  unsigned major, minor;
  char version[32];
  const char *path = nvjitlink ? NULL : nereid_assembler_find_ptxas(asked, arena);
  if (path) {
    read_version(path, version);
    return version[0] ? nereid_arena_format(arena, "ptxas %s", version) : NULL;
  }
  return !asked && nereid_assembler_has_nvjitlink(&major, &minor)
             ? nereid_arena_format(arena, "nvJitLink %u.%u", major, minor)
             : NULL;
}
