package io.sluice.router.catalog;

import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.protocol.Topics;

/**
 * Tells whether answers can be written where they were requested. As thread-safe as its directory.
 */
public record ReplyAddresses(TopicDirectory topics) {

  /**
   * Returns whether the reply topic of a service no longer exists. The common reply topic always
   * counts as existing: if it is not known, the brokers are not known either.
   */
  public boolean isGone(ReplyAddress address) {
    return !address.topic().equals(Topics.REPLIES)
        && topics.partitions(Topics.REPLIES).isPresent()
        && topics.partitions(address.topic()).orElse(0) <= address.partition();
  }

  /** Returns the address that is derived from a request's id. */
  public ReplyAddress common(String requestId) {
    int partitions = topics.partitions(Topics.REPLIES).orElse(1);
    return new ReplyAddress(Topics.REPLIES, Partitions.of(requestId, partitions));
  }
}
