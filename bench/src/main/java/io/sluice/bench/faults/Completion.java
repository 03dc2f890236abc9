package io.sluice.bench.faults;

/** Completions that an engine is asked for. */
final class Completion {
  static final String PATH = "/v1/completions";

  private Completion() {}

  /** Returns a short prompt, and this many tokens of output, whatever the model would say. */
  static String body(String model, int number, int tokens, boolean isStreamed) {
    return body(model, "Count from %s on:".formatted(number), tokens, isStreamed);
  }

  /** Returns a prompt of token ids that no other number shares, so that no prefix is cached. */
  static String longBody(String model, int number, int promptTokens, int tokens) {
    StringBuilder ids = new StringBuilder("[");
    for (int i = 0; i < promptTokens; i++) {
      // Ids of common characters: every vocabulary has them.
      ids.append(i == 0 ? "" : ",").append(40 + (number * 31 + i * (number + 7)) % 200);
    }
    return "{\"model\":\"%s\",\"prompt\":%s],\"max_tokens\":%s,\"ignore_eos\":true,\"temperature\":0}"
        .formatted(model, ids, tokens);
  }

  private static String body(String model, String prompt, int tokens, boolean isStreamed) {
    return """
        {"model":"%s","prompt":"%s","max_tokens":%s,"ignore_eos":true,\
        "temperature":0,"stream":%b}"""
        .formatted(model, prompt, tokens, isStreamed);
  }
}
