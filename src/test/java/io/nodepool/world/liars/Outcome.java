package io.nodepool.world.liars;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What became of a run.
 *
 * @param workEnded the most Nodes whose work ended in a day, of one pool, without a failed
 *     verification
 * @param setAside the most Hosts of a pool set aside in a day, proved or not
 * @param longestWait how long a true fault waited for its repair at most; zero without one
 * @param happened how often what happened: a suite in which nothing does shows nothing
 */
record Outcome(
    LiarRun run,
    List<Violation> violations,
    int workEnded,
    int setAside,
    Duration longestWait,
    Map<String, Long> happened) {}
