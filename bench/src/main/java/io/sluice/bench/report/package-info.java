/** What measurements write: figures of several runs, as JSON and as a chart, and the machine. */
@NullMarked
package io.sluice.bench.report;

import org.jspecify.annotations.NullMarked;
