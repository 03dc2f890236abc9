package io.sluice.router.catalog;

import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.protocol.Topics;

/** Whether answers can be written where they were asked for. As thread-safe as its directory. */
public record ReplyAddresses(TopicDirectory topics) {

  /**
   * Whether a service's reply topic is not there any more. The topic of all is never gone: while it
   * is not known, the brokers are not.
   */
  public boolean isGone(ReplyAddress address) {
    return !address.topic().equals(Topics.REPLIES)
        && topics.partitions(Topics.REPLIES).isPresent()
        && topics.partitions(address.topic()).orElse(0) <= address.partition();
  }

  /** Where an answer is found by its request's id. */
  public ReplyAddress common(String requestId) {
    int partitions = topics.partitions(Topics.REPLIES).orElse(1);
    return new ReplyAddress(Topics.REPLIES, Partitions.of(requestId, partitions));
  }
}
