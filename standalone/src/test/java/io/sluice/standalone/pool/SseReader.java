package io.sluice.standalone.pool;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads server-sent events as a browser does; comments are skipped. */
final class SseReader implements AutoCloseable {
  private final BufferedReader lines;

  /** An event; id and name are empty if it has none. */
  record Event(String id, String name, String data) {}

  SseReader(InputStream body) {
    this.lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
  }

  /** Returns the next event; empty at the end of the response. */
  Optional<Event> next() throws IOException {
    String id = "";
    String name = "";
    String data = "";
    String line = lines.readLine();
    while (line != null) {
      if (line.startsWith("id: ")) {
        id = line.substring(4);
      } else if (line.startsWith("event: ")) {
        name = line.substring(7);
      } else if (line.startsWith("data:")) {
        data = line.substring(line.startsWith("data: ") ? 6 : 5);
      } else if (line.isEmpty() && !data.isEmpty()) {
        return Optional.of(new Event(id, name, data));
      }
      line = lines.readLine();
    }
    return Optional.empty();
  }

  List<Event> take(int count) throws IOException {
    List<Event> events = new ArrayList<>();
    while (events.size() < count) {
      events.add(next().orElseThrow());
    }
    return events;
  }

  List<Event> all() throws IOException {
    List<Event> events = new ArrayList<>();
    for (Optional<Event> event = next(); event.isPresent(); event = next()) {
      events.add(event.get());
    }
    return events;
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
