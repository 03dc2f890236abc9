package io.sluice.verify.transcript;

import java.util.Map;
import java.util.OptionalInt;

/**
 * One request of the corpus for one engine.
 *
 * @param name the unique name
 * @param body the bytes of the body; empty for no body
 * @param abortAfter the number of events after which the client disconnects; empty if it does not
 * @param comparison which parts of the answer are compared
 */
record Request(
    String name,
    String method,
    String path,
    Map<String, String> headers,
    byte[] body,
    OptionalInt abortAfter,
    Comparison comparison) {

  /** Which parts of an answer are compared. */
  enum Comparison {
    /** Status, headers, keys, types, and the values that describe the outcome. */
    ALL,
    /** The same without why and where generation ended, which depends on the model. */
    ANY_END,
    /** The same without numbers in messages, which depend on the tokenizer. */
    ANY_NUMBERS,
    /** The status only. */
    STATUS
  }

  Request {
    headers = Map.copyOf(headers);
  }
}
