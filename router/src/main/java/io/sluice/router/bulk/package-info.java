/** Feeds bulk requests into the lanes, as fast as spare capacity allows and no faster. */
@NullMarked
package io.sluice.router.bulk;

import org.jspecify.annotations.NullMarked;
