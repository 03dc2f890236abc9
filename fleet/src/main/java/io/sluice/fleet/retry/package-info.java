/** Which tries of a client are one request. */
@NullMarked
package io.sluice.fleet.retry;

import org.jspecify.annotations.NullMarked;
