package io.sluice.gateway.files;

import io.sluice.gateway.config.FileSettings;
import io.sluice.gateway.config.FileStorage;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The files of a gateway, if it has a place for them. Thread-safe. */
public final class GatewayFiles implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(GatewayFiles.class);
  private static final Duration FIRST_SWEEP = Duration.ofMinutes(1);
  private static final Duration BETWEEN_SWEEPS = Duration.ofHours(1);

  private final @Nullable ObjectStore objects;
  private final Optional<FileStore> store;
  private final @Nullable Thread sweeping;

  private GatewayFiles(@Nullable ObjectStore objects, Clock clock) {
    this.objects = objects;
    if (objects == null) {
      store = Optional.empty();
      sweeping = null;
      return;
    }
    FileStore files = new FileStore(objects, clock);
    Sweeper sweeper = new Sweeper(objects, files, clock);
    store = Optional.of(files);
    sweeping = Thread.ofVirtual().name("sluice-file-sweeper").start(() -> run(sweeper));
  }

  /**
   * Opens the storage and begins to remove what has expired, once an hour.
   *
   * @throws StorageException if a folder cannot be written to
   */
  public static GatewayFiles open(FileSettings settings, Clock clock) {
    return new GatewayFiles(
        switch (settings.storage()) {
          case FileStorage.None _ -> null;
          case FileStorage.Folder folder -> FolderStore.open(folder.path());
          case FileStorage.S3 s3 -> S3Store.open(s3, settings.s3Endpoint(), settings.s3Region());
        },
        clock);
  }

  /** Returns the files; empty if the gateway has no place for them. */
  public Optional<FileStore> store() {
    return store;
  }

  private static void run(Sweeper sweeper) {
    try {
      Thread.sleep(FIRST_SWEEP);
      while (true) {
        sweep(sweeper);
        Thread.sleep(BETWEEN_SWEEPS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void sweep(Sweeper sweeper) {
    try {
      int removed = sweeper.sweep();
      if (removed > 0) {
        log.info("event=files_swept removed={}", removed);
      }
    } catch (RuntimeException e) {
      log.warn("event=sweep_failed", e);
    }
  }

  @Override
  public void close() {
    if (sweeping != null) {
      sweeping.interrupt();
    }
    if (objects != null) {
      objects.close();
    }
  }
}
