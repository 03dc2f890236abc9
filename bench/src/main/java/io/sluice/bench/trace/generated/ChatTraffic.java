package io.sluice.bench.trace.generated;

import io.sluice.bench.trace.Trace;

/**
 * Conversations of people with several applications. Each prompt is the application's system
 * prompt, the earlier turns with their answers, and new text.
 *
 * <p>Published for ShareGPT (WildChat, ICLR 2024, table 1): 3.51 turns on average, 94 ± 626 tokens
 * of the user and 348 ± 270 of the answer per turn. Log-normal lengths with these moments have
 * medians of 14 and 275 and deviations of the logarithm of 1.95 and 0.69. The number of turns is
 * geometric.
 *
 * <p>Assumed: eight applications, with popularity by Zipf's law (exponent 1) and system prompts of
 * 512 to 4,096 tokens; think times with a median of 60 s and a mean of 99 s; a conversation ends at
 * a context of 16,000 tokens.
 */
final class ChatTraffic implements Traffic {
  private static final double REQUESTS_PER_SECOND = 4;
  private static final double TURNS = 3.51;
  private static final double USER_MEDIAN = 14;
  private static final double USER_SIGMA = 1.95;
  private static final double ANSWER_MEDIAN = 275;
  private static final double ANSWER_SIGMA = 0.69;
  private static final int MOST_ANSWER_TOKENS = 2_000;
  private static final int MOST_CONTEXT_TOKENS = 16_000;
  private static final int APPLICATIONS = 8;
  private static final double THINK_MEDIAN_SECONDS = 60;
  private static final double THINK_SIGMA = 1;

  private final Zipf popularity = new Zipf(APPLICATIONS, 1);

  @Override
  public double startsPerSecond() {
    return REQUESTS_PER_SECOND / TURNS;
  }

  @Override
  public void session(long startNanos, Draws draws, Timeline timeline) {
    int application = popularity.choose(draws);
    long conversation = timeline.newContent();
    Text text = systemPrompt(application).continuedBy(conversation);
    long now = startNanos;
    for (int turn = draws.geometric(TURNS); turn > 0; turn--) {
      Text prompt = text.plus(draws.tokens(USER_MEDIAN, USER_SIGMA, MOST_CONTEXT_TOKENS));
      int answer = draws.tokens(ANSWER_MEDIAN, ANSWER_SIGMA, MOST_ANSWER_TOKENS);
      if (prompt.tokens() + answer > MOST_CONTEXT_TOKENS) {
        return;
      }
      long answered = timeline.add(now, prompt, answer, conversation);
      now = answered + (long) (1e9 * draws.logNormal(THINK_MEDIAN_SECONDS, THINK_SIGMA));
      text = prompt.plus(answer);
    }
  }

  /** Lengths do not follow popularity. Shared contents have negative numbers. */
  private static Text systemPrompt(int application) {
    int blocks = 1 + application * 3 % APPLICATIONS;
    return Text.of(-1 - application, blocks * Trace.BLOCK_TOKENS);
  }
}
