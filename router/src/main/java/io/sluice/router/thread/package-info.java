/** The threads on which a router works in addition to its streams. */
@NullMarked
package io.sluice.router.thread;

import org.jspecify.annotations.NullMarked;
