/**
 * What the routers of a pool tell each other: what each has sent to which worker, before the
 * workers themselves can say so, and which prompts they will have cached. Without it, or without
 * Redis, routing is as it would be from the workers' heartbeats alone.
 */
@NullMarked
package io.sluice.router.peers;

import org.jspecify.annotations.NullMarked;
