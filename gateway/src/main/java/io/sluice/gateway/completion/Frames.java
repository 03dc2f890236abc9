package io.sluice.gateway.completion;

import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.Frame;
import io.sluice.producer.reply.ReplyEvent;
import java.util.List;

/** Translates the events of one answer into those of an API. Not thread-safe. */
public interface Frames {

  /** Returns the next events. After an answer that is whole, {@link #last} is still to come. */
  List<Frame> of(ReplyEvent event);

  /** Returns whether the answer has ended, regularly or not. */
  boolean isEnded();

  /** Returns what keeps a silent connection from being taken for dead. */
  Frame keepAlive();

  /** Returns the event with which an answer that is whole ends. */
  Frame last();

  /** Returns the last event of a stream that cannot continue. */
  Frame error(ApiError error);
}
