package io.sluice.simulator.openai.response;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.simulator.serving.ChoiceOutput;
import io.sluice.simulator.serving.Finish;
import java.io.IOException;
import java.util.List;

/** Writes the JSON of one request's responses, with the keys and the key order of vLLM. */
public sealed interface ResponseFormat permits ChatFormat, CompletionFormat {

  /** Returns the frames before the first output. */
  List<byte[]> opening();

  /** Returns the frames of an output. */
  List<byte[]> output(ChoiceOutput output);

  /**
   * Returns the frame with usage that ends a stream. It is computed from the last output of each
   * choice.
   */
  byte[] usage(List<ChoiceOutput> choices);

  /** Returns the response of a request that does not stream. */
  byte[] whole(List<ChoiceOutput> choices);

  /** Writes the stop string or the stop token; null if the answer ended by itself. */
  static void writeStopReason(JsonGenerator json, Finish finish) throws IOException {
    if (finish.stopToken().isPresent()) {
      json.writeNumberField("stop_reason", finish.stopToken().getAsInt());
    } else {
      json.writeStringField("stop_reason", finish.stopString().orElse(null));
    }
  }
}
