package io.sluice.common.reply;

import static io.sluice.common.protocol.HeaderNames.ATTEMPT;
import static io.sluice.common.protocol.HeaderNames.COUNT;
import static io.sluice.common.protocol.HeaderNames.FALLBACK;
import static io.sluice.common.protocol.HeaderNames.INDEX;
import static io.sluice.common.protocol.HeaderNames.KIND;
import static io.sluice.common.protocol.HeaderNames.LATENCY_MS;
import static io.sluice.common.protocol.HeaderNames.LEASE;
import static io.sluice.common.protocol.HeaderNames.MODE;
import static io.sluice.common.protocol.HeaderNames.MODEL;
import static io.sluice.common.protocol.HeaderNames.REQUEST_ID;
import static io.sluice.common.protocol.HeaderNames.TENANT;
import static io.sluice.common.protocol.HeaderNames.TOKEN_IDS;
import static io.sluice.common.protocol.HeaderNames.VERSION;
import static io.sluice.common.protocol.HeaderNames.VERSION_1;
import static io.sluice.common.protocol.HeaderNames.WORKER;

import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.RequestHeaders;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.soabase.recordbuilder.core.RecordBuilder.BuilderMode;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.header.Headers;

/**
 * The headers of a reply record.
 *
 * @param attempt 1, 2, ...; 0 for a pointer, which belongs to no attempt
 * @param lease the assignment that produced the record; may be empty for a pointer
 * @param mode what a claim does to the tokens before it; {@code RESUME} on other records, where it
 *     has no meaning
 * @param index the number of output tokens before this record
 * @param count the number of output tokens in it; 0 on records other than tokens
 * @param tokenIds the ids of those tokens as {@link TokenIdText}, if the engine reports them
 * @param tenant whose request it is; only on claims, on ends, and on tokens with index 0
 * @param worker the worker that produced the record; empty on records of the router
 * @param model the model that actually served the request
 * @param latencyMillis the time since the request's append time
 * @param notes information for the attempt that continues after a record of tokens; none on other
 *     records
 */
