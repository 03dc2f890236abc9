/**
 * An embedded Redis: a server as a child process on the loopback interface, from the executable
 * that is bundled for this platform, or else from an installed one.
 */
@NullMarked
package io.sluice.standalone.redis;

import org.jspecify.annotations.NullMarked;
