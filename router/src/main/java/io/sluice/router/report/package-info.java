/** What routers tell each other, operators and autoscalers of their load. */
@NullMarked
package io.sluice.router.report;

import org.jspecify.annotations.NullMarked;
