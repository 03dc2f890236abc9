package io.sluice.standalone.pool;

import io.sluice.standalone.backend.BackendStartException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a local pool stores what it must not forget. Without a directory it does so in a temporary
 * one, which is deleted on close.
 */
final class LocalData implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LocalData.class);

  private final Optional<Path> kept;
  private final Path files;

  private LocalData(Optional<Path> kept, Path files) {
    this.kept = kept;
    this.files = files;
  }

  /**
   * @param kept the directory to keep; empty for a temporary one
   * @throws BackendStartException if there can be no temporary one
   */
  static LocalData open(Optional<Path> kept) {
    try {
      return new LocalData(
          kept,
          kept.isPresent()
              ? kept.get().resolve("files")
              : Files.createTempDirectory("sluice-files-"));
    } catch (IOException e) {
      throw new BackendStartException("cannot create a temporary directory: " + e, e);
    }
  }

  /** Of the embedded Kafka, which accepts nothing else in it; empty for a temporary one. */
  Optional<Path> kafka() {
    return kept.map(directory -> directory.resolve("kafka"));
  }

  /** Of the gateway's files. */
  Path files() {
    return files;
  }

  @Override
  public void close() {
    if (kept.isPresent()) {
      return;
    }
    try {
      Utils.delete(files.toFile());
    } catch (IOException e) {
      log.warn("event=files_left directory={} reason=\"{}\"", files, e.toString());
    }
  }
}
