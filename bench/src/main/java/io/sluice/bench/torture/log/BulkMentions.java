package io.sluice.bench.torture.log;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Which requests of the bulk topic are about the same thing, by the name that {@code Prompts} gives
 * each prompt. Guarded by its {@link Journal}.
 */
final class BulkMentions {
  private static final Pattern NAME = Pattern.compile("Request ([a-z0-9-]+): tell me");

  /** Longer values are those of hostile records. */
  private static final int MOST_BYTES = 16 * 1024;

  private final Map<String, Set<String>> ids = new HashMap<>();

  void add(ConsumerRecord<String, byte[]> record, String requestId) {
    if (record.value() == null || record.value().length > MOST_BYTES) {
      return;
    }
    Matcher name = NAME.matcher(new String(record.value(), StandardCharsets.UTF_8));
    if (name.find()) {
      ids.computeIfAbsent(name.group(1), first -> new LinkedHashSet<>()).add(requestId);
    }
  }

  Set<String> of(String name) {
    return Set.copyOf(ids.getOrDefault(name, Set.of()));
  }
}