@RecordBuilder
@RecordBuilder.Options(builderMode = BuilderMode.STAGED_REQUIRED_ONLY, enableWither = false)
public record ReplyHeaders(
    String requestId,
    ReplyKind kind,
    int attempt,
    String lease,
    ClaimMode mode,
    int index,
    int count,
    Optional<String> tokenIds,
    Optional<String> tenant,
    Optional<String> worker,
    Optional<String> model,
    boolean fallback,
    OptionalLong latencyMillis,
    TokenNotes notes) {

  private static final int ABSENT = -1;

  /** Creates the headers of a record that carries no tokens and names no worker. */
  public static ReplyHeaders of(
      String requestId, ReplyKind kind, int attempt, String lease, int index) {
    return ReplyHeadersBuilder.builder()
        .requestId(requestId)
        .kind(kind)
        .attempt(attempt)
        .lease(lease)
        .mode(ClaimMode.RESUME)
        .index(index)
        .count(0)
        .fallback(false)
        .latencyMillis(OptionalLong.empty())
        .notes(TokenNotes.NONE)
        .build();
  }

  /** Returns these headers with the tenant whose request it is. */
  public ReplyHeaders ofTenant(String owner) {
    return ReplyHeadersBuilder.builder(this).tenant(Optional.of(owner)).build();
  }

  /** Returns these headers with the time since the request was appended. */
  public ReplyHeaders after(OptionalLong latency) {
    return ReplyHeadersBuilder.builder(this).latencyMillis(latency).build();
  }

  /**
   * Returns the tenant to whose answer the record belongs. A record that names none is that of an
   * older worker, and counts as the default tenant's.
   *
   * @return empty if such a record tells nothing of the answer's tenant: a pointer, the refusal of
   *     an id in use, and tokens after the first
   */
  public Optional<String> owner() {
    boolean isSilent =
        switch (kind) {
          case POINTER -> true;
          case TOKENS -> index > 0;
          case ERROR -> attempt == 0;
          case CLAIM, FINAL -> false;
        };
    return isSilent ? Optional.empty() : Optional.of(tenant.orElse(RequestHeaders.DEFAULT_TENANT));
  }

  /** Writes these headers. */
  public void writeTo(Headers headers) {
    HeaderText.put(headers, VERSION, VERSION_1);
    HeaderText.put(headers, REQUEST_ID, requestId);
    HeaderText.put(headers, KIND, kind.headerValue());
    HeaderText.put(headers, ATTEMPT, attempt);
    HeaderText.put(headers, LEASE, lease);
    if (kind == ReplyKind.CLAIM) {
      HeaderText.put(headers, MODE, mode.headerValue());
    } else {
      HeaderText.put(headers, INDEX, index);
    }
    if (kind == ReplyKind.TOKENS) {
      HeaderText.put(headers, COUNT, count);
      notes.writeTo(headers);
    }
    tokenIds.ifPresent(ids -> HeaderText.put(headers, TOKEN_IDS, ids));
    tenant.ifPresent(name -> HeaderText.put(headers, TENANT, name));
    worker.ifPresent(id -> HeaderText.put(headers, WORKER, id));
    model.ifPresent(name -> HeaderText.put(headers, MODEL, name));
    if (fallback) {
      HeaderText.put(headers, FALLBACK, "true");
    }
    latencyMillis.ifPresent(millis -> HeaderText.put(headers, LATENCY_MS, millis));
  }

  /**
   * Reads a record's headers; empty if this version does not understand the record, or if it lacks
   * what the reading rule needs: index and count of tokens, index of a final, mode of a claim.
   */
  public static Optional<ReplyHeaders> parse(Headers headers) {
    Optional<String> requestId = HeaderText.get(headers, REQUEST_ID);
    Optional<ReplyKind> kind = HeaderText.get(headers, KIND).flatMap(ReplyKind::parse);
    if (requestId.isEmpty() || kind.isEmpty()) {
      return Optional.empty();
    }
    // A pointer belongs to no attempt.
    boolean pointer = kind.get() == ReplyKind.POINTER;
    int attempt = HeaderText.getInt(headers, ATTEMPT).orElse(pointer ? 0 : ABSENT);
    Optional<String> lease =
        HeaderText.get(headers, LEASE).or(() -> pointer ? Optional.of("") : Optional.empty());
    Optional<ClaimMode> mode = HeaderText.get(headers, MODE).flatMap(ClaimMode::parse);
    int index = HeaderText.getInt(headers, INDEX).orElse(ABSENT);
    int count = HeaderText.getInt(headers, COUNT).orElse(ABSENT);
    boolean whole =
        switch (kind.get()) {
          case TOKENS -> index >= 0 && count >= 0 && count <= Integer.MAX_VALUE - index;
          case CLAIM -> mode.isPresent();
          case FINAL -> index >= 0;
          case ERROR, POINTER -> true;
        };
    if (attempt < 0 || lease.isEmpty() || !whole) {
      return Optional.empty();
    }
    return Optional.of(
        ReplyHeadersBuilder.builder()
            .requestId(requestId.get())
            .kind(kind.get())
            .attempt(attempt)
            .lease(lease.get())
            .mode(mode.orElse(ClaimMode.RESUME))
            .index(Math.max(index, 0))
            .count(Math.max(count, 0))
            .fallback(HeaderText.get(headers, FALLBACK).equals(Optional.of("true")))
            .latencyMillis(HeaderText.getLong(headers, LATENCY_MS))
            .notes(kind.get() == ReplyKind.TOKENS ? TokenNotes.parse(headers) : TokenNotes.NONE)
            .tokenIds(HeaderText.get(headers, TOKEN_IDS))
            .tenant(HeaderText.get(headers, TENANT))
            .worker(HeaderText.get(headers, WORKER))
            .model(HeaderText.get(headers, MODEL))
            .build());
  }
}
