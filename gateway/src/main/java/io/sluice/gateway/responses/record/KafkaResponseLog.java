package io.sluice.gateway.responses.record;

import io.sluice.common.kafka.RecordSend;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Topics;
import io.sluice.gateway.responses.record.RecordCache.Known;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.kafka.KafkaErrors;
import io.sluice.producer.kafka.KafkaSettings;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * The log in {@code sluice.responses}. A record is found by the time in its id, and what was
 * written to its partition since then tells whether it was deleted. Records that were used before
 * are remembered with the position up to which the partition was read. Thread-safe.
 */
public final class KafkaResponseLog implements ResponseLog, AutoCloseable {
  private static final Duration WRITE_LIMIT = Duration.ofSeconds(35);
  private static final Duration READ_LIMIT = Duration.ofSeconds(20);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  private final Producer<String, byte[]> producer;
  private final Consumer<String, byte[]> consumer;
  private final RecordSearch search;
  private final RecordCache cache;
  private final ReentrantLock lock = new ReentrantLock();

  KafkaResponseLog(
      Producer<String, byte[]> producer,
      Consumer<String, byte[]> consumer,
      Duration lookupTimeout,
      long cacheBytes) {
    this.producer = producer;
    this.consumer = consumer;
    this.search = new RecordSearch(consumer, lookupTimeout, READ_LIMIT);
    this.cache = new RecordCache(cacheBytes);
  }

  /**
   * Opens the log; nothing is read yet.
   *
   * @param cacheBytes how many bytes of records are remembered
   */
  public static KafkaResponseLog open(ClientConfig config, long cacheBytes) {
    return new KafkaResponseLog(
        KafkaSettings.producer(config),
        KafkaSettings.lookupConsumer(config),
        config.connectTimeout(),
        cacheBytes);
  }

  @Override
  public void append(ResponseRecord record) {
    byte[] json = RecordFormat.toJson(record);
    try {
      RecordMetadata place =
          RecordSend.send(
                  producer, new ProducerRecord<>(Topics.RESPONSES, record.requestId(), json))
              .get(WRITE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      cache.put(record.requestId(), Known.of(record, place.offset() + 1, json.length));
    } catch (ExecutionException e) {
      Exception cause = e.getCause() instanceof Exception inner ? inner : e;
      throw new ResponseLogException(
          KafkaErrors.kindOf(cause),
          "the response could not be stored: " + KafkaErrors.rootMessage(cause),
          cause);
    } catch (TimeoutException e) {
      throw unavailable("the response could not be stored in time", e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  @Override
  public Optional<CreatedResponse> find(String requestId) {
    try {
      if (!lock.tryLock(READ_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw unavailable("too many responses are looked for at once", null);
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    try {
      Optional<Known> known =
          cache
              .get(requestId)
              .or(() -> search.find(requestId))
              .map(found -> search.latest(requestId, found));
      known.ifPresent(now -> cache.put(requestId, now));
      return known.flatMap(Known::created);
    } catch (KafkaException e) {
      throw unavailable("the response cannot be read: " + KafkaErrors.rootMessage(e), e);
    } finally {
      lock.unlock();
    }
  }

  private static ResponseLogException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return unavailable("interrupted", e);
  }

  private static ResponseLogException unavailable(String message, @Nullable Exception cause) {
    return new ResponseLogException(ErrorKind.UNAVAILABLE, message, cause);
  }

  @Override
  public void close() {
    producer.close(CLOSE_LIMIT);
    lock.lock();
    try {
      consumer.close();
    } finally {
      lock.unlock();
    }
  }
}
