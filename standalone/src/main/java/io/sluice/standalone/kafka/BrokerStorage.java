package io.sluice.standalone.kafka;

import io.sluice.standalone.backend.BackendStartException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.metadata.properties.MetaPropertiesEnsemble;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The formatted directory in which a node stores its records. Only one node can use it at a time. A
 * temporary directory is deleted on close.
 */
final class BrokerStorage implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(BrokerStorage.class);
  private static final String LOCK_FILE = "sluice.lock";

  private final Path directory;
  private final boolean temporary;
  private final FileChannel lock;

  private BrokerStorage(Path directory, boolean temporary, FileChannel lock) {
    this.directory = directory;
    this.temporary = temporary;
    this.lock = lock;
  }

  /**
   * Opens a directory, and formats it unless it is already formatted.
   *
   * @param kept the directory to keep; empty for a temporary one
   * @param member the node that owns the records, used for formatting
   * @throws BackendStartException if the directory cannot be used, or a running node uses it
   */
  static BrokerStorage open(Optional<Path> kept, ClusterMember member) {
    try {
      Path directory =
          kept.isPresent()
              ? Files.createDirectories(kept.get().toAbsolutePath())
              : Files.createTempDirectory("sluice-kafka-");
      FileChannel lock = lock(directory);
      // Formatting twice would change the owner of the records, and Kafka would reject them.
      if (!Files.exists(directory.resolve(MetaPropertiesEnsemble.META_PROPERTIES_NAME))) {
        format(directory, member);
      }
      return new BrokerStorage(directory, kept.isEmpty(), lock);
    } catch (BackendStartException e) {
      throw e;
    } catch (Exception e) {
      throw new BackendStartException(
          "Kafka cannot use the data directory %s (%s); choose a writable directory"
              .formatted(kept.map(Path::toString).orElse(System.getProperty("java.io.tmpdir")), e),
          e);
    }
  }

  /** Kafka takes its own lock only after its controller has started to write. */
  private static FileChannel lock(Path directory) throws IOException {
    FileChannel channel =
        FileChannel.open(
            directory.resolve(LOCK_FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (tryLock(channel) == null) {
      channel.close();
      throw new BackendStartException(
          "Kafka cannot use the data directory %s: a running node uses it; stop that one or choose another directory"
              .formatted(directory));
    }
    return channel;
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException heldByThisProcess) {
      return null;
    }
  }

  private static void format(Path directory, ClusterMember member) throws Exception {
    new Formatter()
        .setPrintStream(
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
        .setNodeId(member.nodeId())
        .setClusterId(member.clusterId())
        .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
        .setControllerListenerName(BrokerSettings.CONTROLLER_LISTENER)
        .setDirectories(List.of(directory.toString()))
        .setMetadataLogDirectory(directory.toString())
        .run();
  }

  Path directory() {
    return directory;
  }

  @Override
  public void close() {
    try {
      lock.close();
      if (temporary) {
        Utils.delete(directory.toFile());
      }
    } catch (IOException e) {
      log.warn(
          "Kafka's directory was not cleaned up directory={} cause={}", directory, e.toString());
    }
  }
}
