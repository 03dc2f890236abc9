package io.sluice.router.app;

import io.sluice.router.stream.OutcomesFirst;
import io.sluice.router.stream.RouterTopology;
import io.sluice.router.stream.StreamParts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running Kafka Streams of a router. Thread-safe. */
final class RouterStreams implements AutoCloseable {
  private static final Duration CLOSE_WITHIN = Duration.ofSeconds(10);
  private static final Logger log = LoggerFactory.getLogger(RouterStreams.class);

  private final KafkaStreams streams;
  private final Optional<Path> temporary;

  private RouterStreams(KafkaStreams streams, Optional<Path> temporary) {
    this.streams = streams;
    this.temporary = temporary;
  }

  /** Starts. Threads that fail are replaced. */
  static RouterStreams start(
      RouterConfig config, RouterClients clients, StreamParts parts, short replication) {
    Optional<Path> temporary =
        config.stateDirectory().isPresent() ? Optional.empty() : Optional.of(temporary());
    Path directory = config.stateDirectory().or(() -> temporary).orElseThrow();
    var streams =
        new KafkaStreams(
            RouterTopology.build(config.lanes(), parts),
            clients.streams(directory, replication),
            new OutcomesFirst(parts.starts(), parts.partitions(), parts.nanoClock()));
    streams.setUncaughtExceptionHandler(
        failure -> {
          log.error("event=stream_thread_failed effect=\"replaced\"", failure);
          return StreamThreadExceptionResponse.REPLACE_THREAD;
        });
    streams.start();
    return new RouterStreams(streams, temporary);
  }

  private static Path temporary() {
    try {
      return Files.createTempDirectory("sluice-router-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  KafkaStreams.State state() {
    return streams.state();
  }

  /**
   * Returns the records of a topic that this router has not read yet, over its partitions; 0 for a
   * topic that it does not read.
   */
  long lag(String topic) {
    return LagReading.of(streams.metrics().values(), topic);
  }

  /** Leaving the group hands the partitions over at once instead of after the session timeout. */
  @Override
  public void close() throws IOException {
    streams.close(
        CloseOptions.timeout(CLOSE_WITHIN)
            .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
    if (temporary.isPresent()) {
      Utils.delete(temporary.get().toFile());
    }
  }
}
