package io.sluice.common.trace;

/**
 * Takes finished spans of sampled traces. Implementations never block and never fail: a span that
 * cannot be kept is dropped. Thread-safe.
 */
@FunctionalInterface
public interface SpanSink {
  void accept(Span span);
}
