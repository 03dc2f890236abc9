package io.sluice.simulator.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.simulator.serving.ChoiceOutput;
import io.sluice.simulator.serving.Finish;
import java.io.IOException;
import java.util.List;

/** The JSON of one endpoint's responses, key by key as vLLM writes it. Used for one request. */
sealed interface ResponseFormat permits ChatFormat, CompletionFormat {

  /** Returns the frames in front of the first output. */
  List<byte[]> opening();

  /** Returns the frame of an output. */
  byte[] output(ChoiceOutput output);

  /** Returns the frame with the usage that ends a stream. */
  byte[] usage(Usage usage);

  /** Returns the response of a request that does not stream. */
  byte[] whole(List<ChoiceOutput> choices);

  /** Writes {@code finish_reason} and, where the frame has it, {@code stop_reason}. */
  static void writeFinish(JsonGenerator json, Finish finish) throws IOException {
    json.writeStringField("finish_reason", finish.reason().wireName());
    writeStopReason(json, finish);
  }

  /** Writes the stop string or the stop token; null for a natural end. */
  static void writeStopReason(JsonGenerator json, Finish finish) throws IOException {
    if (finish.stopToken().isPresent()) {
      json.writeNumberField("stop_reason", finish.stopToken().getAsInt());
    } else {
      json.writeStringField("stop_reason", finish.stopString().orElse(null));
    }
  }
}
