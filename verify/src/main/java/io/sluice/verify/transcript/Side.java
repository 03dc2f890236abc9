package io.sluice.verify.transcript;

import io.sluice.verify.http.Engine;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** One side of a comparison: what it answered, and how to ask it again. */
final class Side {

  private final Recording recording;
  private final Function<String, Set<String>> again;

  private Side(Recording recording, Function<String, Set<String>> again) {
    this.recording = recording;
    this.again = again;
  }

  /** Asks an engine everything. */
  static Side of(Engine engine, List<Request> requests) {
    var byName = requests.stream().collect(Collectors.toMap(Request::name, request -> request));
    Recorder recorder = new Recorder(engine);
    return new Side(
        Recording.of(engine, requests),
        name -> byName.containsKey(name) ? recorder.record(byName.get(name)) : Recording.NOT_ASKED);
  }

  /** What was recorded before cannot be asked again. */
  static Side of(Recording recording) {
    return new Side(recording, recording::answer);
  }

  Recording recording() {
    return recording;
  }

  Set<String> again(String request) {
    return again.apply(request);
  }
}
