/** The threads on which a router works beside its streams. */
@NullMarked
package io.sluice.router.thread;

import org.jspecify.annotations.NullMarked;
