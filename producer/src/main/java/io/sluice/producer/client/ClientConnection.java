package io.sluice.producer.client;

import io.sluice.common.kafka.GrouplessConsumers;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.ClientException;
import io.sluice.producer.follow.ReplyConsumers;
import io.sluice.producer.kafka.KafkaErrors;
import io.sluice.producer.kafka.KafkaSettings;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection to Kafka.
 *
 * @param inFlight to which the reader passes records
 * @param replies what opens further consumers
 */
record ClientConnection(
    InFlight inFlight, ReplyReader reader, RequestSender sender, ReplyConsumers replies) {

  /**
   * Connects to a pool.
   *
   * @param executor connects a part while the caller's thread connects another
   * @throws ClientException if Kafka cannot be reached within the configured time, rejects the
   *     client, or has no pool
   */
  static ClientConnection open(ClientConfig config, Executor executor, LongSupplier nanoTime) {
    CompletableFuture<Producer<String, byte[]>> producer =
        CompletableFuture.supplyAsync(() -> KafkaSettings.producer(config), executor);
    Consumer<String, byte[]> consumer = null;
    try {
      consumer = KafkaSettings.consumer(config);
      return of(config, producer::join, consumer, ReplyConsumers.of(config), nanoTime);
    } catch (KafkaException e) {
      closeQuietly(consumer, producer);
      throw KafkaErrors.connecting(e, config.bootstrapServers());
    } catch (CompletionException e) {
      closeQuietly(consumer, producer);
      throw e.getCause() instanceof KafkaException cause
          ? KafkaErrors.connecting(cause, config.bootstrapServers())
          : e;
    }
  }

  /** Fixes the reading position; the reader's thread is not started yet. */
  static ClientConnection of(
      ClientConfig config,
      Supplier<Producer<String, byte[]>> producer,
      Consumer<String, byte[]> consumer,
      ReplyConsumers replies,
      LongSupplier nanoTime) {
    InFlight inFlight = new InFlight(config.maxInFlight());
    ReplyReader reader =
        ReplyReader.open(
            consumer,
            config.replyTopic(),
            inFlight,
            nanoTime,
            new SplittableRandom(),
            config.connectTimeout());
    RequestSender sender =
        new RequestSender(
            producer.get(), new LaneChoice(config.lanes()), reader.home(), reader.partitionCount());
    return new ClientConnection(inFlight, reader, sender, replies);
  }

  private static void closeQuietly(
      @Nullable Consumer<String, byte[]> consumer,
      CompletableFuture<Producer<String, byte[]>> producer) {
    if (consumer != null) {
      GrouplessConsumers.close(consumer);
    }
    var _ = producer.thenAccept(opened -> opened.close(Duration.ZERO));
  }
}
