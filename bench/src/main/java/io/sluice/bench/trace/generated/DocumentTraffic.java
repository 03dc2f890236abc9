package io.sluice.bench.trace.generated;

import io.sluice.bench.trace.Trace;
import java.util.HashMap;
import java.util.Map;

/**
 * Questions about documents. Each prompt is a whole document and one question.
 *
 * <p>Published: documents of 19,019 tokens and answers of 72 on average, as L-Eval's in Mooncake's
 * paper (FAST 2025); popularity by Zipf's law with an exponent of 0.8, as that of web pages
 * (Breslau et al., INFOCOM 1999: 0.64 to 0.83).
 *
 * <p>Assumed: 1,000 documents; log-normal lengths, with deviations of the logarithm of 0.6 for
 * documents and 0.7 for answers and questions; documents of at most 98,304 tokens; questions with a
 * median of 40 tokens.
 */
final class DocumentTraffic implements Traffic {
  private static final double REQUESTS_PER_SECOND = 4;
  private static final int DOCUMENTS = 1_000;
  private static final double POPULARITY = 0.8;
  private static final double DOCUMENT_MEDIAN = 15_900;
  private static final double DOCUMENT_SIGMA = 0.6;
  private static final int MOST_DOCUMENT_TOKENS = 98_304;
  private static final double QUESTION_MEDIAN = 40;
  private static final double ANSWER_MEDIAN = 56;
  private static final double SIGMA = 0.7;
  private static final int MOST_TOKENS = 1_000;

  private final Zipf popularity = new Zipf(DOCUMENTS, POPULARITY);
  private final Map<Integer, Integer> documentBlocks = new HashMap<>();

  @Override
  public double startsPerSecond() {
    return REQUESTS_PER_SECOND;
  }

  @Override
  public void session(long startNanos, Draws draws, Timeline timeline) {
    int document = popularity.choose(draws);
    int blocks = documentBlocks.computeIfAbsent(document, any -> newBlocks(draws));
    Text prompt =
        Text.of(-1 - document, blocks * Trace.BLOCK_TOKENS)
            .continuedBy(timeline.newContent())
            .plus(draws.tokens(QUESTION_MEDIAN, SIGMA, MOST_TOKENS));
    timeline.add(startNanos, prompt, draws.tokens(ANSWER_MEDIAN, SIGMA, MOST_TOKENS), 1 + document);
  }

  /** Whole blocks, so that the question does not change the document's last one. */
  private static int newBlocks(Draws draws) {
    int tokens = draws.tokens(DOCUMENT_MEDIAN, DOCUMENT_SIGMA, MOST_DOCUMENT_TOKENS);
    return Math.ceilDiv(tokens, Trace.BLOCK_TOKENS);
  }
}
