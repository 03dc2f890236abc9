/**
 * An embedded Redis: a server of our own as a child process on the loopback interface, from the
 * binary that is bundled for this platform, else from the one that is installed.
 */
@NullMarked
package io.sluice.standalone.redis;

import org.jspecify.annotations.NullMarked;
