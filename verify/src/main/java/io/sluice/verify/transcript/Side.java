package io.sluice.verify.transcript;

import io.sluice.verify.http.Engine;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** One side of a comparison: its answers, and how to repeat a request. */
final class Side {

  private final Recording recording;
  private final Function<String, Set<String>> again;

  /**
   * Creates a side.
   *
   * @param again the answer to a request that is repeated
   */
  Side(Recording recording, Function<String, Set<String>> again) {
    this.recording = recording;
    this.again = again;
  }

  /** Sends all requests to an engine. */
  static Side of(Engine engine, List<Request> requests) {
    var byName = requests.stream().collect(Collectors.toMap(Request::name, request -> request));
    Recorder recorder = new Recorder(engine);
    return new Side(
        Recording.of(engine, requests),
        name -> byName.containsKey(name) ? recorder.record(byName.get(name)) : Recording.NOT_ASKED);
  }

  Recording recording() {
    return recording;
  }

  Set<String> again(String request) {
    return again.apply(request);
  }
}
