package io.sluice.router.policy;

import java.util.List;
import java.util.Optional;

/**
 * A worker without room that has more of the prompt cached than the chosen one, so that waiting for
 * it costs less than computing that part again. With the costs of {@link PredictedTtft}:
 *
 * <pre>
 * saved = own cost at the chosen worker - own cost at this one
 * price = 1 / (1 - share of the chosen worker's slots that is taken), at most 10
 * waits if   cost at this worker + its wait for memory &lt; cost at the chosen worker + (price - 1) * saved
 * waits at most   patience * min(price * saved, 5 s)
 * </pre>
 *
 * <p>The price is what a millisecond of computing costs all requests: work that is added to a queue
 * with the utilization {@code u} makes its busy period longer by {@code 1 / (1 - u)} times as much
 * (M/G/1). An idle worker computes at no one's expense, and a request does not wait long for
 * another one. The limit is that of the ski-rental problem: waiting costs no more than what it
 * tries to save. When a slot becomes free is not predicted, because the lengths of the answers are
 * unknown. Immutable.
 *
 * @param worker its id
 * @param millisToFirstToken when the first token is expected there, if no slot is missing
 * @param mostMillis how long the request may wait, counted from when it could have been dispatched
 */
public record PrefixWait(String worker, double millisToFirstToken, double mostMillis) {
  private static final double MOST_PRICE = 10;
  private static final double MOST_MILLIS = 5_000;

  /**
   * Chooses among workers.
   *
   * @param holders those that have more of the prompt cached than the chosen one, and could serve
   *     the request if they had room
   * @param patience the weight {@link PolicyWeight#PATIENCE}
   * @return the worker with the least cost; empty if waiting does not pay
   */
  static Optional<PrefixWait> of(
      RequestProfile request,
      Candidate chosen,
      List<Candidate> holders,
      PredictedTtft ttft,
      double patience) {
    double price = Math.min(MOST_PRICE, 1 / Math.max(1 / MOST_PRICE, 1 - chosen.load()));
    double ownCost = ttft.ownCostMillis(request, chosen);
    double least = ttft.costMillis(request, chosen);
    Optional<PrefixWait> best = Optional.empty();
    for (Candidate holder : holders) {
      double saved = ownCost - ttft.ownCostMillis(request, holder);
      double memory = PredictedTtft.millisToGiveBack(holder.tokensOver(request), request, holder);
      double cost = memory + ttft.costMillis(request, holder) - (price - 1) * saved;
      double most = patience * Math.min(price * saved, MOST_MILLIS);
      if (most > 0 && cost < least) {
        least = cost;
        best =
            Optional.of(
                new PrefixWait(
                    holder.snapshot().id(),
                    memory + PredictedTtft.expectedMillis(request, holder),
                    most));
      }
    }
    return best;
  }
}
