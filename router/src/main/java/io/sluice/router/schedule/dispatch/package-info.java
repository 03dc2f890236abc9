/** Which waiting request goes next, and to which worker. */
@NullMarked
package io.sluice.router.schedule.dispatch;

import org.jspecify.annotations.NullMarked;
