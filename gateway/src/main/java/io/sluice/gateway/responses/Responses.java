package io.sluice.gateway.responses;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.JsonBody;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.gateway.http.TenantShares;
import io.sluice.gateway.pool.ClientTry;
import io.sluice.gateway.pool.Pool;
import io.sluice.gateway.quota.Admission;
import io.sluice.gateway.quota.BodyLimit;
import io.sluice.gateway.quota.Ticket;
import io.sluice.gateway.responses.event.ResponseEvents;
import jakarta.inject.Singleton;

/** Creates responses. Thread-safe. */
@Singleton
final class Responses {
  private final Admission admission;
  private final Pool pool;
  private final Submission submission;
  private final Beginning beginning;
  private final Conversation conversation;
  private final ResponseReader reader;
  private final JsonMemory memory;
  private final ResponseAnswers answers;

  Responses(
      Admission admission,
      Pool pool,
      Submission submission,
      Beginning beginning,
      Conversation conversation,
      ResponseReader reader,
      JsonMemory memory,
      ResponseAnswers answers) {
    this.admission = admission;
    this.pool = pool;
    this.submission = submission;
    this.beginning = beginning;
    this.conversation = conversation;
    this.reader = reader;
    this.memory = memory;
    this.answers = answers;
  }

  /**
   * Creates a response, unless an earlier try of the client did. Its record is durable before the
   * pool gets its request. Blocks until the response is there; a background response only until the
   * pool has its request, and a stream until its first event or the first keep-alive is due.
   *
   * @throws ApiException if there is no response
   */
  HttpResponse<?> create(HttpRequest<?> http, byte[] body) throws InterruptedException {
    Caller caller = Caller.of(http);
    BodyLimit.read(http, body.length);
    Conversation.Earlier earlier = conversation.before(body, caller);
    TenantShares.Share held = memory.take(caller.tenant(), body, earlier.json());
    boolean isAnswering = false;
    try {
      Begun begun = begin(http, body, earlier, caller);
      isAnswering = begun instanceof Begun.Answering;
      return switch (begun) {
        case Begun.Answering answering -> answers.give(http, answering, held);
        case Begun.Posted(var created) ->
            ResponseBodies.of(new ResponseEvents(created), created.requestId());
        case Begun.Repeated(var stored) -> {
          held.close();
          yield ResponseBodies.of(reader.read(stored), stored.requestId());
        }
      };
    } finally {
      if (!isAnswering) {
        held.close();
      }
    }
  }

  private Begun begin(HttpRequest<?> http, byte[] body, Conversation.Earlier earlier, Caller caller)
      throws InterruptedException {
    Submission.Prepared prepared =
        submission.prepare(JsonBody.parse(body), earlier.messages(), http.getHeaders(), caller);
    ClientTry attempt = ClientTry.of(http, caller, body);
    Ticket ticket = admission.admit(http, caller, prepared.request(), () -> pool.refused(attempt));
    return beginning.of(prepared, attempt, ticket);
  }
}
