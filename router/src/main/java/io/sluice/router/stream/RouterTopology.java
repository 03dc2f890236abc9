package io.sluice.router.stream;

import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Topics;
import io.sluice.router.write.RecordWriter;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * One sub-topology: the lanes, outcomes and controls of a partition all go to one task, which owns
 * the whole life of its requests. There is no sink, because a sink blocks its stream thread while a
 * topic cannot be written. All output goes through {@link RecordWriter}.
 */
public final class RouterTopology {
  private static final String SOURCE = "sources";
  private static final String SCHEDULER = "scheduler";

  private RouterTopology() {}

  /** Returns the topology over the lanes of a pool. */
  public static Topology build(Lanes lanes, StreamParts parts) {
    return new Topology()
        .addSource(
            AutoOffsetReset.earliest(),
            SOURCE,
            new LaneTimestamps(parts.appendTimes()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer(),
            inputs(lanes).toArray(String[]::new))
        .addProcessor(SCHEDULER, () -> new SchedulerProcessor(parts, laneTopics(lanes)), SOURCE)
        .addStateStore(store(SchedulerProcessor.REQUESTS_STORE), SCHEDULER);
  }

  /** Returns the topics that are read. */
  public static List<String> inputs(Lanes lanes) {
    List<String> topics = new ArrayList<>(laneTopics(lanes));
    topics.add(Topics.OUTCOMES);
    topics.add(Topics.CONTROL);
    return topics;
  }

  private static List<String> laneTopics(Lanes lanes) {
    return lanes.all().stream().map(Topics::requests).toList();
  }

  private static StoreBuilder<KeyValueStore<String, byte[]>> store(String name) {
    return Stores.keyValueStoreBuilder(
        Stores.inMemoryKeyValueStore(name), Serdes.String(), Serdes.ByteArray());
  }
}
