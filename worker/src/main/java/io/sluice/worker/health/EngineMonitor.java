package io.sluice.worker.health;

import io.sluice.common.protocol.ModelCard;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.engine.EngineAnswer;
import io.sluice.worker.engine.EngineCheck.Condition;
import io.sluice.worker.engine.EngineClient;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.engine.dialect.EngineDialect;
import io.sluice.worker.engine.dialect.EngineIdentity;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Judges the engine by its own answers. It is down after two failed probes in a row, a report of
 * its own death, a refused connection, or a {@code /v1/models} that refuses the key. It is up after
 * one good probe, once its models are known. Its dialect says what it is asked; an engine without
 * that endpoint and without metrics is judged by its models. {@link #probe} and {@link
 * #probeAndIdentify} are for one thread, the rest for any.
 */
public final class EngineMonitor {
  private static final Duration ANSWER_BOUND = Duration.ofSeconds(2);
  private static final int FAILURES_TO_OPEN = 2;
  private static final int NOT_FOUND = 404;

  /** For engines that do not report their longest context. */
  private static final int DEFAULT_MAX_MODEL_LEN = 131_072;

  private static final Logger log = LoggerFactory.getLogger(EngineMonitor.class);

  private enum Probe {
    GOOD,
    /** No connection or no answer in time, or an answer that no healthy engine gives. */
    FAILED,
    /** The connection was closed. The engine behind a proxy may be gone. */
    CLOSED,
    /** The connection was refused, or the engine reports itself dead. */
    DEAD
  }

  private final EngineClient engine;
  private final WorkerConfig.Engine config;
  private final Clock clock;
  private final OptionalLong startSeconds;
  private final AtomicLong failedProbes = new AtomicLong();
  private volatile EngineState state;
  private EngineIdentity identity = EngineIdentity.UNKNOWN;
  private EngineLoad load = EngineLoad.UNKNOWN;
  private EngineTotals totals = EngineTotals.UNKNOWN;
  private final EngineLife life = new EngineLife();
  private volatile boolean isAnotherExpected;
  private int failuresInARow;
  private volatile String lastFailure = "";
  private final CompletableFuture<Void> probed = new CompletableFuture<>();

  /** A monitor of an engine that has not been probed yet, and therefore is down. */
  public EngineMonitor(EngineClient engine, WorkerConfig.Engine config, Clock clock) {
    this.engine = engine;
    this.config = config;
    this.clock = clock;
    this.startSeconds = OptionalLong.of(clock.instant().getEpochSecond());
    this.state = newState(Condition.AWAY);
  }

  /** Returns the present state. */
  public EngineState state() {
    return state;
  }

  /** Failed probes since the start. */
  public long failedProbes() {
    return failedProbes.get();
  }

  /**
   * The engine is being restarted: one that answers from now on is another process, unless its
   * start time tells that it is not.
   */
  public void expectAnother() {
    isAnotherExpected = true;
  }

  /**
   * Returns whether the engine is up. Completes after the first probe; fails with what is wrong if
   * it is down.
   */
  public CompletionStage<Void> answer() {
    return probed.thenRun(
        () -> {
          if (!state.up()) {
            throw new IllegalStateException(lastFailure);
          }
        });
  }

  /** Probes the engine; takes at most some seconds. */
  public void probe() throws InterruptedException {
    probe(false);
  }

  /**
   * The same, and identifies the engine: another one may have taken its place, or it may require
   * another key.
   */
  public void probeAndIdentify() throws InterruptedException {
    probe(true);
  }

  private void probe(boolean isDoubted) throws InterruptedException {
    Probe probe = ask();
    if (probe == Probe.FAILED && !isIdentified()) {
      recognise();
    }
    failuresInARow = probe == Probe.GOOD ? 0 : failuresInARow + 1;
    if (probe != Probe.GOOD) {
      failedProbes.incrementAndGet();
    }
    boolean wasUp = state.up();
    boolean isUp =
        switch (probe) {
          case DEAD -> false;
          case FAILED, CLOSED -> wasUp && failuresInARow < FAILURES_TO_OPEN;
          case GOOD -> (wasUp && !isDoubted && isIdentified()) || identify(wasUp);
        };
    if (isUp && probe == Probe.GOOD) {
      boolean isOrdered = !wasUp && isAnotherExpected;
      life.seen(load.startSeconds(), isOrdered || state.condition() == Condition.DEAD);
      isAnotherExpected &= !isOrdered;
    }
    boolean isSilent = probe == Probe.FAILED || probe == Probe.GOOD;
    state = newState(isUp ? Condition.UP : isSilent ? Condition.AWAY : Condition.DEAD);
    probed.complete(null);
  }

  private boolean isIdentified() {
    return !identity.models().isEmpty();
  }

  private Probe ask() throws InterruptedException {
    try {
      EngineDialect dialect = identity.dialect();
      String path = dialect.livenessPath();
      EngineAnswer health = engine.get(path, ANSWER_BOUND);
      if (dialect.isDead(health)) {
        lastFailure = path + " answered with status " + health.status();
        return Probe.DEAD;
      }
      EngineAnswer metrics = engine.get(dialect.metricsPath(), ANSWER_BOUND);
      var text =
          MetricsText.ofEngine(
              metrics.isOk() ? new String(metrics.body(), StandardCharsets.UTF_8) : "");
      load = EngineLoad.of(text);
      totals = EngineTotals.of(text);
      boolean hasNeither = health.status() == NOT_FOUND && !metrics.isOk();
      EngineAnswer judged =
          hasNeither ? engine.get(EngineIdentity.MODELS_PATH, ANSWER_BOUND) : health;
      lastFailure =
          (hasNeither ? EngineIdentity.MODELS_PATH : path)
              + " answered with status "
              + judged.status();
      boolean isGood = hasNeither ? judged.isOk() : judged.status() < 500;
      return isGood ? Probe.GOOD : Probe.FAILED;
    } catch (EngineException e) {
      lastFailure = String.valueOf(e.getMessage());
      log.debug("event=engine_probe_failed engine={} reason=\"{}\"", config.url(), lastFailure);
      return switch (e.failure()) {
        case EngineFailure.Unreachable away -> unreachable(away);
        default -> Probe.FAILED;
      };
    }
  }

  /** A connection that was not established in time, or has no route, may be the network's fault. */
  private static Probe unreachable(EngineFailure.Unreachable away) {
    return switch (away.reach()) {
      case REFUSED -> Probe.DEAD;
      case SENT -> Probe.CLOSED;
      case UNSENT -> Probe.FAILED;
    };
  }

  /**
   * Learns the kind of an engine that does not answer: its dialect may know a path that does not
   * wait behind its work.
   */
  private void recognise() throws InterruptedException {
    identity = models().map(this::read).orElse(identity);
  }

  private EngineIdentity read(EngineAnswer models) {
    return EngineIdentity.parse(models, clock.instant()).after(identity);
  }

  /**
   * Returns what the engine answers when it is asked for its models; empty if it does not answer.
   */
  private Optional<EngineAnswer> models() throws InterruptedException {
    try {
      return Optional.of(engine.get(EngineIdentity.MODELS_PATH, ANSWER_BOUND));
    } catch (EngineException e) {
      lastFailure = String.valueOf(e.getMessage());
      log.debug("event=engine_probe_failed engine={} reason=\"{}\"", config.url(), lastFailure);
      return Optional.empty();
    }
  }

  /**
   * Asks for the models, because an engine that comes back may serve others than before.
   *
   * @param isKnown whether the engine counts as unchanged if it does not answer
   * @return whether the engine can be used
   */
  private boolean identify(boolean isKnown) throws InterruptedException {
    Optional<EngineAnswer> answer = models();
    boolean isRefused =
        answer.map(EngineAnswer::status).filter(EngineFailure.Refused::isOfKey).isPresent();
    EngineIdentity told = answer.map(this::read).orElse(EngineIdentity.UNKNOWN);
    EngineIdentity before = identity;
    identity = told.models().isEmpty() && isKnown ? identity : told;
    boolean isUsable = !isRefused && (isIdentified() || config.model().isPresent() || isKnown);
    if (isRefused) {
      lastFailure = "it wants another key: set SLUICE_ENGINE_API_KEY";
    } else if (!isUsable && answer.isPresent()) {
      lastFailure = "it lists no models: set SLUICE_MODEL";
    } else if (isUsable && !identity.equals(before)) {
      log.info(
          "event=engine_identified engine={} kind={} models={}",
          config.url(),
          identity.dialect().name(),
          identity.models());
    }
    return isUsable;
  }

  /** The last load of an engine that is down is not valid any more. */
  private EngineState newState(Condition condition) {
    EngineLoad load = condition == Condition.UP ? this.load : EngineLoad.UNKNOWN;
    EngineIdentity told = config.model().map(identity::startingWith).orElse(identity);
    return new EngineState(
        condition,
        life.number(),
        told,
        config.maxModelLen().orElse(told.maxModelLen().orElse(DEFAULT_MAX_MODEL_LEN)),
        config.tokenBudget().orElse(load.kvTokens()),
        load,
        totals,
        clock.instant());
  }

  /**
   * Returns the model names to announce: those that the engine lists, the configured one first. A
   * configured name that the engine does not list stands for its first model, and is the only one.
   */
  public List<String> announcedModels() {
    return List.copyOf(announcedCards().keySet());
  }

  /** Returns what the engine lists of the models to announce, by name. */
  SequencedMap<String, ModelCard> announcedCards() {
    EngineIdentity told = state.identity();
    SequencedMap<String, ModelCard> announced = new LinkedHashMap<>(told.cards());
    config
        .model()
        .filter(name -> !announced.containsKey(name))
        .ifPresent(
            alias -> {
              announced.clear();
              announced.put(alias, told.cardOfAlias(alias).createdBy(startSeconds));
            });
    return announced;
  }
}
