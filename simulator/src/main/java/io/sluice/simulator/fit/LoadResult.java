package io.sluice.simulator.fit;

import java.util.List;

/**
 * The behavior of an engine under a load.
 *
 * @param streams all requests in order of arrival
 * @param running the number of running sequences, sampled every 100 ms
 * @param waiting the number of waiting sequences, sampled every 100 ms
 * @param preemptions the number of preemptions
 * @param hitRate the share of prompt tokens looked up that were found in the prefix cache
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
