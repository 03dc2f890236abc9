/** TODO. */
@NullMarked
package io.sluice.router;

import org.jspecify.annotations.NullMarked;
