/** The formats of OpenAI requests and answers, shared by everything that reads or writes them. */
@NullMarked
package io.sluice.common.openai;

import org.jspecify.annotations.NullMarked;
