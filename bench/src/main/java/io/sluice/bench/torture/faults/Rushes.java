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

/** The blows that consist of what callers send, or go with it. */
final class Rushes {
  private static final String TENANT = "tenant-0";
  private static final String STRANGER = "stranger";
  private static final int UNSERVED = 20;
  private static final int LOST = 24;
  private static final int LARGE = 96;

  private final Odds odds;
  private final Engines engines;
  private final Prompts prompts;

  Rushes(Odds odds) {
    this.odds = odds;
    this.engines = odds.engines();
    this.prompts = new Prompts(odds.random());
  }

  /**
   * Bulk for three models, one of which nobody serves: of that more than a router takes at once,
   * some due within seconds behind others that are due in hours. What is due in minutes for the
   * others is so before those give way.
   */
  Blow bulk() {
    List<PlannedRequest> requests = new ArrayList<>();
    for (int n = 0; n < UNSERVED; n++) {
      PlannedRequest unserved = bulk(RequestKind.PUT_OFF_BULK, PoolSetup.ABSENT_MODEL, hours());
      requests.add(unserved.cancelledAfter(odds.seconds(130, 150)));
    }
    for (int n = 0; n < 3; n++) {
      Duration due = odds.seconds(15, 45);
      requests.add(bulk(RequestKind.UNSERVED_BULK, PoolSetup.ABSENT_MODEL, due).at(soon()));
      requests.add(bulk(RequestKind.BULK, engines.otherModel(), minutes()).at(soon()));
      requests.add(bulk(RequestKind.BULK, engines.model(), minutes()).at(soon()));
      requests.add(bulk(RequestKind.BULK, engines.otherModel(), hours()).at(soon()));
      requests.add(bulk(RequestKind.BULK, engines.model(), hours()).at(soon()));
    }
    requests.add(bulk(RequestKind.TOO_FAR_BULK, engines.model(), Duration.ofDays(3)));
    return new Rush("bulk for several models", requests, Duration.ofSeconds(60));
  }

  private PlannedRequest bulk(RequestKind kind, String model, Duration timeout) {
    String id = odds.id("bulk");
    ObjectNode body = prompts.atMost(prompts.chat(model, prompts.about(id)), 30, 120);
    return PlannedRequest.of(id, kind, body, TENANT, timeout);
  }

  private Duration soon() {
    return odds.seconds(1, 4);
  }

  private Duration minutes() {
    return odds.seconds(80, 120);
  }

  private Duration hours() {
    return odds.seconds(12 * 3_600, 23 * 3_600);
  }

  /** An id used again by its tenant, at the same address and at another one, and by strangers. */
  Blow repeats() {
    Optional<String> elsewhere = Optional.of(ReplyTopics.ELSEWHERE);
    PlannedRequest own = lengthy("again", RequestKind.LONG);
    PlannedRequest ownElsewhere = lengthy("again", RequestKind.LONG);
    PlannedRequest strangers = lengthy("taken", RequestKind.LONG);
    PlannedRequest strangersElsewhere = lengthy("taken", RequestKind.LONG);
    return new Rush(
        "repeats of ids",
        List.of(
            own.repeated(List.of(again(own, 1, TENANT), again(own, 20, TENANT))),
            ownElsewhere.repeated(
                List.of(
                    new Repeat(odds.seconds(1, 6), own.topic(), TENANT, elsewhere),
                    again(ownElsewhere, 8, TENANT))),
            strangers.repeated(
                List.of(
                    again(strangers, 1, STRANGER),
                    new Repeat(
                        odds.seconds(6, 12),
                        PlannedRequest.LONGER_LANE,
                        STRANGER,
                        Optional.empty()))),
            strangersElsewhere.repeated(
                List.of(new Repeat(odds.seconds(1, 8), own.topic(), STRANGER, elsewhere)))),
        Duration.ofSeconds(25));
  }

  private Repeat again(PlannedRequest request, int fromSeconds, String tenant) {
    return new Repeat(
        odds.seconds(fromSeconds, fromSeconds + 4), request.topic(), tenant, Optional.empty());
  }

  private PlannedRequest lengthy(String of, RequestKind kind) {
    String id = odds.id(of);
    ObjectNode body = prompts.lasting(prompts.chat(engines.model(), prompts.about(id)), 200, 500);
    return PlannedRequest.of(id, kind, body, TENANT, engines.patience());
  }

  /** More bytes than a router has room for, all waiting for a model that nobody serves. */
  Blow large() {
    List<PlannedRequest> requests =
        IntStream.range(0, LARGE)
            .mapToObj(
                n -> {
                  String id = odds.id("large");
                  ObjectNode body = prompts.chat(PoolSetup.ABSENT_MODEL, prompts.about(id));
                  return PlannedRequest.of(
                          id,
                          RequestKind.LARGE,
                          body.put("max_tokens", 20),
                          TENANT,
                          odds.seconds(8, 20))
                      .at(odds.seconds(0, 5));
                })
            .toList();
    return new Rush("memory pressure", requests, Duration.ofSeconds(25));
  }

  /** So long a one that whoever kills is sooner, however busy the machine is. */
  Blow poison(Target.Role prey) {
    String id = odds.id("poison");
    String prompt = prompts.about(id) + PoisonMark.of(id);
    ObjectNode body = prompts.lasting(prompts.chat(engines.model(), prompt), 1_000, 1_500);
    PlannedRequest request =
        PlannedRequest.of(
            id,
            prey == Target.Role.WORKER ? RequestKind.POISONOUS : RequestKind.DEADLY_TO_ENGINES,
            body,
            TENANT,
            engines.firstWithin());
    return new Poison(odds.allWorkers(), prey, List.of(request));
  }

  /** A reply topic that is deleted while half of its requests run, and before the others come. */
  Blow topicLoss() {
    String topic = ReplyTopics.LOST_PREFIX + odds.id("r");
    Duration deletedAfter = odds.seconds(2, 5);
    List<PlannedRequest> requests =
        IntStream.range(0, LOST)
            .mapToObj(
                n ->
                    lengthy("lost", RequestKind.ASTRAY)
                        .answeredAt(topic)
                        .at(n < LOST / 2 ? odds.seconds(0, 2) : odds.seconds(5, 12)))
            .toList();
    return new TopicLoss(topic, requests, deletedAfter, odds.seconds(4, 20));
  }

  Blow topicThinning() {
    String topic = "sluice.replies.thin-" + odds.id("r");
    Target broker = odds.broker();
    List<PlannedRequest> requests =
        IntStream.range(0, 6)
            .mapToObj(
                n -> lengthy("thin", RequestKind.ASTRAY).answeredAt(topic).at(odds.seconds(0, 6)))
            .toList();
    return new TopicThinning(
        topic, broker, odds.brokerBeside(broker), requests, odds.seconds(5, 15));
  }

  /** One record of every shape, each on a topic that callers may write. */
  Blow hostility() {
    List<String> topics =
        List.of(
            PlannedRequest.LANE, PlannedRequest.LONGER_LANE, PlannedRequest.BULK, "sluice.control");
    List<HostileRecord> records = new ArrayList<>();
    for (HostileRecord.Shape shape : HostileRecord.Shape.values()) {
      String topic = topics.get(odds.random().nextInt(topics.size()));
      records.add(new HostileRecord(shape, topic, engines.model(), odds.random().nextLong()));
    }
    return new Hostility(records, Duration.ofSeconds(10));
  }
}
