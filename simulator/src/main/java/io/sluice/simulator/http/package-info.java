/**
 * HTTP/1.1 on Netty: the listening socket, connections, whole responses and event streams. It
 * answers like uvicorn and knows nothing of what is asked for.
 */
@NullMarked
package io.sluice.simulator.http;

import org.jspecify.annotations.NullMarked;
