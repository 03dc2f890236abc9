package io.sluice.simulator.endpoint;

import io.sluice.simulator.fault.Effect;
import io.sluice.simulator.http.Exchange;
import io.sluice.simulator.openai.request.ApiError;
import io.sluice.simulator.serving.ChoiceOutput;
import io.sluice.simulator.serving.OutputListener;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Applies an injected fault between the engine and a reply when its token is reached. The outputs
 * of all choices count.
 */
final class FaultyReply implements OutputListener {

  private final Effect.OnRequest effect;
  private final Exchange exchange;
  private final Reply reply;
  private final long startNanos = System.nanoTime();

  /** In the order of the answer: timers that end at nearly the same time may not keep theirs. */
  private final Queue<ChoiceOutput> late = new ConcurrentLinkedQueue<>();

  private int seen;

  FaultyReply(Effect.OnRequest effect, Exchange exchange, Reply reply) {
    this.effect = effect;
    this.exchange = exchange;
    this.reply = reply;
  }

  @Override
  public void onOutput(ChoiceOutput output) {
    int index = seen++;
    switch (effect) {
      case Effect.StallAfter stall -> passBefore(stall.tokens(), index, output, () -> {});
      case Effect.CutAfter cut -> passBefore(cut.tokens(), index, output, exchange::hangUp);
      case Effect.CutInFrameAfter cut -> cutWithin(cut.tokens(), index, output);
      case Effect.ErrorAfter error -> passBefore(error.tokens(), index, output, this::fail);
      case Effect.GarbleAfter garble -> {
        if (index == garble.tokens()) {
          exchange.execute(() -> reply.garble(output));
        } else {
          exchange.execute(() -> reply.onOutput(output));
        }
      }
      case Effect.Slow slow -> {
        double lateNanos = (System.nanoTime() - startNanos) * (slow.factor() - 1);
        late.add(output);
        exchange.schedule(Duration.ofNanos((long) lateNanos), () -> reply.onOutput(late.remove()));
      }
      case Effect.Status _,
          Effect.Reset _,
          Effect.HangBeforeHead _,
          Effect.HangBeforeFirstToken _,
          Effect.NoDone _ ->
          reply.onOutput(output);
    }
  }

  private void passBefore(int tokens, int index, ChoiceOutput output, Runnable failure) {
    if (index < tokens) {
      reply.onOutput(output);
    } else if (index == tokens) {
      exchange.execute(failure);
    }
  }

  /**
   * Cuts inside an output. A whole answer is cut only when it is complete, since no part of it is
   * sent earlier.
   */
  private void cutWithin(int tokens, int index, ChoiceOutput output) {
    if (index == tokens) {
      exchange.execute(() -> reply.cutWithin(output));
    } else if (index < tokens || reply instanceof WholeReply) {
      exchange.execute(() -> reply.onOutput(output));
    }
  }

  private void fail() {
    exchange.cancel();
    reply.fail(ApiError.engineFailure());
  }
}
