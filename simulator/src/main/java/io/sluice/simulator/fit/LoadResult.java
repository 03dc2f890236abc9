package io.sluice.simulator.fit;

import java.util.List;

/**
 * How an engine took a load.
 *
 * @param streams all requests, in the order of their arrival
 * @param running sequences in the batch, looked at every 100 ms
 * @param waiting sequences in the queue, likewise
 * @param preemptions how often a sequence lost its blocks
 * @param hitRate prompt tokens found in the prefix cache, of those looked for
 */
record LoadResult(
    List<TokenTimes> streams,
    List<Double> running,
    List<Double> waiting,
    double preemptions,
    double hitRate) {

  List<Double> ttftMillis() {
    return streams.stream().map(TokenTimes::ttftMillis).toList();
  }

  List<Double> tpotMillis() {
    return streams.stream().filter(one -> one.tokens() > 1).map(TokenTimes::tpotMillis).toList();
  }

  double tokensPerSecond() {
    long from = streams.stream().mapToLong(TokenTimes::sentNanos).min().orElse(0);
    long to = streams.stream().mapToLong(TokenTimes::lastNanos).max().orElse(0);
    double tokens = streams.stream().mapToInt(TokenTimes::tokens).sum();
    return to > from ? tokens * 1e9 / (to - from) : 0;
  }
}
