/** Makes the router's spans of a request from what is stored about it. */
@NullMarked
package io.sluice.router.trace;

import org.jspecify.annotations.NullMarked;
