/**
 * HTTP/1.1 on Netty: the listening socket, connections, whole responses and event streams. It
 * behaves like uvicorn and has no knowledge of the OpenAI API.
 */
@NullMarked
package io.sluice.simulator.http;

import org.jspecify.annotations.NullMarked;
