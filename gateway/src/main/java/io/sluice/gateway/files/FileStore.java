package io.sluice.gateway.files;

import java.io.InputStream;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The files of all tenants. A file is a description and numbered parts, and it exists once its
 * description was written, which is last. Nothing is held in memory, so all gateways see the same
 * files. Thread-safe. Methods block, and throw {@link StorageException} if the storage fails.
 */
public final class FileStore {
  /**
   * The size of all parts of a file but the last, by convention. An array of this size dies in the
   * young generation of a small heap; larger ones fill the old one.
   */
  public static final int PART_BYTES = 1024 * 1024;

  /**
   * The time after which parts without a description are removed: longer than a batch is kept,
   * which may be finished as late as that if the pool was off meanwhile.
   */
  static final Duration ABANDONED_AFTER = Duration.ofDays(31);

  /** Between the last moment to finish a file and its removal as an abandoned one. */
  private static final Duration MARGIN = Duration.ofHours(1);

  /**
   * What the files of a tenant take.
   *
   * @param bytes of all parts
   */
  public record Usage(int files, long bytes) {}

  private final ObjectStore objects;
  private final Clock clock;

  public FileStore(ObjectStore objects, Clock clock) {
    this.objects = objects;
    this.clock = clock;
  }

  /** Returns the id for a new file. It is {@code file-} and a text that sorts by time. */
  public String newId() {
    return FileId.next();
  }

  /** Returns the id of a file that was made at the time in a UUIDv7. */
  public static String idOf(String uuid) {
    return FileId.of(uuid);
  }

  /** Finds a file; empty if it is unknown, expired or another tenant's, or if the id is none. */
  public Optional<StoredFile> find(String id, String tenant) {
    if (!FileId.isValid(id)) {
      return Optional.empty();
    }
    Instant now = clock.instant();
    String key = FileKeys.meta(id, tenant);
    return objects
        .get(key)
        .map(value -> MetaFormat.parse(value, key))
        .filter(file -> file.tenant().equals(tenant) && !file.isExpired(now));
  }

  /** Returns the ids of a tenant's files in the order of their creation; some may be expired. */
  public List<String> ids(String tenant) {
    return objects.list(FileKeys.ofTenant(tenant)).stream()
        .flatMap(key -> FileKeys.parse(key).stream())
        .filter(FileKeys.Parsed::isMeta)
        .map(FileKeys.Parsed::fileId)
        .toList();
  }

  /**
   * Returns what the files of a tenant take. Files that have expired and parts of unfinished ones
   * count until they are removed.
   */
  public Usage usage(String tenant) {
    AtomicInteger files = new AtomicInteger();
    AtomicLong bytes = new AtomicLong();
    objects.visit(
        FileKeys.ofTenant(tenant),
        (key, size) -> {
          if (FileKeys.parse(key).filter(FileKeys.Parsed::isMeta).isPresent()) {
            files.incrementAndGet();
          } else {
            bytes.addAndGet(size);
          }
        });
    return new Usage(files.get(), bytes.get());
  }

  /**
   * Returns the bytes of a file. The stream reads one part at a time from the storage and needs not
   * be closed. It throws {@link java.io.IOException} if the storage fails or if the file was
   * deleted.
   *
   * @param fromByte how many bytes to leave out
   * @throws IndexOutOfBoundsException if the file has fewer bytes
   */
  public InputStream open(StoredFile file, long fromByte) {
    return new PartStream(
        file, fromByte, part -> objects.get(FileKeys.part(file.id(), file.tenant(), part.name())));
  }

  /**
   * Writes a part of a file that is not finished. A part with the same name is replaced.
   *
   * @param fileId from {@link #newId}
   * @param name as in {@link StoredFile.Part}
   * @param bytes 1 byte to 8 MiB
   */
  public void putPart(String fileId, String tenant, String name, byte[] bytes) {
    if (bytes.length == 0) {
      throw new IllegalArgumentException("a part has at least one byte");
    }
    objects.put(FileKeys.part(checked(fileId), tenant, name), bytes);
  }

  /**
   * Writes the description of a file, whose parts were written before. The file exists when this
   * returns.
   *
   * @return the file
   * @throws StorageException also if its id was made so long ago that its parts may be gone
   */
  public StoredFile finish(StoredFile meta) {
    Instant latest = clock.instant().minus(ABANDONED_AFTER).plus(MARGIN);
    if (FileId.timeOf(checked(meta.id())).filter(latest::isBefore).isEmpty()) {
      throw new StorageException(meta.id() + " was begun too long ago");
    }
    objects.put(FileKeys.meta(meta.id(), meta.tenant()), MetaFormat.toJson(meta));
    return meta;
  }

  /** Removes a file, finished or not, if there is one. Repeat it if it fails. */
  public void delete(String id, String tenant) {
    if (FileId.isValid(id)) {
      deleteAll(FileKeys.ofFile(id, tenant));
    }
  }

  /** Removes the description first: from then on the file does not exist. */
  void deleteAll(String folder) {
    objects.delete(FileKeys.meta(folder));
    objects.list(folder).forEach(objects::delete);
  }

  private static String checked(String id) {
    if (!FileId.isValid(id)) {
      throw new IllegalArgumentException("not the id of a file: '" + id + "'");
    }
    return id;
  }
}
