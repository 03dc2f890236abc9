package io.sluice.standalone.kafka;

import io.sluice.standalone.backend.BackendStartException;
import io.sluice.standalone.backend.DirectoryLock;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.metadata.properties.MetaPropertiesEnsemble;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The formatted directory in which a node stores its records. Only one node can use it at a time. A
 * temporary directory is deleted on close.
 */
final class BrokerStorage implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(BrokerStorage.class);

  private final Path directory;
  private final boolean temporary;
  private final DirectoryLock lock;

  private BrokerStorage(Path directory, boolean temporary, DirectoryLock lock) {
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
      // Kafka takes its own lock only after its controller has started to write.
      DirectoryLock lock = DirectoryLock.take(directory, "Kafka");
      return new BrokerStorage(directory, kept.isEmpty(), lock).formatted(member);
    } catch (BackendStartException e) {
      throw e;
    } catch (Exception e) {
      throw new BackendStartException(
          "Kafka cannot use the data directory %s (%s); choose a writable directory"
              .formatted(kept.map(Path::toString).orElse(System.getProperty("java.io.tmpdir")), e),
          e);
    }
  }

  /** Formatting twice would change the owner of the records, and Kafka would reject them. */
  private BrokerStorage formatted(ClusterMember member) throws Exception {
    boolean isUsable = false;
    try {
      if (!Files.exists(directory.resolve(MetaPropertiesEnsemble.META_PROPERTIES_NAME))) {
        format(directory, member);
      }
      isUsable = true;
      return this;
    } finally {
      if (!isUsable) {
        close();
      }
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
      log.warn("event=files_left directory={} reason=\"{}\"", directory, e.toString());
    }
  }
}
