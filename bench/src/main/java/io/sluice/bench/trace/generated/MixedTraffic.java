package io.sluice.bench.trace.generated;

/**
 * Short interactive requests, and few very long ones. Prompts share nothing.
 *
 * <p>Published: short prompts with a median of 1,020 tokens and a mean of 1,155, short answers with
 * a median of 129 and a mean of 211 (Azure's conversations of 2023; Splitwise, ISCA 2024).
 * Log-normal lengths with these have deviations of the logarithm of 0.5 and 1.
 *
 * <p>Assumed: three of 200 requests are long, with medians of 32,000 tokens in the prompt and 1,500
 * in the answer, deviations of the logarithm of 0.6 and 0.5, and at most 120,000 and 8,000.
 */
final class MixedTraffic implements Traffic {
  private static final double REQUESTS_PER_SECOND = 4;
  private static final double LONG = 0.015;
  private static final Lengths SHORT_PROMPTS = new Lengths(1_020, 0.5, 14_000);
  private static final Lengths SHORT_ANSWERS = new Lengths(129, 1, 2_000);
  private static final Lengths LONG_PROMPTS = new Lengths(32_000, 0.6, 120_000);
  private static final Lengths LONG_ANSWERS = new Lengths(1_500, 0.5, 8_000);

  private record Lengths(double median, double sigma, int most) {
    int draw(Draws draws) {
      return draws.tokens(median, sigma, most);
    }
  }

  @Override
  public double startsPerSecond() {
    return REQUESTS_PER_SECOND;
  }

  @Override
  public void session(long startNanos, Draws draws, Timeline timeline) {
    boolean isLong = draws.chance(LONG);
    int prompt = (isLong ? LONG_PROMPTS : SHORT_PROMPTS).draw(draws);
    int answer = (isLong ? LONG_ANSWERS : SHORT_ANSWERS).draw(draws);
    long content = timeline.newContent();
    timeline.add(startNanos, Text.of(content, prompt), answer, content);
  }
}
