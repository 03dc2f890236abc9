package io.sluice.router.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the policy decided, and why. The reasons are worked out when they are asked for, from what
 * the policy saw, for few decisions are ever explained. Immutable.
 */
public final class Decision {
  /** Stands for candidates that passed the filters, but were not in the sample. */
  static final byte NOT_SAMPLED = -2;

  static final byte COMPARED = -1;

  private final RoutingPolicy policy;
  private final RequestProfile request;
  private final List<Candidate> fleet;
  private final byte[] verdicts;
  private final double[] scores;
  private final int chosen;
  private final boolean servable;

  /**
   * Takes over its arguments.
   *
   * @param verdicts per candidate the number of the filter that ruled it out, or one of the two
   *     above
   * @param chosen a candidate's number; -1 for none
   */
  Decision(
      RoutingPolicy policy,
      RequestProfile request,
      List<Candidate> fleet,
      byte[] verdicts,
      double[] scores,
      int chosen,
      boolean servable) {
    this.policy = policy;
    this.request = request;
    this.fleet = fleet;
    this.verdicts = verdicts;
    this.scores = scores;
    this.chosen = chosen;
    this.servable = servable;
  }

  /**
   * Why a worker was or was not chosen.
   *
   * @param rejectedBy the filter that ruled it out, or {@code sample}; empty if it was compared
   * @param score its weighted score, 0 to 1; 0 if it was ruled out
   * @param scores what each scorer gave it, 0 to 1, by name; empty if it was ruled out
   */
  public record Reason(
      String worker, Optional<String> rejectedBy, double score, Map<String, Double> scores) {}

  /**
   * A worker that could serve the request, and when its memory is expected to have room for it.
   *
   * @param inMillis 0 if it has, and lacks a free slot at most
   */
  public record Room(String worker, double inMillis) {}

  /** What was asked. */
  public RequestProfile request() {
    return request;
  }

  /** The id of the worker; empty if none can take the request now. */
  public Optional<String> chosen() {
    return choice().map(candidate -> candidate.snapshot().id());
  }

  /** The worker as it was seen; empty if none can take the request now. */
  public Optional<Candidate> choice() {
    return chosen < 0 ? Optional.empty() : Optional.of(fleet.get(chosen));
  }

  /** Whether any worker in the fleet could serve it, were it not busy or unwell. */
  public boolean servable() {
    return servable;
  }

  /** All workers that could serve it, had they only room; the one that has it soonest first. */
  public List<Room> room() {
    List<Room> room = new ArrayList<>();
    for (int at = 0; at < verdicts.length; at++) {
      Candidate candidate = fleet.get(at);
      boolean isAble =
          verdicts[at] < 0 || Filters.ALL.get(verdicts[at]).scope() == Filters.Scope.ROOM;
      if (isAble && candidate.snapshot().slots() > 0) {
        double over = candidate.tokensOver(request);
        double millis = PredictedTtft.millisToGiveBack(over, request, candidate);
        room.add(new Room(candidate.snapshot().id(), millis));
      }
    }
    room.sort(Comparator.comparingDouble(Room::inMillis));
    return room;
  }

  /** Whether none was chosen, but one would be, had none just given this request back. */
  public boolean onlyRejectedRecently() {
    return chosen < 0 && fleet.stream().anyMatch(this::fitsButForRejection);
  }

  private boolean fitsButForRejection(Candidate candidate) {
    return candidate.recentlyRejected()
        && Filters.ALL.stream()
            .allMatch(
                filter -> filter == Filters.RECENTLY_REJECTED || filter.admits(request, candidate));
  }

  /** How many workers passed the filters and were compared. */
  int compared() {
    int count = 0;
    for (byte verdict : verdicts) {
      count += verdict == COMPARED ? 1 : 0;
    }
    return count;
  }

  /**
   * What decided, in a word: {@code only} where no other worker could take it, {@code prefix} where
   * the chosen one has most of the prompt cached, else {@code ttft}; {@code none} if none was
   * chosen.
   */
  public String mainReason() {
    if (chosen < 0) {
      return "none";
    }
    boolean hit = 2 * cachedTokens() > request.promptTokens();
    return compared() == 1 ? "only" : hit ? "prefix" : "ttft";
  }

  /** How well the prompt fits the chosen worker's memory, 0 to 1; 0 if none was chosen. */
  public double fitScore() {
    return choice().map(candidate -> new Scorers.Fit().score(request, candidate)).orElse(0.0);
  }

  /** Tokens of the prompt that the chosen worker is expected to have cached. */
  public long cachedTokens() {
    return choice().map(candidate -> candidate.outlook().cachedTokens()).orElse(0L);
  }

  /**
   * Whether the least loaded worker would have had to evict or preempt for this prompt, and the
   * chosen one has not.
   */
  public boolean preventedEviction() {
    if (chosen < 0 || fleet.get(chosen).missingTokens(request) > 0) {
      return false;
    }
    int naive = chosen;
    for (int at = 0; at < verdicts.length; at++) {
      if (verdicts[at] == COMPARED && fleet.get(at).load() < fleet.get(naive).load()) {
        naive = at;
      }
    }
    return fleet.get(naive).missingTokens(request) > 0;
  }

  /** Each worker that was looked at, in the order in which they were given. */
  public List<Reason> candidates() {
    List<Reason> reasons = new ArrayList<>(verdicts.length);
    for (int at = 0; at < verdicts.length; at++) {
      Candidate candidate = fleet.get(at);
      reasons.add(
          new Reason(
              candidate.snapshot().id(),
              rejectedBy(verdicts[at]),
              scores[at],
              verdicts[at] == COMPARED ? policy.scores(request, candidate) : Map.of()));
    }
    return List.copyOf(reasons);
  }

  private Optional<String> rejectedBy(byte verdict) {
    return switch (verdict) {
      case COMPARED -> Optional.empty();
      case NOT_SAMPLED -> Optional.of("sample");
      default -> Optional.of(Filters.ALL.get(verdict).reason());
    };
  }
}
