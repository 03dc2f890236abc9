// The tests of the suite that only read, and that do not compare the messages with what was appended: a
// gateway has no write side, and its messages are those of an answer.

/** Those over an answer that is still written. */
const running = [
  "The protocol's own client reads a running answer to its end by long-poll",
  "The protocol's own client reads a running answer to its end by sse",
  "Browser Security Headers should include X-Content-Type-Options: nosniff on GET responses",
  "Browser Security Headers should include X-Content-Type-Options: nosniff on HEAD responses",
  "Browser Security Headers should include Cross-Origin-Resource-Policy header on GET responses",
  "Browser Security Headers should include Cache-Control: no-store on HEAD responses",
  "Browser Security Headers should include X-Content-Type-Options: nosniff on SSE responses",
  "Browser Security Headers should include X-Content-Type-Options: nosniff on long-poll responses",
  "Browser Security Headers should include security headers on error responses",
  "HEAD Metadata should return 404 for non-existent stream",
  "HEAD Metadata should return tail offset",
  "Offset Validation and Resumability should return 404 for offset=now on non-existent stream",
  "Offset Validation and Resumability should return 404 for offset=now with long-poll on non-existent stream",
  "Offset Validation and Resumability should return 404 for offset=now with SSE on non-existent stream",
  "Offset Validation and Resumability should reject malformed offset (contains comma)",
  "Offset Validation and Resumability should reject offset with spaces",
  "Property-Based Tests (fast-check) Offset Validation Properties should reject offsets with invalid characters",
  "Protocol Edge Cases should generate unique, monotonically increasing offsets",
  "Protocol Edge Cases should reject empty offset parameter",
  "Protocol Edge Cases should reject multiple offset parameters",
  "Long-Poll Edge Cases should require offset parameter for long-poll",
  "Long-Poll Edge Cases should generate Stream-Cursor header on long-poll responses",
  "Long-Poll Edge Cases should echo cursor and handle collision with jitter",
  "Long-Poll Edge Cases should return Stream-Cursor, Stream-Up-To-Date and Stream-Next-Offset on 204 timeout",
  "Caching and ETag should return new ETag after data changes",
  "SSE Mode should return text/event-stream content-type for SSE requests",
  "SSE Mode should accept live=sse query parameter for application/json",
  "SSE Mode should require offset parameter for SSE mode",
  "SSE Mode should stream data events via SSE",
  "SSE Mode should send control events with offset",
  "SSE Mode should send upToDate flag in SSE control events when caught up",
  "SSE Mode should have correct SSE headers (no Content-Length, proper Cache-Control)",
  "SSE Mode should generate unique, monotonically increasing offsets in SSE mode",
  "SSE Mode should generate streamCursor in SSE control events",
  "SSE Mode should handle cursor collision with jitter in SSE mode",
  "SSE Mode should NOT include Stream-SSE-Data-Encoding header for application/json streams",
  "Stream Closure HEAD with Stream Closure head-open-stream-no-closed-header: HEAD on open stream does NOT have Stream-Closed header",
];

/** Those over an answer that has ended. */
const ended = [
  "Offset Validation and Resumability should support offset=now with SSE mode",
  "Offset Validation and Resumability should return correct tail offset for offset=now",
  "Offset Validation and Resumability should return empty JSON array for offset=now on JSON streams",
  "Caching and ETag should generate ETag on GET responses",
  "Caching and ETag should return 304 Not Modified for matching If-None-Match",
  "Stream Closure HEAD with Stream Closure head-closed-stream: HEAD returns Stream-Closed: true header",
  "Stream Closure Long-poll with Stream Closure longpoll-closed-stream-immediate: No wait when closed stream at tail, returns immediately",
  "Stream Closure Long-poll with Stream Closure longpoll-closed-returns-204-with-header: Returns 204 with Stream-Closed: true",
  "Stream Closure SSE with Stream Closure sse-closed-stream-control-event: Final control event has streamClosed: true",
  "Stream Closure SSE with Stream Closure sse-closed-stream-no-cursor: streamCursor omitted when streamClosed is true",
  "Stream Closure SSE with Stream Closure sse-closed-stream-connection-closes: Connection closes after final event",
  "Stream Closure Edge Cases offset-now-on-closed-stream: offset=now on closed stream returns Stream-Closed: true",
];

export default { running, ended };
