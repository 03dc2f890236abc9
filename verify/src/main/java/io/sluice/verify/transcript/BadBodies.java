package io.sluice.verify.transcript;

import io.sluice.verify.http.Engine;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The corpus' bad bodies of chats and completions, for comparing what happens to them. */
public final class BadBodies {
  private static final Pattern NAMES = Pattern.compile("(bad|body of|bytes).*");
  private static final Set<String> PATHS = Set.of(Engine.CHAT, Engine.COMPLETIONS);

  private BadBodies() {}

  /**
   * One of them.
   *
   * @param name tells it from all others
   * @param path where it is posted, as {@code application/json}
   * @param body its bytes
   */
  public record BadBody(String name, String path, byte[] body) {}

  /** Returns all, as they are sent to this engine. */
  public static List<BadBody> of(Engine engine) {
    return Corpus.load().requests(engine).stream()
        .filter(request -> PATHS.contains(request.path()))
        .filter(request -> NAMES.matcher(request.name()).matches())
        .map(request -> new BadBody(request.name(), request.path(), request.body()))
        .toList();
  }
}
