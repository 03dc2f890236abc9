package io.sluice.router.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What the policy decided, and why. The reasons are computed on request from what the policy saw,
 * because few decisions are ever explained. Not thread-safe, but may be passed on to another
 * thread.
 */
public final class Decision {
  /** Marks workers of a large fleet that were not examined. */
  static final byte NOT_EXAMINED = -2;

  static final byte COMPARED = -1;

  /** The name under which workers are reported that were not examined. */
  static final String SAMPLE = "sample";

  private final RoutingPolicy policy;
  private final RequestProfile request;
  private final Candidates fleet;
  private final byte[] verdicts;
  private final int chosen;
  private final boolean servable;

  /**
   * Creates a decision.
   *
   * @param chosen the index of a worker; -1 for none
   */
  Decision(
      RoutingPolicy policy,
      RequestProfile request,
      Candidates fleet,
      Shortlist shortlist,
      int chosen) {
    this.policy = policy;
    this.request = request;
    this.fleet = fleet;
    this.verdicts = shortlist.verdicts();
    this.chosen = chosen;
    this.servable = shortlist.servable();
  }

  /**
   * Why a worker was chosen or not.
   *
   * @param ruledOutBy the filter that ruled it out, or {@code sample}; empty if it was compared
   * @param score its weighted score, 0 to 1; 0 if it was ruled out
   * @param scores the score by each scorer, 0 to 1, by name; empty if it was ruled out
   */
  public record Reason(
      String worker, Optional<String> ruledOutBy, double score, Map<String, Double> scores) {}

  /**
   * A worker that could serve the request, and when its memory is expected to have room.
   *
   * @param inMillis 0 if there is room now, and at most a slot is missing
   */
  public record Room(String worker, double inMillis) {}

  /** Returns the request. */
  public RequestProfile request() {
    return request;
  }

  /** Returns the id of the worker; empty if none can take the request now. */
  public Optional<String> chosen() {
    return choice().map(candidate -> candidate.snapshot().id());
  }

  /** Returns the chosen worker as it was seen; empty if none can take the request now. */
  public Optional<Candidate> choice() {
    return chosen < 0 ? Optional.empty() : Optional.of(fleet.get(chosen));
  }

  /**
   * Returns whether any worker in the fleet could serve the request if it were neither busy nor
   * unhealthy.
   */
  public boolean servable() {
    return servable;
  }

  /**
   * Returns all workers that could serve the request if they had room, in the order in which they
   * are expected to have it.
   */
  public List<Room> room() {
    List<Room> room = new ArrayList<>();
    for (int at = 0; at < verdicts.length; at++) {
      Candidate candidate = fleet.get(at);
      if (isAble(at) && candidate.snapshot().slots() > 0) {
        double over = candidate.tokensOver(request);
        double millis = PredictedTtft.millisToGiveBack(over, request, candidate);
        room.add(new Room(candidate.snapshot().id(), millis));
      }
    }
    room.sort(Comparator.comparingDouble(Room::inMillis));
    return room;
  }

  /**
   * Returns a worker without room that the request had better wait for, because it has more of the
   * prompt cached than the chosen one; empty if there is none, or none was chosen.
   */
  public Optional<PrefixWait> prefixWait() {
    if (chosen < 0) {
      return Optional.empty();
    }
    List<Candidate> holders = new ArrayList<>();
    for (int at = 0; at < verdicts.length; at++) {
      if (verdicts[at] >= 0
          && fleet.get(at).outlook().cachedTokens() > cachedTokens()
          && fleet.get(at).snapshot().slots() > 0
          && Filters.ALL.get(verdicts[at]).isFreedByAnswers()) {
        holders.add(fleet.get(at));
      }
    }
    return holders.isEmpty()
        ? Optional.empty()
        : policy.prefixWait(request, fleet.get(chosen), holders);
  }

  /** Returns whether a worker could serve the request if it had room. */
  private boolean isAble(int at) {
    return verdicts[at] < 0 || Filters.ALL.get(verdicts[at]).scope() == Filters.Scope.ROOM;
  }

  /**
   * In how many milliseconds the first token is expected: at the chosen worker, or at the earliest
   * if none was chosen, as if the best one that could serve the request were about to be idle; 0 if
   * none could.
   */
  public double millisToFirstToken() {
    if (chosen >= 0) {
      return PredictedTtft.expectedMillis(request, fleet.get(chosen));
    }
    return IntStream.range(0, verdicts.length)
        .filter(this::isAble)
        .mapToDouble(at -> PredictedTtft.leastMillis(request, fleet.get(at)))
        .min()
        .orElse(0);
  }

  /**
   * Returns whether none was chosen only because the workers that fit have just handed this request
   * back.
   */
  public boolean onlyHandedBackRecently() {
    return chosen < 0
        && IntStream.range(0, verdicts.length)
            .mapToObj(fleet::get)
            .anyMatch(this::fitsButForHandBack);
  }

  private boolean fitsButForHandBack(Candidate candidate) {
    return candidate.recentlyHandedBack()
        && Filters.ALL.stream()
            .allMatch(filter -> filter == Filters.HANDED_BACK || filter.admits(request, candidate));
  }

  /** Returns the number of workers that passed the filters and were compared. */
  int compared() {
    int count = 0;
    for (byte verdict : verdicts) {
      count += verdict == COMPARED ? 1 : 0;
    }
    return count;
  }

  /**
   * Returns what decided, in a word: {@code only} if no other worker could take the request, {@code
   * prefix} if the chosen one has most of the prompt cached, otherwise {@code ttft}; {@code none}
   * if none was chosen.
   */
  public String mainReason() {
    if (chosen < 0) {
      return "none";
    }
    boolean hit = 2 * cachedTokens() > request.promptTokens();
    return compared() == 1 ? "only" : hit ? "prefix" : "ttft";
  }

  /** Returns how well the prompt fits the chosen worker's memory, 0 to 1; 0 if none was chosen. */
  public double fitScore() {
    return choice().map(candidate -> new Scorers.Fit().score(request, candidate)).orElse(0.0);
  }

  /** Returns the prompt tokens that the chosen worker is expected to have cached. */
  public long cachedTokens() {
    return choice().map(candidate -> candidate.outlook().cachedTokens()).orElse(0L);
  }

  /**
   * Returns whether the least loaded worker would have had to evict or preempt for this prompt and
   * the chosen one does not.
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

  /** Returns all workers, in the order in which they were given. */
  public List<Reason> candidates() {
    return IntStream.range(0, verdicts.length).mapToObj(this::reason).toList();
  }

  private Reason reason(int at) {
    Optional<String> ruledOutBy = ruledOutBy(verdicts[at]);
    return ruledOutBy.isPresent()
        ? new Reason(fleet.worker(at), ruledOutBy, 0, Map.of())
        : new Reason(
            fleet.worker(at),
            ruledOutBy,
            policy.score(request, fleet.get(at)),
            policy.scores(request, fleet.get(at)));
  }

  private Optional<String> ruledOutBy(byte verdict) {
    return switch (verdict) {
      case COMPARED -> Optional.empty();
      case NOT_EXAMINED -> Optional.of(SAMPLE);
      default -> Optional.of(Filters.ALL.get(verdict).reason());
    };
  }
}
