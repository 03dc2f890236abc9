package io.sluice.verify.transcript;

import io.sluice.verify.http.Engine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Sends the corpus to two engines and reports the requests whose answers differ in form. */
public final class Transcripts {

  /**
   * The outcome.
   *
   * @param requests the number of requests sent to each engine
   * @param alike the number of requests without a difference
   * @param decided the number of requests with decided differences only
   * @param unexpected the number of requests with another difference
   */
  public record Summary(int requests, int alike, int decided, int unexpected) {

    @Override
    public String toString() {
      return "%d requests, %d alike, %d decided differences, %d new"
          .formatted(requests, alike, decided, unexpected);
    }
  }

  private static final int NAMED = 4;

  /** On a busy machine the same two tokens can share a frame several times in a row. */
  private static final int TRIES = 10;

  private final Corpus corpus = Corpus.load();
  private final Decisions decisions = Decisions.load();
  private final String names;
  private final PrintWriter out;

  /**
   * Creates a comparison of some requests.
   *
   * @param names a text that the names of the requests contain
   * @param out receives the differences
   */
  public Transcripts(String names, PrintWriter out) {
    this.names = names;
    this.out = out;
  }

  /** Compares an engine with another one, request by request. */
  public Summary compare(Engine theirs, Engine ours) {
    return compare(asked(theirs), asked(ours));
  }

  /** Compares an engine with another one and writes its answers to a file. */
  public Summary compare(Engine theirs, Engine ours, Path record) throws IOException {
    Side side = asked(theirs);
    side.recording().write(record);
    return compare(side, asked(ours));
  }

  Side asked(Engine engine) {
    List<Request> requests =
        corpus.requests(engine).stream().filter(one -> one.name().contains(names)).toList();
    return Side.of(engine, requests);
  }

  Summary compare(Side theirs, Side ours) {
    Map<Difference, List<String>> unexpected = new LinkedHashMap<>();
    int alike = 0;
    int decided = 0;
    for (String request : theirs.recording().answers().keySet()) {
      Difference difference = lasting(request, theirs, ours);
      Difference open = decisions.undecided(request, difference);
      if (difference.isEmpty()) {
        alike++;
      } else if (open.isEmpty()) {
        decided++;
      } else {
        unexpected.computeIfAbsent(open, _ -> new ArrayList<>()).add(request);
      }
    }
    unexpected.forEach(this::print);
    if (decided > 0) {
      out.println("Decided differences:");
      decisions.used().forEach(reason -> out.println("  " + reason));
    }
    int requests = theirs.recording().answers().size();
    return new Summary(requests, alike, decided, requests - alike - decided);
  }

  /**
   * Returns the difference that persists when a request is repeated, or the first one that is
   * decided. A busy engine may, for example, send two tokens in one frame.
   */
  private Difference lasting(String request, Side theirs, Side ours) {
    Difference difference =
        Difference.between(theirs.recording().answer(request), ours.recording().answer(request));
    for (int again = 1; again < TRIES && isOpen(request, difference); again++) {
      difference = Difference.between(theirs.again(request), ours.again(request));
    }
    return difference;
  }

  private boolean isOpen(String request, Difference difference) {
    return !decisions.undecided(request, difference).isEmpty();
  }

  private void print(Difference difference, List<String> names) {
    List<String> some = names.subList(0, Math.min(NAMED, names.size()));
    int more = names.size() - some.size();
    out.printf("NEW  %s%s%n", String.join("; ", some), more > 0 ? " and " + more + " more" : "");
    difference.theirs().forEach(line -> out.println("     theirs  " + line));
    difference.ours().forEach(line -> out.println("     ours    " + line));
    out.flush();
  }
}
