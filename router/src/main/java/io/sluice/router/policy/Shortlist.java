package io.sluice.router.policy;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * The workers that are compared for one request: all that pass the filters, or in a fleet of more
 * than {@value #COMPARED_ALL} workers a random sample of them, together with those that have the
 * most of the prompt cached. Workers are examined until enough pass, so that a decision costs the
 * same however large the fleet is, as long as most workers have room. Not thread-safe.
 */
final class Shortlist {
  private static final int COMPARED_ALL = 100;
  private static final int SAMPLE = 32;

  /** How many of those with the most of the prompt cached are examined, with or without room. */
  private static final int HOLDERS = 128;

  private final RequestProfile request;
  private final Candidates fleet;
  private final byte[] verdicts;
  private int[] compared = new int[SAMPLE];
  private int count;
  private long longestHit;
  private int holders;

  private Shortlist(RequestProfile request, Candidates fleet) {
    this.request = request;
    this.fleet = fleet;
    this.verdicts = new byte[fleet.size()];
    Arrays.fill(verdicts, Decision.NOT_EXAMINED);
  }

  static Shortlist of(RequestProfile request, Candidates fleet, RandomGenerator random) {
    Shortlist shortlist = new Shortlist(request, fleet);
    if (fleet.size() <= COMPARED_ALL) {
      for (int at = 0; at < fleet.size(); at++) {
        shortlist.examine(at);
      }
    } else {
      shortlist.sample(random);
      if (shortlist.count == SAMPLE) {
        fleet.forEachHolder(random, shortlist::addHolder);
      }
    }
    return shortlist;
  }

  /** Returns the indexes of the workers that are compared. */
  int[] compared() {
    return Arrays.copyOf(compared, count);
  }

  /**
   * Per worker the index of the filter that ruled it out, {@link Decision#COMPARED}, or {@link
   * Decision#NOT_EXAMINED}.
   */
  byte[] verdicts() {
    return verdicts;
  }

  /**
   * Returns whether any worker that was examined could serve the request if it were neither busy
   * nor unhealthy. All are examined unless some can serve it now.
   */
  boolean servable() {
    for (byte verdict : verdicts) {
      if (verdict == Decision.COMPARED
          || (verdict >= 0 && Filters.ALL.get(verdict).scope() != Filters.Scope.WORKER)) {
        return true;
      }
    }
    return false;
  }

  private void sample(RandomGenerator random) {
    int[] order = new int[verdicts.length];
    Arrays.setAll(order, at -> at);
    for (int drawn = 0; drawn < order.length && count < SAMPLE; drawn++) {
      int other = drawn + random.nextInt(order.length - drawn);
      int at = order[other];
      order[other] = order[drawn];
      examine(at);
    }
  }

  /**
   * Adds up to as many as were drawn, with more than half of the longest hit. Returns whether to
   * continue.
   */
  private boolean addHolder(int at) {
    if (2 * fleet.get(at).outlook().cachedTokens() <= longestHit) {
      return false;
    }
    if (verdicts[at] == Decision.NOT_EXAMINED) {
      examine(at);
    }
    return ++holders < HOLDERS && count < 2 * SAMPLE;
  }

  private void examine(int at) {
    Candidate candidate = fleet.get(at);
    verdicts[at] = verdict(candidate);
    if (verdicts[at] == Decision.COMPARED) {
      if (count == compared.length) {
        compared = Arrays.copyOf(compared, 2 * count);
      }
      compared[count++] = at;
      longestHit = Math.max(longestHit, candidate.outlook().cachedTokens());
    }
  }

  private byte verdict(Candidate candidate) {
    if (Filters.allAdmit(request, candidate)) {
      return Decision.COMPARED;
    }
    byte refusing = 0;
    while (Filters.ALL.get(refusing).admits(request, candidate)) {
      refusing++;
    }
    return refusing;
  }
}
