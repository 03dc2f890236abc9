package io.sluice.common.kafka;

import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** A topic or a partition that a broker does not know. */
public final class UnknownTopic {
  private UnknownTopic() {}

  /** Returns whether a request failed because of it. */
  public static boolean isCauseOf(Throwable failure) {
    return failure instanceof UnknownTopicOrPartitionException
        || failure.getCause() instanceof UnknownTopicOrPartitionException;
  }
}
