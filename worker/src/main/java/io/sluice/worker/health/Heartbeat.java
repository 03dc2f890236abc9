package io.sluice.worker.health;

import io.sluice.common.protocol.Lane;
import io.sluice.common.protocol.ModelCard;
import io.sluice.fleet.EnginePace;
import io.sluice.fleet.EngineTraits;
import io.sluice.fleet.FleetRegistry;
import io.sluice.fleet.WorkerOrder;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.WorkerSnapshotBuilder;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.intake.Admission;
import io.sluice.worker.intake.Incarnation;
import io.sluice.worker.intake.RunningGenerations;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Publishes the worker's snapshot at every beat. An unavailable registry has no effect. {@link
 * #beat} is for one thread, the rest for any.
 */
public final class Heartbeat {
  private final WorkerConfig config;
  private final FleetRegistry registry;
  private final EngineMonitor monitor;
  private final Supplier<EnginePace> pace;
  private final RunningGenerations running;
  private final Admission admission;
  private final Incarnation incarnation;
  private final Consumer<WorkerOrder> orders;
  private final String version;
  private final AtomicBoolean isPublishing = new AtomicBoolean();
  private volatile CompletionStage<FleetRegistry.Published> publishing = new CompletableFuture<>();
  private volatile boolean announced;
  private long sequence;

  /**
   * A heartbeat without a beat.
   *
   * @param pace the present pace of the engine
   * @param orders gets the operator's order, at every beat
   */
  public Heartbeat(
      WorkerConfig config,
      FleetRegistry registry,
      EngineMonitor monitor,
      Supplier<EnginePace> pace,
      RunningGenerations running,
      Admission admission,
      Incarnation incarnation,
      Consumer<WorkerOrder> orders,
      String version) {
    this.config = config;
    this.registry = registry;
    this.monitor = monitor;
    this.pace = pace;
    this.running = running;
    this.admission = admission;
    this.incarnation = incarnation;
    this.orders = orders;
    this.version = version;
  }

  /** One beat. Returns at once; does nothing while an earlier beat is still in flight. */
  public void beat() {
    sequence++;
    if (isPublishing.compareAndSet(false, true)) {
      publish(snapshot());
    }
  }

  /** Returns whether a snapshot was published in which the worker accepts requests. */
  public boolean isAnnounced() {
    return announced;
  }

  /**
   * Returns the latest publication, which may be in progress; fails if the registry is unreachable.
   */
  public CompletionStage<?> latestPublication() {
    return publishing;
  }

  private void publish(WorkerSnapshot snapshot) {
    publishing = published(snapshot);
    publishing.whenComplete(
        (published, failure) -> {
          isPublishing.set(false);
          if (failure == null) {
            if (snapshot.accepting()) {
              announced = true;
            }
            published.order().ifPresent(orders);
          }
        });
  }

  private CompletionStage<FleetRegistry.Published> published(WorkerSnapshot snapshot) {
    try {
      return registry.publish(snapshot);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private WorkerSnapshot snapshot() {
    EngineState engine = monitor.state();
    SequencedMap<String, ModelCard> models = monitor.announcedCards();
    return WorkerSnapshotBuilder.builder()
        .id(config.id())
        .incarnation(incarnation.current())
        .sequence(sequence)
        .models(List.copyOf(models.keySet()))
        .cards(cards(models, engine.maxModelLen()))
        .lanes(config.lanes().stream().map(Lane::name).toList())
        .maxModelLen(engine.maxModelLen())
        .tokenBudget(engine.tokenBudget())
        .tokensInUse(running.contextTokens())
        .kvUsage(engine.kvUsage())
        .running(engine.running())
        .waiting(engine.waiting())
        .slots(running.usable(admission.slots()))
        .held(running.countPerRouter())
        .draining(admission.draining().getAsBoolean())
        .engineUp(admission.engineUp().getAsBoolean())
        .pace(pace.get())
        .traits(
            new EngineTraits(
                config.engine().draftSuits(),
                config.engine().refused(engine.dialect().refusedWithDraft()),
                engine.loadedAdapters()))
        .version(version)
        .tier(config.tier())
        .build();
  }

  private static Map<String, ModelCard> cards(
      SequencedMap<String, ModelCard> models, int maxModelLen) {
    Map<String, ModelCard> cards = new LinkedHashMap<>();
    models.entrySet().stream()
        .limit(WorkerSnapshot.MOST_CARDS)
        .forEach(model -> cards.put(model.getKey(), model.getValue().within(maxModelLen)));
    return cards;
  }
}
