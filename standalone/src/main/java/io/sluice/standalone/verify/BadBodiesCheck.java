package io.sluice.standalone.verify;

import io.sluice.common.kafka.RecordSend;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.Topics;
import io.sluice.common.topic.PoolTopics;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.AttachOptions;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.producer.reply.RequestFailedException;
import io.sluice.standalone.verify.pool.Finding;
import io.sluice.verify.http.Engine;
import io.sluice.verify.transcript.BadBodies;
import io.sluice.verify.transcript.BadBodies.BadBody;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Whether bad bodies get the same status through a pool as from its engine. They are sent with a
 * plain Kafka producer, because the client library refuses some of them itself. For one thread.
 */
final class BadBodiesCheck {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /**
   * How long the next body waits for the answer to the one before: the engine gets one at a time.
   */
  private static final Duration NEXT_AFTER = Duration.ofSeconds(2);

  /** The status of an answer that does not come. */
  private static final int NONE = 0;

  private static final int OK = 200;

  /** The engine's status for a model that no engine serves, which waits in the router. */
  private static final int NOT_FOUND = 404;

  private final String kafka;
  private final SluiceClient client;
  private final Engine engine;

  /** The errors that a pool has a code of its own for, by the names of the bodies. */
  private static final Map<Pattern, ErrorKind> CODES =
      Map.of(
          Pattern.compile("bad .*: unknown model.*"),
          ErrorKind.MODEL_NOT_FOUND,
          Pattern.compile("bad .*: (too long|(?!limit).*\\b(over|as long as) the context).*"),
          ErrorKind.CONTEXT_LENGTH_EXCEEDED);

  private record Asked(BadBody body, int direct, ReplyStream stream) {
    Statuses got(int pool, String code) {
      return new Statuses(body.name(), direct, pool, code);
    }

    Statuses gotNothing() {
      return got(NONE, "");
    }
  }

  /**
   * The status of one body, by both ways.
   *
   * @param code the pool's error; empty without one
   */
  record Statuses(String name, int engine, int pool, String code) {
    /** Returns the code that the pool promises for this body; empty where any will do. */
    private Optional<String> promised() {
      return CODES.entrySet().stream()
          .filter(entry -> entry.getKey().matcher(name).matches())
          .map(entry -> entry.getValue().code())
          .findFirst();
    }

    private boolean hasPromisedCode() {
      return promised().map(code::equals).orElse(true);
    }

    @Override
    public String toString() {
      return "%s (engine %d, pool %s%s)"
          .formatted(
              name,
              engine,
              pool == NONE ? "no answer" : pool,
              hasPromisedCode() ? "" : " %s instead of %s".formatted(code, promised().orElse("")));
    }
  }

  BadBodiesCheck(String kafka, SluiceClient client, Engine engine) {
    this.kafka = kafka;
    this.client = client;
    this.engine = engine;
  }

  /** Sends all, first to the engine, then through the pool, and compares. */
  Finding run() throws InterruptedException {
    List<Asked> asked = new ArrayList<>();
    try (Producer<String, byte[]> producer = producer()) {
      for (BadBody body : BadBodies.of(engine)) {
        int direct =
            engine
                .client()
                .send("POST", body.path(), Map.of("content-type", "application/json"), body.body())
                .status();
        asked.add(new Asked(body, direct, send(producer, body)));
        if (direct != NOT_FOUND) {
          var _ = outcome(asked.getLast(), NEXT_AFTER);
        }
      }
      List<Statuses> statuses = new ArrayList<>();
      for (Asked each : asked) {
        statuses.add(outcome(each, PATIENCE));
      }
      return finding(statuses, StatusDecision.load());
    } finally {
      asked.forEach(each -> each.stream().close());
    }
  }

  /** Compares the statuses; those that are decided may differ. */
  static Finding finding(List<Statuses> all, List<StatusDecision> decisions) {
    List<Statuses> broken = new ArrayList<>();
    TreeSet<String> reasons = new TreeSet<>();
    int decided = 0;
    for (Statuses statuses : all) {
      if (!statuses.hasPromisedCode()) {
        broken.add(statuses);
      } else if (statuses.engine() != statuses.pool()) {
        List<String> its =
            decisions.stream()
                .filter(decision -> decision.isAbout(statuses))
                .map(StatusDecision::reason)
                .toList();
        reasons.addAll(its);
        decided += its.isEmpty() ? 0 : 1;
        if (its.isEmpty()) {
          broken.add(statuses);
        }
      }
    }
    if (!broken.isEmpty()) {
      return Finding.broken(
          "expected the engine's statuses and the pool's codes; %d of %d bodies get others: %s"
              .formatted(broken.size(), all.size(), broken));
    }
    return Finding.kept(
        "%d of %d get the engine's status, %d another one that is decided: %s"
            .formatted(all.size() - decided, all.size(), decided, String.join(" ", reasons)));
  }

  private ReplyStream send(Producer<String, byte[]> producer, BadBody body) {
    String id = RequestId.next();
    String topic = Topics.requests(Lanes.standard().all().getFirst());
    var record = new ProducerRecord<>(topic, id, body.body());
    HeaderText.put(record.headers(), HeaderNames.REQUEST_ID, id);
    HeaderText.put(record.headers(), HeaderNames.ENDPOINT, body.path());
    HeaderText.put(record.headers(), HeaderNames.TIMEOUT_MS, PATIENCE.toMillis());
    // A record that is not written is an answer that does not come.
    var _ = RecordSend.send(producer, record);
    return client.attach(id, AttachOptions.standard().waiting(PATIENCE));
  }

  private static Statuses outcome(Asked asked, Duration patience) throws InterruptedException {
    try {
      var _ = asked.stream().answer().get(patience.toMillis(), TimeUnit.MILLISECONDS);
      return asked.got(OK, "");
    } catch (ExecutionException e) {
      return e.getCause() instanceof RequestFailedException failed
          ? asked.got(failed.failure().kind().status(), failed.failure().kind().code())
          : asked.gotNothing();
    } catch (TimeoutException e) {
      return asked.gotNothing();
    }
  }

  private Producer<String, byte[]> producer() {
    return new KafkaProducer<>(
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            kafka,
            ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
            PoolTopics.MAX_REQUEST_BYTES),
        new StringSerializer(),
        new ByteArraySerializer());
  }
}
