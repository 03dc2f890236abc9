package io.sluice.bench.trace.generated;

import io.sluice.bench.trace.Trace;

/**
 * Agents that call tools. Each step sends the whole context: the agent's instructions and tools,
 * the task, and the answers and tool results so far. Some steps send several requests at once,
 * which continue from the same context; their answers join it. Tasks come in groups.
 *
 * <p>Published: a median of 12 steps (SWE-agent, NeurIPS 2024, of its solved tasks) and answers of
 * 182 tokens on average (Mooncake's tool and agent trace, FAST 2025).
 *
 * <p>Assumed: four agents, equally popular, with instructions of 2,048 to 5,120 tokens; groups of
 * four tasks on average, which start within a second; tasks with a median of 1,000 tokens and tool
 * results of 400; tools that take 2 s; log-normal lengths and times with a deviation of the
 * logarithm of 1, and of 0.75 for steps and answers; three steps of twenty send 2 to 4 requests at
 * once, each with 200 tokens of its own; a task ends at a context of 60,000 tokens.
 */
final class AgentTraffic implements Traffic {
  private static final double GROUPS_PER_SECOND = 0.05;
  private static final double TASKS_PER_GROUP = 4;
  private static final int AGENTS = 4;
  private static final int LEAST_INSTRUCTION_BLOCKS = 4;
  private static final double STEPS_MEDIAN = 12;
  private static final int MOST_STEPS = 80;
  private static final double TASK_MEDIAN = 1_000;
  private static final double RESULT_MEDIAN = 400;
  private static final int MOST_TOKENS = 10_000;
  private static final double ANSWER_MEDIAN = 137;
  private static final int MOST_ANSWER_TOKENS = 2_000;
  private static final double TOOL_MEDIAN_SECONDS = 2;
  private static final double WIDE = 1;
  private static final double NARROW = 0.75;
  private static final double PARALLEL = 0.15;
  private static final int BRANCH_TOKENS = 200;
  private static final int MOST_CONTEXT_TOKENS = 60_000;

  @Override
  public double startsPerSecond() {
    return GROUPS_PER_SECOND;
  }

  @Override
  public void session(long startNanos, Draws draws, Timeline timeline) {
    int agent = draws.between(0, AGENTS - 1);
    for (int task = draws.geometric(TASKS_PER_GROUP); task > 0; task--) {
      task(startNanos + (long) (1e9 * draws.fraction()), agent, draws, timeline);
    }
  }

  private static void task(long startNanos, int agent, Draws draws, Timeline timeline) {
    long task = timeline.newContent();
    Text text =
        instructions(agent).continuedBy(task).plus(draws.tokens(TASK_MEDIAN, WIDE, MOST_TOKENS));
    long now = startNanos;
    for (int step = draws.tokens(STEPS_MEDIAN, NARROW, MOST_STEPS); step > 0; step--) {
      int requests = draws.chance(PARALLEL) ? draws.between(2, 4) : 1;
      long answered = now;
      int added = 0;
      for (int i = 0; i < requests; i++) {
        Text prompt =
            requests == 1 ? text : text.continuedBy(timeline.newContent()).plus(BRANCH_TOKENS);
        int answer = draws.tokens(ANSWER_MEDIAN, NARROW, MOST_ANSWER_TOKENS);
        answered = Math.max(answered, timeline.add(now, prompt, answer, task));
        added += answer;
      }
      text = text.plus(added + draws.tokens(RESULT_MEDIAN, WIDE, MOST_TOKENS));
      if (text.tokens() > MOST_CONTEXT_TOKENS) {
        return;
      }
      now = answered + (long) (1e9 * draws.logNormal(TOOL_MEDIAN_SECONDS, WIDE));
    }
  }

  private static Text instructions(int agent) {
    int blocks = LEAST_INSTRUCTION_BLOCKS + 2 * agent;
    return Text.of(-1 - agent, blocks * Trace.BLOCK_TOKENS);
  }
}
