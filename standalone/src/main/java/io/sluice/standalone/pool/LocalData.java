package io.sluice.standalone.pool;

import io.sluice.standalone.backend.BackendStartException;
import io.sluice.standalone.backend.DirectoryLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a local pool stores what it must not forget. Only one pool can use a directory at a time.
 * Without a directory it uses a temporary one, which is deleted on close.
 */
final class LocalData implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LocalData.class);

  private final Path directory;
  private final boolean isTemporary;
  private final DirectoryLock lock;

  private LocalData(Path directory, boolean isTemporary, DirectoryLock lock) {
    this.directory = directory;
    this.isTemporary = isTemporary;
    this.lock = lock;
  }

  /**
   * Opens a directory, which is created if it is missing. Other users cannot read a new one, since
   * prompts and answers are stored in it.
   *
   * @param kept the directory to keep; empty for a temporary one
   * @throws BackendStartException if it cannot be used, or a running pool uses it
   */
  static LocalData open(Optional<Path> kept) {
    try {
      Path directory =
          kept.isPresent()
              ? created(kept.get().toAbsolutePath())
              : Files.createTempDirectory("sluice-data-");
      return new LocalData(directory, kept.isEmpty(), DirectoryLock.take(directory, "the pool"));
    } catch (IOException e) {
      throw new BackendStartException(
          "the pool cannot use the data directory %s (%s); choose a writable directory with --data"
              .formatted(kept.map(Path::toString).orElse(System.getProperty("java.io.tmpdir")), e),
          e);
    }
  }

  private static Path created(Path directory) throws IOException {
    return Files.exists(directory)
        ? directory
        : Files.createDirectories(
            directory,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  /** Of the embedded Kafka, which accepts nothing else in it; empty for a temporary one. */
  Optional<Path> kafka() {
    return isTemporary ? Optional.empty() : Optional.of(directory.resolve("kafka"));
  }

  /**
   * Of the embedded Redis, which needs an existing one; empty for a temporary one.
   *
   * @throws BackendStartException if it cannot be created
   */
  Optional<Path> redis() {
    if (isTemporary) {
      return Optional.empty();
    }
    try {
      return Optional.of(Files.createDirectories(directory.resolve("redis")));
    } catch (IOException e) {
      throw new BackendStartException(
          "the pool cannot write to its data directory %s (%s)".formatted(directory, e), e);
    }
  }

  /** Of the gateway's files. */
  Path files() {
    return directory.resolve("files");
  }

  /** Of the files that a worker on another machine needs. */
  Path access() {
    return directory.resolve("access");
  }

  @Override
  public void close() throws IOException {
    lock.close();
    if (!isTemporary) {
      return;
    }
    try {
      Utils.delete(directory.toFile());
    } catch (IOException e) {
      log.warn("event=files_left directory={} reason=\"{}\"", directory, e.toString());
    }
  }
}
