package io.sluice.producer.kafka;

import io.sluice.common.dependency.Reasons;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Topics;
import io.sluice.common.topic.PoolTopics;
import io.sluice.producer.ClientException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Describes Kafka's exceptions to users, in one sentence. */
public final class KafkaErrors {
  private KafkaErrors() {}

  /** Returns why the client cannot connect. */
  public static ClientException connecting(KafkaException error, String bootstrapServers) {
    return switch (error) {
      case TimeoutException timeout ->
          new ClientException(
              ClientException.Kind.UNREACHABLE,
              "cannot reach Kafka at " + bootstrapServers,
              timeout);
      case UnknownTopicOrPartitionException unknown ->
          String.valueOf(unknown.getMessage()).startsWith(Topics.REPLIES + ".")
              ? noServiceTopic(unknown, bootstrapServers)
              : noPool(bootstrapServers);
      case AuthenticationException refused -> refused(refused, bootstrapServers);
      case AuthorizationException refused -> refused(refused, bootstrapServers);
      default ->
          new ClientException(
              ClientException.Kind.CONFIGURATION,
              "cannot open a Kafka client for " + bootstrapServers + ": " + Reasons.of(error),
              error);
    };
  }

  /**
   * Returns why a topic could not be read.
   *
   * @param hint what to do if the reading was stopped because it took too long
   */
  public static ClientException reading(
      KafkaException error, String bootstrapServers, String topic, String hint) {
    String message = String.valueOf(error.getMessage());
    return error instanceof TimeoutException && message.startsWith(BoundedRead.TOO_LONG)
        ? new ClientException(
            ClientException.Kind.BUSY, topic + " was " + message + ": " + hint, error)
        : connecting(error, bootstrapServers);
  }

  public static ClientException noPool(String bootstrapServers) {
    return noTopic(bootstrapServers, Topics.REPLIES);
  }

  public static ClientException noTopic(String bootstrapServers, String topic) {
    return new ClientException(
        ClientException.Kind.NO_POOL,
        "Kafka at %s has no topic %s, so no pool has been started there"
            .formatted(bootstrapServers, topic));
  }

  /** Returns the error kind of a request that could not be sent. */
  public static ErrorKind kindOf(Exception error) {
    return error instanceof RecordTooLargeException
        ? ErrorKind.INVALID_REQUEST
        : ErrorKind.UNAVAILABLE;
  }

  /** Returns why a request could not be sent. */
  public static String sending(Exception error, String bootstrapServers) {
    return switch (error) {
      case RecordTooLargeException tooLarge ->
          "the request is larger than %d MiB, the maximum of the pool"
              .formatted(PoolTopics.MAX_REQUEST_BYTES >> 20);
      case TimeoutException timeout ->
          "Kafka at "
              + bootstrapServers
              + " did not accept the request in time: "
              + Reasons.of(timeout);
      default -> "Kafka at " + bootstrapServers + " rejected the request: " + Reasons.of(error);
    };
  }

  private static ClientException noServiceTopic(KafkaException error, String bootstrapServers) {
    return new ClientException(
        ClientException.Kind.CONFIGURATION,
        "Kafka at %s has no topic %s: create it with as many partitions as the pool's topics"
            .formatted(bootstrapServers, error.getMessage()),
        error);
  }

  private static ClientException refused(KafkaException error, String bootstrapServers) {
    return new ClientException(
        ClientException.Kind.CONFIGURATION,
        "Kafka at " + bootstrapServers + " rejected this client: " + Reasons.of(error),
        error);
  }
}
