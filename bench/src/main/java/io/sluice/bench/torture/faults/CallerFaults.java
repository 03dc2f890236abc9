package io.sluice.bench.torture.faults;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.torture.load.HostileRecord;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.Prompts;
import io.sluice.bench.torture.load.Repeat;
import io.sluice.bench.torture.load.RequestKind;
import io.sluice.bench.torture.log.ReplyTopics;
import io.sluice.bench.torture.pool.Engines;
import io.sluice.bench.torture.pool.PoisonMark;
import io.sluice.bench.torture.pool.PoolSetup;
import io.sluice.bench.torture.pool.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Makes the faults that consist of requests or records, or that come with requests. */
final class CallerFaults {
  private static final String TENANT = "tenant-0";
  private static final String STRANGER = "stranger";
  private static final int UNSERVED = 20;
  private static final int LOST = 24;
  private static final int LARGE = 96;

  private final SeededChoices choices;
  private final Engines engines;
  private final Prompts prompts;

  CallerFaults(SeededChoices choices) {
    this.choices = choices;
    this.engines = choices.engines();
    this.prompts = new Prompts(choices.random());
  }

  /**
   * Bulk for three models, one of which no worker serves. For that one there is more bulk than a
   * router takes at once, and some that is due within seconds waits behind some that is due in
   * hours. Bulk for the other models is due in minutes, before the bulk for the unserved model is
   * cancelled.
   */
  Fault bulk() {
    List<PlannedRequest> requests = new ArrayList<>();
    for (int n = 0; n < UNSERVED; n++) {
      PlannedRequest unserved = bulk(RequestKind.CANCELLED_BULK, PoolSetup.ABSENT_MODEL, hours());
      requests.add(unserved.cancelledAfter(choices.seconds(130, 150)));
    }
    for (int n = 0; n < 3; n++) {
      Duration due = choices.seconds(15, 45);
      requests.add(bulk(RequestKind.UNSERVED_BULK, PoolSetup.ABSENT_MODEL, due).at(soon()));
      requests.add(bulk(RequestKind.BULK, engines.otherModel(), minutes()).at(soon()));
      requests.add(bulk(RequestKind.BULK, engines.model(), minutes()).at(soon()));
      requests.add(bulk(RequestKind.BULK, engines.otherModel(), hours()).at(soon()));
      requests.add(bulk(RequestKind.BULK, engines.model(), hours()).at(soon()));
    }
    requests.add(bulk(RequestKind.BULK_BEYOND_RETENTION, engines.model(), Duration.ofDays(3)));
    return new RequestBurst("bulk for several models", requests, Duration.ofSeconds(60));
  }

  private PlannedRequest bulk(RequestKind kind, String model, Duration timeout) {
    String id = choices.id("bulk");
    ObjectNode body = prompts.atMost(prompts.chat(model, prompts.about(id)), 30, 120);
    return PlannedRequest.of(id, kind, body, TENANT, timeout);
  }

  private Duration soon() {
    return choices.seconds(1, 4);
  }

  private Duration minutes() {
    return choices.seconds(80, 120);
  }

  private Duration hours() {
    return choices.seconds(12 * 3_600, 23 * 3_600);
  }

  /**
   * Request ids that are used again by their tenant, with the same reply topic and another one, and
   * by another tenant.
   */
  Fault repeats() {
    Optional<String> elsewhere = Optional.of(ReplyTopics.ELSEWHERE);
    PlannedRequest own = longRequest("again", RequestKind.LONG);
    PlannedRequest ownElsewhere = longRequest("again", RequestKind.LONG);
    PlannedRequest strangers = longRequest("taken", RequestKind.LONG);
    PlannedRequest strangersElsewhere = longRequest("taken", RequestKind.LONG);
    return new RequestBurst(
        "repeated ids",
        List.of(
            own.repeated(List.of(again(own, 1, TENANT), again(own, 20, TENANT))),
            ownElsewhere.repeated(
                List.of(
                    new Repeat(choices.seconds(1, 6), own.topic(), TENANT, elsewhere),
                    again(ownElsewhere, 8, TENANT))),
            strangers.repeated(
                List.of(
                    again(strangers, 1, STRANGER),
                    new Repeat(
                        choices.seconds(6, 12),
                        PlannedRequest.LONGER_LANE,
                        STRANGER,
                        Optional.empty()))),
            strangersElsewhere.repeated(
                List.of(new Repeat(choices.seconds(1, 8), own.topic(), STRANGER, elsewhere)))),
        Duration.ofSeconds(25));
  }

