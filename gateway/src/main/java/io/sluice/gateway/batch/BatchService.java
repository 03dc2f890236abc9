package io.sluice.gateway.batch;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.batch.record.KafkaBatchLog;
import io.sluice.gateway.batch.run.BatchRuns;
import io.sluice.gateway.batch.run.KafkaBatchPartitions;
import io.sluice.gateway.batch.run.LineFormat;
import io.sluice.gateway.config.BatchSettings;
import io.sluice.gateway.files.FileStore;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.producer.ClientConfig;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** All that a gateway needs for batches, or nothing if it stores no files. Thread-safe. */
public final class BatchService implements AutoCloseable {
  private final Optional<Batches> batches;
  private final Deque<AutoCloseable> parts;

  private BatchService(Optional<Batches> batches, Deque<AutoCloseable> parts) {
    this.batches = batches;
    this.parts = parts;
  }

  /** Returns the service of a gateway that stores no files. */
  public static BatchService none() {
    return new BatchService(Optional.empty(), new ArrayDeque<>());
  }

  /**
   * Starts to serve and to run batches.
   *
   * @param tenantMaxBytes of the files of a tenant that has more, no batch begins
   * @throws org.apache.kafka.common.KafkaException if Kafka cannot be reached, or has no pool
   */
  public static BatchService start(
      ClientConfig client,
      FileStore files,
      long tenantMaxBytes,
      LineFormat format,
      JsonMemory memory,
      BatchSettings limits,
      Clock clock) {
    Deque<AutoCloseable> parts = new ArrayDeque<>();
    KafkaBatchLog log = KafkaBatchLog.open(client, clock);
    parts.push(log);
    KafkaBatchPartitions partitions = KafkaBatchPartitions.join(client);
    parts.push(partitions);
    parts.push(BatchRuns.start(log, partitions, files, format, memory, client, limits, clock));
    return new BatchService(
        Optional.of(new Batches(log, files, tenantMaxBytes, limits, clock)), parts);
  }

  /**
   * Returns the batches.
   *
   * @throws ApiException if this gateway has none
   */
  Batches batches() {
    return batches.orElseThrow(
        () ->
            new ApiException(
                ErrorKind.REQUEST_NOT_FOUND,
                "this gateway has no storage for files, so it runs no batches; its operator can"
                    + " set --files"));
  }

  /** Stops all runs; other gateways continue with them. */
  @Override
  public void close() throws Exception {
    while (!parts.isEmpty()) {
      parts.pop().close();
    }
  }
}
