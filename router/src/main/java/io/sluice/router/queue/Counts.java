package io.sluice.router.queue;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;

/**
 * Counts by key. A key whose count is 0 is dropped, because callers choose what keys consist of.
 * Thread-safe.
 */
final class Counts<K> {
  private final ConcurrentMap<K, Integer> counts = new ConcurrentHashMap<>();

  void add(K key, int by) {
    counts.merge(key, by, (there, more) -> there + more == 0 ? null : there + more);
  }

  void forEach(BiConsumer<K, Integer> action) {
    counts.forEach(action);
  }

  int of(K key) {
    return counts.getOrDefault(key, 0);
  }
}
