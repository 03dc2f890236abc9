package io.sluice.worker.engine;

import java.util.Map;

/**
 * A generation to start.
 *
 * @param path the engine's endpoint, e.g. {@code /v1/chat/completions}
 * @param body JSON
 * @param isStreamed whether the body asks for a stream; otherwise the answer comes as a whole
 * @param silence where the engine may be silent for long without being at fault
 * @param headers headers in addition to those that every request has: request id and trace context
 */
@SuppressWarnings("ArrayRecordComponent") // never changed, never compared
public record EngineRequest(
    String path, byte[] body, boolean isStreamed, Silence silence, Map<String, String> headers) {
  public EngineRequest {
    headers = Map.copyOf(headers);
  }
}
