package io.sluice.gateway.access;

import java.io.IOException;
import java.util.List;

/** Stores API keys. Methods may block for some seconds. Thread-safe. */
public interface KeyStore {
  /**
   * Reads all keys.
   *
   * @throws IOException if they cannot be read
   */
  List<ApiKey> all() throws IOException;

  /**
   * Stores a key.
   *
   * @throws IOException if it cannot be stored
   */
  void add(ApiKey key) throws IOException;

  /**
   * Removes a key.
   *
   * @return whether there was one of that id
   * @throws IOException if the store cannot be written
   */
  boolean remove(String id) throws IOException;
}
