package io.sluice.gateway.files;

import io.sluice.gateway.files.StoredFile.Part;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Cuts the bytes of a new file into parts and stores them. Not thread-safe. */
public final class PartWriter {
  private static final int SMALLEST = 64 * 1024;

  private final FileStore files;
  private final String fileId;
  private final String tenant;
  private final List<Part> parts = new ArrayList<>();
  private byte[] part = new byte[0];
  private int filled;
  private long written;

  /**
   * @param fileId from {@link FileStore#newId}
   */
  public PartWriter(FileStore files, String fileId, String tenant) {
    this.files = files;
    this.fileId = fileId;
    this.tenant = tenant;
  }

  /**
   * Takes bytes; stores a part when it is full.
   *
   * @throws StorageException if the storage fails
   */
  public void write(byte[] bytes, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    int at = offset;
    int left = length;
    while (left > 0) {
      reserve(left);
      int count = Math.min(left, part.length - filled);
      System.arraycopy(bytes, at, part, filled, count);
      filled += count;
      at += count;
      left -= count;
      if (filled == FileStore.PART_BYTES) {
        flush();
      }
    }
    written += length;
  }

  private void reserve(int more) {
    int needed = Math.min(FileStore.PART_BYTES, filled + more);
    if (part.length < needed) {
      int size = Math.max(SMALLEST, Math.max(needed, part.length * 2));
      part = Arrays.copyOf(part, Math.min(FileStore.PART_BYTES, size));
    }
  }

  private void flush() {
    byte[] bytes = filled == part.length ? part : Arrays.copyOf(part, filled);
    Part stored = Part.of(parts.size(), filled);
    files.putPart(fileId, tenant, stored.name(), bytes);
    parts.add(stored);
    part = new byte[0];
    filled = 0;
  }

  /** Returns how many bytes were taken. */
  public long written() {
    return written;
  }

  /**
   * Stores what is left.
   *
   * @return all parts, for {@link StoredFile}
   * @throws StorageException if the storage fails
   */
  public List<Part> finish() {
    if (filled > 0) {
      flush();
    }
    return List.copyOf(parts);
  }
}
