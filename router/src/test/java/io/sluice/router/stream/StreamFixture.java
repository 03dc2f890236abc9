package io.sluice.router.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Topics;
import io.sluice.router.TestWorker;
import io.sluice.router.catalog.ModelCatalog;
import io.sluice.router.catalog.PromptFactors;
import io.sluice.router.catalog.ServedModels;
import io.sluice.router.classify.Classifier;
import io.sluice.router.classify.StandardRules;
import io.sluice.router.clock.PoolTime;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.lease.RetryPolicy;
import io.sluice.router.lease.WorkerLiveness;
import io.sluice.router.log.BoundedAppendTimes;
import io.sluice.router.log.EndOffsets;
import io.sluice.router.parse.PoolRules;
import io.sluice.router.parse.RequestReader;
import io.sluice.router.placement.Ledger;
import io.sluice.router.placement.LocalBreakers;
import io.sluice.router.placement.RoutingContext;
import io.sluice.router.policy.Experience;
import io.sluice.router.policy.RoutingPolicy;
import io.sluice.router.queue.Backlog;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.schedule.TestBodies;
import io.sluice.router.schedule.task.DispatchEvent;
import io.sluice.router.schedule.task.SchedulerListener;
import io.sluice.router.schedule.task.SchedulerParts;
import io.sluice.router.write.RecordWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** The parts of a router around its streams, with a fleet and clocks that a test sets. */
final class StreamFixture {
  static final long START_EPOCH_MILLIS = 1_800_000_000_000L;
  static final String CHAT =
      "{\"model\":\"llama\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";

  static final ModelCatalog MODELS = ModelCatalog.parse("llama=32768");

  final Map<String, TestWorker> workers = new HashMap<>();
  final MockProducer<String, byte[]> producer =
      new MockProducer<>(false, null, new StringSerializer(), new ByteArraySerializer());
  final Ledger ledger = new Ledger("router");
  final Backlog backlog = new Backlog(Backlog.Limits.ofRequests(100));
  TestBodies bodies = new TestBodies();
  final List<Integer> startedPartitions = new ArrayList<>();
  final OwnedPartitions partitions = new OwnedPartitions(startedPartitions::add);
  long nanos = 77;
  long pauses;

  /** So much the brokers' clocks are ahead. */
  long brokersAheadMillis;

  final PoolTime time =
      new PoolTime() {
        @Override
        public long millis() {
          return START_EPOCH_MILLIS + (nanos - 77) / 1_000_000;
        }

        @Override
        public long appendedAt(TopicPartition partition, long appendTimeMillis) {
          return appendTimeMillis - brokersAheadMillis;
        }

        @Override
        public long byLeader(TopicPartition partition, long epochMillis) {
          return epochMillis + brokersAheadMillis;
        }
      };

  /** The brokers never say. */
  final EndOffsets ends = new EndOffsets(partitions -> Map.of(), () -> nanos);

  /** Sends at once, on the caller's thread. */
  final RecordWriter writer = new RecordWriter(producer, this::topics, Runnable::run, () -> nanos);

  ServedModels served = ServedModels.awaited(MODELS);

  /** What of the router breaks, by the name of the event at which it does. */
  String failing = "";

  final List<String> failures = new ArrayList<>();
  int unreadable;
  private final SchedulerListener listener =
      new SchedulerListener() {
        @Override
        public void received(RequestMetadata metadata) {
          failIf("received");
        }

        @Override
        public void dispatched(DispatchEvent dispatch) {
          failIf("placed");
        }

        @Override
        public void failed(String at) {
          failures.add(at);
        }

        @Override
        public void unreadable(int values) {
          unreadable += values;
        }

        private void failIf(String event) {
          if (failing.equals(event)) {
            throw new IllegalStateException("a bug");
          }
        }
      };

  StreamParts parts() {
    var lanes = Lanes.standard();
    var shared =
        SchedulerParts.builder(
                new RoutingContext(
                    RoutingPolicy.standard(),
                    new Experience(),
                    this::fleet,
                    ledger,
                    new LocalBreakers(worker -> {}),
                    new WorkerLiveness(),
                    writer,
                    new Random(1)),
                bodies,
                backlog,
                new RetryPolicy(3))
            .listener(listener)
            .served(served)
            .build();
    var reader =
        RequestReader.forPool(
            lanes,
            MODELS,
            new Classifier(StandardRules.RULES),
            PoolRules.STANDARD,
            this::topics,
            source -> true);
    reader = reader.withFleet(served, new PromptFactors());
    return new StreamParts(
        shared,
        reader,
        writer,
        partitions,
        ends,
        new StartPositions(),
        time,
        new BoundedAppendTimes(time, ends, () -> nanos),
        () -> nanos,
        () -> pauses);
  }

  /** Every worker has a topic but those called homeless; there is one reply topic. */
  private OptionalInt topics(String topic) {
    if (topic.startsWith("sluice.worker.")) {
      return topic.endsWith("homeless") ? OptionalInt.empty() : OptionalInt.of(1);
    }
    return topic.equals(Topics.REPLIES) || topic.equals(Topics.DEAD_LETTERS)
        ? OptionalInt.of(4)
        : OptionalInt.empty();
  }

  FleetSnapshot fleet() {
    Map<String, WorkerView> views = new HashMap<>();
    workers.forEach((id, worker) -> views.put(id, new WorkerView(worker.snapshot(), nanos)));
    return new FleetSnapshot(views, true);
  }

  void join(TestWorker worker) {
    workers.put(worker.id(), worker);
  }

  /** Returns what was sent to those who wait for answers. */
  List<ProducerRecord<String, byte[]>> replies() {
    return sent(Topics.REPLIES);
  }

  List<ProducerRecord<String, byte[]>> deadLetters() {
    return sent(Topics.DEAD_LETTERS);
  }

  List<ProducerRecord<String, byte[]>> toWorker(String worker) {
    return sent(Topics.worker(worker));
  }

  private List<ProducerRecord<String, byte[]>> sent(String topic) {
    return producer.history().stream().filter(record -> record.topic().equals(topic)).toList();
  }

  static Headers headers(String... namesAndValues) {
    Headers headers = new RecordHeaders();
    for (int at = 0; at < namesAndValues.length; at += 2) {
      headers.add(namesAndValues[at], namesAndValues[at + 1].getBytes(UTF_8));
    }
    return headers;
  }

  static String text(Headers headers, String name) {
    return HeaderText.get(headers, name).orElse("");
  }
}