  private Repeat again(PlannedRequest request, int fromSeconds, String tenant) {
    return new Repeat(
        choices.seconds(fromSeconds, fromSeconds + 4), request.topic(), tenant, Optional.empty());
  }

  private PlannedRequest longRequest(String of, RequestKind kind) {
    String id = choices.id(of);
    ObjectNode body = prompts.ofLength(prompts.chat(engines.model(), prompts.about(id)), 200, 500);
    return PlannedRequest.of(id, kind, body, TENANT, engines.patience());
  }

  /** More bytes than a router can hold, all for a model that no worker serves. */
  Fault large() {
    List<PlannedRequest> requests =
        IntStream.range(0, LARGE)
            .mapToObj(
                n -> {
                  String id = choices.id("large");
                  ObjectNode body = prompts.chat(PoolSetup.ABSENT_MODEL, prompts.about(id));
                  return PlannedRequest.of(
                          id,
                          RequestKind.LARGE,
                          body.put("max_tokens", 20),
                          TENANT,
                          choices.seconds(8, 20))
                      .at(choices.seconds(0, 5));
                })
            .toList();
    return new RequestBurst("memory pressure", requests, Duration.ofSeconds(25));
  }

  /**
   * Returns a prompt that kills. Its answer is so long that the kill comes first, however busy the
   * machine is.
   */
  Fault poison(Target.Role killed) {
    String id = choices.id("poison");
    String prompt = prompts.about(id) + PoisonMark.of(id);
    ObjectNode body = prompts.ofLength(prompts.chat(engines.model(), prompt), 1_000, 1_500);
    PlannedRequest request =
        PlannedRequest.of(
            id,
            killed == Target.Role.WORKER ? RequestKind.KILLS_WORKERS : RequestKind.KILLS_ENGINES,
            body,
            TENANT,
            engines.patience());
    return new PoisonPrompt(choices.allWorkers(), killed, List.of(request));
  }

  /**
   * Returns a reply topic that is deleted while half of its requests run and before the others are
   * sent.
   */
  Fault topicLoss() {
    String topic = ReplyTopics.LOST_PREFIX + choices.id("r");
    Duration deletedAfter = choices.seconds(2, 5);
    List<PlannedRequest> requests =
        IntStream.range(0, LOST)
            .mapToObj(
                n ->
                    longRequest("lost", RequestKind.LOST_REPLY_TOPIC)
                        .answeredAt(topic)
                        .at(n < LOST / 2 ? choices.seconds(0, 2) : choices.seconds(5, 12)))
            .toList();
    return new TopicDeletion(topic, requests, deletedAfter, choices.seconds(4, 20));
  }

  Fault topicThinning() {
    String topic = "sluice.replies.thin-" + choices.id("r");
    Target broker = choices.broker();
    List<PlannedRequest> requests =
        IntStream.range(0, 6)
            .mapToObj(
                n ->
                    longRequest("thin", RequestKind.LOST_REPLY_TOPIC)
                        .answeredAt(topic)
                        .at(choices.seconds(0, 6)))
            .toList();
    return new TopicReplicaLoss(
        topic, broker, choices.brokerAfter(broker), requests, choices.seconds(5, 15));
  }

  /** Returns one record of every hostile shape, each on a topic that callers may write. */
  Fault hostility() {
    List<String> topics =
        List.of(
            PlannedRequest.LANE, PlannedRequest.LONGER_LANE, PlannedRequest.BULK, "sluice.control");
    List<HostileRecord> records = new ArrayList<>();
    for (HostileRecord.Shape shape : HostileRecord.Shape.values()) {
      String topic = topics.get(choices.random().nextInt(topics.size()));
      records.add(new HostileRecord(shape, topic, engines.model(), choices.random().nextLong()));
    }
    return new HostileRecords(records, Duration.ofSeconds(10));
  }
}
