package io.sluice.gateway.responses.record;

import io.sluice.common.dependency.Reasons;
import io.sluice.common.kafka.RecordSend;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Topics;
import io.sluice.gateway.responses.record.RecordSearch.Found;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.kafka.ConsumerPool;
import io.sluice.producer.kafka.KafkaErrors;
import io.sluice.producer.kafka.KafkaSettings;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * The log in {@code sluice.responses} and {@code sluice.responses.deleted}. A record is found at
 * its known place, otherwise by the time in its id. Records that were used before are remembered.
 * Thread-safe.
 */
public final class KafkaResponseLog implements ResponseLog, AutoCloseable {
  private static final Duration WRITE_LIMIT = Duration.ofSeconds(35);
  private static final Duration READ_LIMIT = Duration.ofSeconds(20);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);
  private static final int REMEMBERED_DELETIONS = 100_000;

  /** How many records are read at a time. */
  public static final int READS_AT_A_TIME = 16;

  private final Producer<String, byte[]> producer;
  private final ConsumerPool consumers;
  private final RecordSearch search;
  private final Deletions deletions;
  private final RecordCache cache;
  private final Places places;

  KafkaResponseLog(
      Producer<String, byte[]> producer,
      ConsumerPool consumers,
      Deletions deletions,
      Duration lookupTimeout,
      long cacheBytes,
      Places places) {
    this.producer = producer;
    this.consumers = consumers;
    this.search = new RecordSearch(consumers, lookupTimeout, READ_LIMIT);
    this.deletions = deletions;
    this.cache = new RecordCache(cacheBytes);
    this.places = places;
  }

  /**
   * Opens the log; nothing is read yet.
   *
   * @param cacheBytes how many bytes of records are remembered
   * @param places tells where records lie
   */
  public static KafkaResponseLog open(ClientConfig config, long cacheBytes, Places places) {
    Duration lookupTimeout = config.connectTimeout();
    return new KafkaResponseLog(
        KafkaSettings.producer(config),
        new ConsumerPool(() -> KafkaSettings.placingConsumer(config), READS_AT_A_TIME),
        new Deletions(
            KafkaSettings.placingConsumer(config), lookupTimeout, READ_LIMIT, REMEMBERED_DELETIONS),
        lookupTimeout,
        cacheBytes,
        places);
  }

  @Override
  public void append(ResponseRecord record) {
    switch (record) {
      case DeletedResponse _ ->
          append(Topics.DELETED_RESPONSES, record.requestId(), RecordFormat.toJson(record));
      case CreatedResponse created -> {
        StoredResponse stored = StoredResponse.of(created);
        RecordMetadata place = append(Topics.RESPONSES, created.requestId(), stored.json());
        cache.put(stored);
        places.note(created.requestId(), Place.ofRecord(place.offset()));
      }
    }
  }

  private RecordMetadata append(String topic, String key, byte[] json) {
    try {
      return RecordSend.send(producer, new ProducerRecord<>(topic, key, json))
          .get(WRITE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      Exception cause = e.getCause() instanceof Exception inner ? inner : e;
      ErrorKind kind = KafkaErrors.kindOf(cause);
      throw new ResponseLogException(
          kind,
          kind.isUnreachable()
              ? "the response could not be stored: " + Reasons.of(cause)
              : "the request is too large to be stored",
          cause);
    } catch (TimeoutException e) {
      throw unavailable("the response could not be stored in time", e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  @Override
  public Optional<StoredResponse> find(String requestId) {
    try {
      Optional<StoredResponse> known = cache.get(requestId);
      if (known.isEmpty()) {
        known = read(requestId).map(Found::stored);
        known.ifPresent(cache::put);
      }
      return known.filter(_ -> !deletions.contains(requestId));
    } catch (KafkaException e) {
      throw unreadable(e);
    }
  }

  @Override
  public boolean isDeleted(String requestId) {
    try {
      return deletions.contains(requestId);
    } catch (KafkaException e) {
      throw unreadable(e);
    }
  }

  @Override
  public boolean remembers(String requestId) {
    return cache.get(requestId).isPresent() && !deletions.mustSearch(requestId);
  }

  private Optional<Found> read(String requestId) {
    OptionalLong offset = places.find(requestId).record();
    Optional<Found> placed =
        offset.isPresent() ? search.at(offset.getAsLong(), requestId) : Optional.empty();
    if (placed.isPresent()) {
      return placed;
    }
    Optional<Found> found = search.find(requestId);
    found.ifPresent(at -> places.note(requestId, Place.ofRecord(at.offset())));
    return found;
  }

  private static ResponseLogException unreadable(KafkaException e) {
    return unavailable("the response cannot be read: " + Reasons.of(e), e);
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
    consumers.close();
    deletions.close();
  }
}
