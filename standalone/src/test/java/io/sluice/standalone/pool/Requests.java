package io.sluice.standalone.pool;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Request bodies for tests. */
final class Requests {
  private Requests() {}

  /** Returns a streamed chat request. */
  static byte[] chat(String prompt, int maxTokens) {
    return chat(PoolPlan.MODEL, prompt, maxTokens, true);
  }

  static byte[] chat(String model, String prompt, int maxTokens, boolean stream) {
    return """
        {"model":"%s","messages":[{"role":"user","content":"%s"}],"max_tokens":%d,"ignore_eos":true,"stream":%s}"""
        .formatted(model, prompt, maxTokens, stream)
        .getBytes(UTF_8);
  }
}
