package io.sluice.router.log;

import io.sluice.common.protocol.Lane;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Topics;
import io.sluice.router.request.RequestMetadata;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells which requests were appended after a task started. No router can have assigned these
 * before, so their first attempt needs no claim. This relies on offsets and on no clock. Until the
 * end of the log is known, no request counts as fresh. Thread-safe.
 */
public final class LogEnds implements Predicate<RequestMetadata.Source> {
  private static final Logger log = LoggerFactory.getLogger(LogEnds.class);

  private final Admin admin;
  private final Lanes lanes;
  private final Map<TopicPartition, Long> ends = new ConcurrentHashMap<>();

  public LogEnds(Admin admin, Lanes lanes) {
    this.admin = admin;
    this.lanes = lanes;
  }

  /**
   * The task of a partition starts: requests the current ends of its lanes, and returns at once.
   */
  public void learn(int partition) {
    Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
    for (Lane lane : lanes.all()) {
      TopicPartition topicPartition = new TopicPartition(Topics.requests(lane), partition);
      ends.remove(topicPartition);
      wanted.put(topicPartition, OffsetSpec.latest());
    }
    var answer = admin.listOffsets(wanted);
    wanted
        .keySet()
        .forEach(
            topicPartition -> {
              var _ =
                  answer
                      .partitionResult(topicPartition)
                      .whenComplete(
                          (end, failure) -> {
                            if (failure == null) {
                              // The answer to an earlier request may arrive last.
                              ends.merge(topicPartition, end.offset(), Math::max);
                            } else {
                              log.warn(
                                  "event=log_end_not_read topic={} partition={} effect=\"first attempts publish a claim\" reason=\"{}\"",
                                  topicPartition.topic(),
                                  topicPartition.partition(),
                                  failure.getMessage());
                            }
                          });
            });
  }

  @Override
  public boolean test(RequestMetadata.Source source) {
    Long end = ends.get(new TopicPartition(source.topic(), source.partition()));
    return end != null && source.offset() >= end;
  }
}
