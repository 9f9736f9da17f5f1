/* Scans the folder of a store: lists its units and removes the least recently used ones.
 *
 * Other processes add, replace and remove files during a scan. A file that is gone is skipped. A unit that is replaced
 * between the scan and its removal is lost from the cache, as if it had been removed after the replacement. */
#include "python-free-bindings/launch/store/folder.h"

#include "base/vector.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  TEMPORARY_SECONDS = 3600,
  /* A write collects with a probability of size * COLLECTIONS / limit, so that about this number of collections happen
   * while the folder is filled once, whichever processes write, without shared state. A collection leaves an eighth of
   * the limit free, 16 times the expected distance of two collections: the probability that the folder grows over its
   * limit is e^-16. */
  COLLECTIONS = 128,
};

typedef NEREID_VECTOR(nereid_store_item_t) items_t;

/* Opens a folder below that of the store; null with errno. */
static DIR *open_below(const nereid_folder_t *folder, const char *name) {
  const int parent = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int file = parent < 0 ? -1 : openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *list = file < 0 ? NULL : fdopendir(file);
  const int reason = errno;
  if (file >= 0 && !list)
    close(file);
  if (parent >= 0)
    close(parent);
  errno = reason;
  return list;
}

/* Appends the units of FOLDER/ab. False when out of memory. */
static bool list_units(DIR *list, const char *prefix, nereid_arena_t *arena, items_t *items) {
  const int descriptor = dirfd(list);
  for (const struct dirent *entry; descriptor >= 0 && (entry = readdir(list));) {
    nereid_store_item_t item = {.bytes = 0};
    struct stat about;
    if (strncmp(entry->d_name, prefix, 2) != 0 || !nereid_store_key_parse(nereid_view(entry->d_name), &item.key) ||
        fstatat(descriptor, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode))
      continue;
    item.bytes = (uint64_t)about.st_size;
    item.used = (int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec;
    if (!nereid_vector_push(arena, items, item))
      return false;
  }
  return true;
}

static nereid_status_t list_all(const nereid_folder_t *folder, nereid_arena_t *arena, items_t *items,
                                nereid_message_t *message) {
  for (unsigned i = 0; i < 256; ++i) {
    char name[3];
    snprintf(name, sizeof name, "%02x", i);
    DIR *list = open_below(folder, name);
    if (!list && (errno != ENOENT || access(folder->path, F_OK) != 0))
      return nereid_message_set(message, NEREID_ERROR_IO, "cannot read '%s/%s': %s", folder->path, name,
                                strerror(errno));
    if (!list)
      continue;
    const bool done = list_units(list, name, arena, items);
    closedir(list);
    if (!done)
      return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  }
  return NEREID_OK;
}

static int compare_keys(const void *left, const void *right) {
  const nereid_store_item_t *a = left, *b = right;
  return memcmp(a->key.bytes, b->key.bytes, sizeof a->key.bytes);
}

/* The key breaks ties, so that processes that collect at the same time remove the same units. */
static int compare_uses(const void *left, const void *right) {
  const nereid_store_item_t *a = left, *b = right;
  return a->used == b->used ? compare_keys(left, right) : (a->used > b->used) - (a->used < b->used);
}

static void sort(items_t *items, int (*compare)(const void *, const void *)) {
  if (items->size)
    qsort(items->data, items->size, sizeof *items->data, compare);
}

nereid_status_t nereid_folder_walk(const nereid_folder_t *folder, nereid_store_visitor_t visitor, void *user_data,
                                   nereid_message_t *message) {
  items_t items = {0};
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  const nereid_status_t status = list_all(folder, &arena, &items, message);
  sort(&items, compare_keys);
  for (size_t i = 0; status == NEREID_OK && i < items.size && visitor(user_data, &items.data[i]);)
    ++i;
  nereid_arena_deinitialize(&arena);
  return status;
}

/* Removes temporary files that no living process writes. */
static uint64_t remove_temporary_files(const nereid_folder_t *folder) {
  DIR *list = open_below(folder, "tmp");
  const int descriptor = list ? dirfd(list) : -1;
  const time_t now = time(NULL);
  uint64_t removed = 0;
  struct stat about;
  if (descriptor < 0)
    return 0;
  for (const struct dirent *entry; (entry = readdir(list));)
    if (entry->d_name[0] != '.' && fstatat(descriptor, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
        about.st_mtime + TEMPORARY_SECONDS < now && unlinkat(descriptor, entry->d_name, 0) == 0)
      ++removed;
  closedir(list);
  return removed;
}

static void remove_oldest(const nereid_folder_t *folder, const items_t *items, uint64_t limit,
                          nereid_store_usage_t *usage) {
  for (size_t i = 0; i < items->size; ++i)
    usage->bytes += items->data[i].bytes;
  usage->units = items->size;
  for (size_t i = 0; i < items->size && usage->bytes > limit; ++i) {
    const nereid_status_t status = nereid_folder_remove(folder, &items->data[i].key, NULL);
    if (status != NEREID_OK && status != NEREID_ERROR_NOT_FOUND)
      continue;
    usage->bytes -= items->data[i].bytes;
    usage->units -= 1;
    usage->removed_units += status == NEREID_OK;
    usage->removed_bytes += status == NEREID_OK ? items->data[i].bytes : 0;
  }
}

nereid_status_t nereid_folder_collect(const nereid_folder_t *folder, uint64_t limit, nereid_store_usage_t *out_usage,
                                      nereid_message_t *message) {
  items_t items = {0};
  nereid_store_usage_t usage = {0};
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  nereid_status_t status = list_all(folder, &arena, &items, message);
  if (status == NEREID_OK) {
    sort(&items, compare_uses);
    remove_oldest(folder, &items, limit, &usage);
    usage.removed_files = remove_temporary_files(folder);
    if (usage.bytes > limit)
      status = nereid_message_set(message, NEREID_ERROR_IO, "cannot remove units from '%s': %llu bytes remain",
                                  folder->path, (unsigned long long)usage.bytes);
  }
  nereid_arena_deinitialize(&arena);
  if (out_usage)
    *out_usage = usage;
  return status;
}

/* Returns whether the write of a unit collects: see COLLECTIONS. */
static bool is_due(const nereid_folder_t *folder, size_t size) {
  uint32_t random = 0;
  if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
    return true;
  return (double)random / 4294967296.0 < (double)size * COLLECTIONS / (double)folder->limit;
}

void nereid_folder_limit(const nereid_folder_t *folder, size_t size) {
  if (is_due(folder, size))
    (void)!nereid_folder_collect(folder, folder->limit - folder->limit / 8, NULL, NULL); /* a later write tries again */
}
