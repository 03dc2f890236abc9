package io.sluice.gateway.batch.run;

import io.sluice.gateway.files.FileStore;
import io.sluice.gateway.files.StoredFile.Part;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The parts of a file that grows. What was not flushed is in memory. The names of parts are unique
 * to this run, so that two runs of a batch never replace each other's parts. Not thread-safe.
 */
final class ResultParts {
  private final FileStore files;
  private final String fileId;
  private final String tenant;
  private final String run;
  private final List<Part> stored;
  private final ByteArrayOutputStream pending = new ByteArrayOutputStream();

  /**
   * @param run a short name of the run, of lower-case letters and digits
   * @param stored the parts that exist
   */
  ResultParts(FileStore files, String fileId, String tenant, String run, List<Part> stored) {
    this.files = files;
    this.fileId = fileId;
    this.tenant = tenant;
    this.run = run;
    this.stored = new ArrayList<>(stored);
  }

  void append(byte[] bytes) {
    pending.writeBytes(bytes);
  }

  /** Returns how many bytes are in memory. */
  int pendingBytes() {
    return pending.size();
  }

  /**
   * Stores what is in memory.
   *
   * @return all parts
   * @throws io.sluice.gateway.files.StorageException if the storage fails
   */
  List<Part> flush() {
    byte[] bytes = pending.toByteArray();
    for (int from = 0; from < bytes.length; from += FileStore.PART_BYTES) {
      byte[] part =
          Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + FileStore.PART_BYTES));
      String name = String.format(Locale.ROOT, "%s-%08d", run, stored.size());
      files.putPart(fileId, tenant, name, part);
      stored.add(new Part(name, part.length));
    }
    pending.reset();
    return List.copyOf(stored);
  }
}
