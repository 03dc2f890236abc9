package io.sluice.verify.transcript;

import java.util.Map;
import java.util.OptionalInt;

/**
 * One request of the corpus, ready to be sent to one engine.
 *
 * @param name tells it from all others
 * @param body its bytes; none for no body
 * @param abortAfter after how many events of the answer the client goes away; empty if it stays
 * @param comparison how much of the answer is compared
 */
record Request(
    String name,
    String method,
    String path,
    Map<String, String> headers,
    byte[] body,
    OptionalInt abortAfter,
    Comparison comparison) {

  /** How much of an answer is compared. */
  enum Comparison {
    /** Status, headers, keys, types, and the values that tell what happened. */
    ALL,
    /** The same without why and where generation ended, which is the model's to say. */
    ANY_END,
    /** The same without numbers in messages, which differ by tokenizer. */
    ANY_NUMBERS,
    /** The status alone. */
    STATUS
  }

  Request {
    headers = Map.copyOf(headers);
  }
}
