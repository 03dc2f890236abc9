package io.sluice.gateway.batch.run;

import io.sluice.producer.batch.BatchLine;
import java.util.List;

/** A line of an input as it is sent or refused. It holds texts only, no tree. */
sealed interface InputLine {
  /** A client cannot read a result while it is generated, so that no line is a stream. */
  List<String> OF_STREAMS = List.of("stream", "stream_options");

  /** Returns its number, counted from 1. */
  long number();

  /**
   * A request.
   *
   * @param body as it is sent
   */
  @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
  record Request(long number, String customId, byte[] body) implements InputLine {}

  /** A line without a valid request. */
  record Broken(long number, BatchLine.Broken problem) implements InputLine {}

  /** Returns a line without its tree, which is changed. */
  static InputLine of(long number, BatchLine parsed) {
    return switch (parsed) {
      case BatchLine.Broken broken -> new Broken(number, broken);
      case BatchLine.Item item -> {
        var _ = item.body().remove(OF_STREAMS);
        yield new Request(number, item.customId(), item.bytes());
      }
    };
  }
}
