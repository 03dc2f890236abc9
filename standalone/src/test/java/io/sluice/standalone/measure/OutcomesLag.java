package io.sluice.standalone.measure;

import io.sluice.common.protocol.Topics;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/** How many outcomes the routers have read, by their commits, which happen once per second. */
record OutcomesLag(Admin admin, int partitions) {
  private static final String ROUTERS = "sluice-router";

  /** The records in the log and those that were read, summed over all partitions. */
  record Offsets(long written, long read) {
    long lag() {
      return written - read;
    }
  }

  Offsets now() throws InterruptedException, ExecutionException {
    List<TopicPartition> all =
        IntStream.range(0, partitions)
            .mapToObj(i -> new TopicPartition(Topics.OUTCOMES, i))
            .toList();
    var committed = admin.listConsumerGroupOffsets(ROUTERS).partitionsToOffsetAndMetadata().get();
    long read =
        all.stream()
            .filter(partition -> committed.get(partition) != null)
            .mapToLong(partition -> committed.get(partition).offset())
            .sum();
    Map<TopicPartition, OffsetSpec> latest =
        all.stream().collect(Collectors.toMap(Function.identity(), any -> OffsetSpec.latest()));
    long written =
        admin.listOffsets(latest).all().get().values().stream()
            .mapToLong(end -> end.offset())
            .sum();
    return new Offsets(written, read);
  }
}
