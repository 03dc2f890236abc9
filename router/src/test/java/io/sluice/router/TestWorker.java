package io.sluice.router;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.ModelCard;
import io.sluice.common.protocol.Outcome;
import io.sluice.fleet.EnginePace;
import io.sluice.fleet.EngineTraits;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.WorkerSnapshotBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** A worker whose snapshot a test can shape. */
public final class TestWorker {
  private final String id;
  private String incarnation = "first";
  private long sequence = 1;
  private List<String> models = List.of("llama");
  private Map<String, ModelCard> cards = Map.of();
  private Optional<String> tier = Optional.empty();
  private List<String> lanes = List.of();
  private int maxModelLen = 131_072;
  private long tokenBudget;
  private long tokensInUse;
  private int slots = 4;
  private Map<String, Integer> held = Map.of();
  private boolean draining;
  private boolean engineUp = true;
  private OptionalDouble kvUsage = OptionalDouble.empty();
  private int running;
  private EnginePace pace = EnginePace.UNKNOWN;
  private EngineTraits traits = EngineTraits.NONE;

  public TestWorker(String id) {
    this.id = id;
  }

  public String id() {
    return id;
  }

  public TestWorker incarnation(String name) {
    incarnation = name;
    return this;
  }

  public TestWorker sequence(long number) {
    sequence = number;
    return this;
  }

  public TestWorker models(String... names) {
    models = List.of(names);
    return this;
  }

  public TestWorker cards(Map<String, ModelCard> byName) {
    cards = byName;
    return this;
  }

  public TestWorker tier(String name) {
    tier = Optional.of(name);
    return this;
  }

  public TestWorker lanes(String... names) {
    lanes = List.of(names);
    return this;
  }

  public TestWorker maxModelLen(int tokens) {
    maxModelLen = tokens;
    return this;
  }

  public TestWorker tokenBudget(long tokens) {
    tokenBudget = tokens;
    return this;
  }

  public TestWorker tokensInUse(long tokens) {
    tokensInUse = tokens;
    return this;
  }

  public TestWorker slots(int number) {
    slots = number;
    return this;
  }

  public TestWorker held(String router, int leases) {
    held = Map.of(router, leases);
    return this;
  }

  public TestWorker held(Map<String, Integer> leasesByRouter) {
    held = leasesByRouter;
    return this;
  }

  public TestWorker draining(boolean is) {
    draining = is;
    return this;
  }

  public TestWorker engineUp(boolean is) {
    engineUp = is;
    return this;
  }

  public TestWorker kvUsage(double share) {
    kvUsage = OptionalDouble.of(share);
    return this;
  }

  public TestWorker running(int requests) {
    running = requests;
    return this;
  }

  public TestWorker pace(double prefillTokensPerSecond, double stepMillis, long waitingTokens) {
    pace = new EnginePace(prefillTokensPerSecond, stepMillis, waitingTokens);
    return this;
  }

  public TestWorker traits(
      List<String> draftSuits, List<String> refuses, List<String> loadedAdapters) {
    traits = new EngineTraits(draftSuits, refuses, loadedAdapters);
    return this;
  }

  public TestWorker refuses(String... options) {
    traits = new EngineTraits(traits.draftSuits(), List.of(options), traits.loadedAdapters());
    return this;
  }

  /** Returns an engine that has too much to do, and says when to come again. */
  public static Outcome.Failed busy(long retryAfterMillis) {
    return new Outcome.Failed(
        FailureCode.ENGINE_OVERLOADED, 429, "busy", OptionalLong.of(retryAfterMillis), 0);
  }

  /** Reports again. */
  public TestWorker beat() {
    sequence++;
    return this;
  }

  public WorkerSnapshot snapshot() {
    return WorkerSnapshotBuilder.builder()
        .id(id)
        .incarnation(incarnation)
        .sequence(sequence)
        .models(models)
        .cards(cards)
        .lanes(lanes)
        .maxModelLen(maxModelLen)
        .tokenBudget(tokenBudget)
        .tokensInUse(tokensInUse)
        .kvUsage(kvUsage)
        .running(running)
        .waiting(0)
        .slots(slots)
        .held(held)
        .draining(draining)
        .engineUp(engineUp)
        .pace(pace)
        .traits(traits)
        .version("test")
        .tier(tier)
        .build();
  }

  public static Outcome.Failed failure(int tokens) {
    return new Outcome.Failed(
        FailureCode.ENGINE_ERROR, 500, "the engine broke", OptionalLong.empty(), tokens);
  }

  /** Its caller has been told. */
  public static Outcome.Rejected rejection() {
    return new Outcome.Rejected(ErrorKind.INVALID_REQUEST, 400, "the engine objects", true);
  }
}
