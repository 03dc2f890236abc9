package io.sluice.router.request;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.util.OptionalInt;

/**
 * The JSON of a {@link TrackedRequest}.
 *
 * @param version of the form; the first version did not write it
 */
record TrackedForm(
    OptionalInt version, RequestMetadata facts, History history, RequestState state) {
  /** The only version yet. Raise it if a router that ignores a change would do harm. */
  static final int VERSION = 1;

  static final byte FIRST_BYTE = '{';

  private static final ObjectReader READER =
      Json.mapper()
          .readerFor(TrackedForm.class)
          .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  TrackedForm {
    version = version == null ? OptionalInt.empty() : version;
  }

  static TrackedForm of(TrackedRequest request) {
    return new TrackedForm(
        OptionalInt.of(VERSION), request.metadata(), request.history(), request.state());
  }

  TrackedRequest request() {
    return new TrackedRequest(facts, history, state);
  }

  /**
   * Reads the form.
   *
   * @throws IOException if it is damaged or of another version
   */
  static TrackedForm fromBytes(byte[] stored) throws IOException {
    TrackedForm form;
    try {
      form = READER.readValue(stored);
    } catch (IOException e) {
      // Another version may have any other fields. Then its number explains more than they do.
      checkVersion(Json.tree(stored).path("version").asInt(VERSION));
      throw e;
    }
    checkVersion(form.version().orElse(VERSION));
    return form;
  }

  private static void checkVersion(int version) throws IOException {
    if (version != VERSION) {
      throw new IOException(
          "it has version %d, and this router reads version %d".formatted(version, VERSION));
    }
  }
}
