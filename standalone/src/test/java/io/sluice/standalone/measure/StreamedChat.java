package io.sluice.standalone.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

/** A streamed chat of a given length whose frames each report the number of tokens so far. */
final class StreamedChat {
  private StreamedChat() {}

  static byte[] body(String model, int number, int tokens) {
    return """
        {"model":"%s","messages":[{"role":"user","content":"Stream number %d"}],"max_tokens":%d,"ignore_eos":true,"stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true}}"""
        .formatted(model, number, tokens)
        .getBytes(UTF_8);
  }

  static int completionTokens(String frame) {
    String field = "\"completion_tokens\":";
    int at = frame.lastIndexOf(field);
    if (at < 0) {
      return 0;
    }
    int end = at + field.length();
    while (Character.isDigit(frame.charAt(end))) {
      end++;
    }
    return Integer.parseInt(frame, at + field.length(), end, 10);
  }
}
