package io.sluice.gateway.files;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Values under keys, which all gateways of a pool share. A value has 1 byte to 8 MiB. Keys are
 * names of letters, digits, {@code .}, {@code _} and {@code -} that do not begin with a dot,
 * separated by {@code /}; no key continues another key after a {@code /}. What was put is seen by
 * every later call. Thread-safe; methods block a bounded time, except on a hanging network folder.
 *
 * <p>All methods throw {@link StorageException} if the storage fails and {@link
 * IllegalArgumentException} for other keys.
 */
public interface ObjectStore extends AutoCloseable {

  /**
   * Stores a value in place of the former one. Readers see the whole value or the former one. The
   * value is durable when this returns.
   */
  void put(String key, byte[] value);

  /** Returns a value; empty if there is none. */
  Optional<byte[]> get(String key);

  /** Receives the keys of values and their sizes. */
  interface Visitor {
    void visit(String key, long bytes);
  }

  /**
   * Passes on all keys that begin with a text, in any order.
   *
   * @param prefix a key or the beginning of one; empty for all keys
   */
  void visit(String prefix, Visitor visitor);

  /** Returns all keys that begin with a text, in ascending order. */
  default List<String> list(String prefix) {
    List<String> keys = new ArrayList<>();
    visit(prefix, (key, _) -> keys.add(key));
    keys.sort(null);
    return List.copyOf(keys);
  }

  /** Removes a value, if there is one. */
  void delete(String key);

  @Override
  void close();
}
