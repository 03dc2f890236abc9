package io.sluice.gateway.batch.run;

import io.sluice.gateway.files.ObjectStore;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** Objects in memory. */
public final class MemoryObjects implements ObjectStore {
  private final NavigableMap<String, byte[]> values = new ConcurrentSkipListMap<>();

  @Override
  public void put(String key, byte[] value) {
    values.put(key, value.clone());
  }

  @Override
  public Optional<byte[]> get(String key) {
    return Optional.ofNullable(values.get(key)).map(byte[]::clone);
  }

  @Override
  public void visit(String prefix, Visitor visitor) {
    values.forEach(
        (key, value) -> {
          if (key.startsWith(prefix)) {
            visitor.visit(key, value.length);
          }
        });
  }

  @Override
  public void delete(String key) {
    values.remove(key);
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}
