package io.sluice.standalone.verify;

import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.RoutingDecision;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.DecisionLog;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.Answer;
import io.sluice.standalone.verify.pool.Finding;
import io.sluice.standalone.verify.pool.PoolWatch;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Checks whether the router's estimate of a prompt's length becomes that of the engine, once the
 * engine has reported the length of such prompts. For one thread.
 */
final class PromptTokensCheck {
  /** More than the 31 answers by whose median the router corrects its estimates. */
  private static final int QUESTIONS = 40;

  private static final double TOLERANCE = 0.05;
  private static final Duration ANSWERED_WITHIN = Duration.ofMinutes(1);
  private static final Duration DECIDED_WITHIN = Duration.ofSeconds(10);
  private static final String QUESTION =
      "Describe the estuary at daybreak: incomprehensible weather, tidal currents, merchant ships,"
          + " lighthouse keepers, phosphorescent plankton, and the unaccountable silence of the"
          + " seagulls. Afterwards recapitulate everything.";

  private final SluiceClient client;
  private final ClientConfig config;
  private final String model;

  /** Creates a check of a pool with one router. */
  PromptTokensCheck(SluiceClient client, ClientConfig config, String model) {
    this.client = client;
    this.config = config;
    this.model = model;
  }

  /** Asks the same question until the router knows how long it is. */
  Finding run() throws InterruptedException {
    try {
      Finding found = compared(0);
      for (int asked = 1; asked < QUESTIONS && found.isBroken(); asked++) {
        found = compared(asked);
      }
      return found;
    } catch (ExecutionException e) {
      return TroubleChecks.unanswered(e);
    } catch (TimeoutException e) {
      return Finding.broken(
          "expected an answer to a chat within %d s".formatted(ANSWERED_WITHIN.toSeconds()));
    }
  }

  private Finding compared(int asked)
      throws InterruptedException, ExecutionException, TimeoutException {
    String body =
        """
        {"model":"%s","messages":[{"role":"user","content":"%s"}],"max_tokens":1,"temperature":0}"""
            .formatted(model, QUESTION);
    Answer answer =
        client
            .submit(
                InferenceRequest.of(
                        Endpoint.CHAT_COMPLETIONS, body.getBytes(StandardCharsets.UTF_8))
                    .build())
            .answer()
            .get(ANSWERED_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    List<RoutingDecision> decisions = new ArrayList<>();
    PoolWatch.becomesTrue(
        () -> decisions.addAll(DecisionLog.read(config, answer.requestId())), DECIDED_WITHIN);
    if (decisions.isEmpty()) {
      return Finding.broken("expected a decision about a request that was answered");
    }
    return finding(decisions.getLast(), answer.usage().promptTokens(), asked);
  }

  /** Compares the router's number of prompt tokens with the engine's. */
  static Finding finding(RoutingDecision decision, long counted, int asked) {
    String seen =
        String.format(
            Locale.ROOT,
            "the router expects %d tokens (%d estimated) after %d answers to the same prompt, the"
                + " engine counts %d",
            decision.promptTokens(),
            decision.estimatedTokens(),
            asked,
            counted);
    boolean isKnown = Math.abs(decision.promptTokens() - counted) <= TOLERANCE * counted;
    return isKnown
        ? Finding.kept(seen)
        : Finding.broken("expected the engine's number within 5%; " + seen);
  }
}
