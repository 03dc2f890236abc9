package io.sluice.standalone.pool;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A caller that uses only Kafka and docs/protocol.md, and no class of Sluice, so that it tests the
 * page.
 */
final class PlainClient implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(40);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final KafkaProducer<String, byte[]> producer;
  private final KafkaConsumer<String, byte[]> consumer;

  /** The result of a request's records. */
  record Answer(
      String text,
      int tokens,
      int attempts,
      boolean ok,
      JsonNode last,
      List<ConsumerRecord<String, byte[]>> records) {
    String errorCode() {
      return last.path("error").path("code").asText();
    }

    String errorMessage() {
      return last.path("error").path("message").asText();
    }
  }

  PlainClient(String bootstrapServers) {
    producer =
        new KafkaProducer<>(
            Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                8 * 1024 * 1024),
            new StringSerializer(),
            new ByteArraySerializer());
    consumer =
        new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false),
            new StringDeserializer(),
            new ByteArrayDeserializer());
  }

  /** Sends a record unchanged; headers and values may be {@code null}. */
  RecordMetadata send(String topic, String key, byte[] body, Map<String, String> headers)
      throws Exception {
    return sending(topic, key, body, headers).get(30, TimeUnit.SECONDS);
  }

  /** Sends a record like {@link #send}, without waiting until it is written. */
  Future<RecordMetadata> sending(
      String topic, String key, byte[] body, Map<String, String> headers) {
    var record = new ProducerRecord<>(topic, key, body);
    headers.forEach((name, value) -> record.headers().add(name, value.getBytes(UTF_8)));
    return producer.send(record);
  }

  /** Reads one request's records from the beginning of all partitions until it has ended. */
  Answer read(String topic, String requestId) {
    return fold(
        requestId, collect(topic, ofRequest(requestId), records -> isOver(requestId, records)));
  }

  /** Reads until there are as many records as requested. */
  List<ConsumerRecord<String, byte[]>> collect(
      String topic,
      Predicate<ConsumerRecord<String, byte[]>> wanted,
      Predicate<List<ConsumerRecord<String, byte[]>>> enough) {
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic).stream()
            .map(info -> new TopicPartition(topic, info.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    List<ConsumerRecord<String, byte[]>> found = new ArrayList<>();
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!enough.test(found)) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("not enough on " + topic + ": " + describe(found));
      }
      consumer
          .poll(Duration.ofMillis(100))
          .forEach(
              record -> {
                if (wanted.test(record)) {
                  found.add(record);
                }
              });
    }
    return found;
  }

  static Predicate<ConsumerRecord<String, byte[]>> ofRequest(String requestId) {
    return record -> header(record, "request-id").equals(Optional.of(requestId));
  }

  static Optional<String> header(ConsumerRecord<?, ?> record, String name) {
    Header header = record.headers().lastHeader(name);
    return Optional.ofNullable(header).map(found -> new String(found.value(), UTF_8));
  }

  static boolean isOver(String requestId, List<ConsumerRecord<String, byte[]>> records) {
    return fold(requestId, records).last() != null;
  }

  /** The reading rule, implemented a second time from the page alone. */
  static Answer fold(String requestId, List<ConsumerRecord<String, byte[]>> records) {
    int attempt = 0;
    String lease = "";
    int tokens = 0;
    boolean gap = false;
    StringBuilder text = new StringBuilder();
    for (var record : records) {
      int its = Integer.parseInt(header(record, "attempt").orElseThrow());
      String itsLease = header(record, "lease").orElseThrow();
      String kind = header(record, "kind").orElseThrow();
      if (kind.equals("pointer") || its < attempt || (its == attempt && !itsLease.equals(lease))) {
        continue;
      }
      if (its > attempt) {
        attempt = its;
        lease = itsLease;
        gap = false;
      }
      if (gap) {
        continue;
      }
      int index = header(record, "index").map(Integer::parseInt).orElse(0);
      switch (kind) {
        case "claim" -> {
          if (header(record, "mode").orElseThrow().equals("restart")) {
            tokens = 0;
            text.setLength(0);
          }
        }
        case "tokens" -> {
          gap = index != tokens;
          if (!gap) {
            tokens += Integer.parseInt(header(record, "count").orElseThrow());
            text.append(delta(json(record)));
          }
        }
        case "final" -> {
          gap = index != tokens;
          if (!gap) {
            JsonNode last = json(record);
            JsonNode whole = last.path("choices").path(0).path("message").path("content");
            String all = whole.isTextual() ? whole.asText() : text + delta(last);
            return new Answer(all, tokens, attempt, true, last, records);
          }
        }
        case "error" -> {
          return new Answer(text.toString(), tokens, attempt, false, json(record), records);
        }
        default -> throw new AssertionError("unknown kind " + kind);
      }
    }
    return new Answer(text.toString(), tokens, attempt, false, null, records);
  }

  private static String delta(JsonNode chunk) {
    JsonNode choice = chunk.path("choices").path(0);
    return choice.path("delta").path("content").asText(choice.path("text").asText(""));
  }

  private static JsonNode json(ConsumerRecord<String, byte[]> record) {
    try {
      return JSON.readTree(record.value());
    } catch (java.io.IOException e) {
      throw new AssertionError("a reply is not JSON", e);
    }
  }

  private static String describe(List<ConsumerRecord<String, byte[]>> records) {
    return records.stream()
        .map(record -> header(record, "kind").orElse("?") + header(record, "attempt").orElse(""))
        .toList()
        .toString();
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(2));
    consumer.close();
  }
}
