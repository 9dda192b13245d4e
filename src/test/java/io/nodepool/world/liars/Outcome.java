package io.nodepool.world.liars;

import java.time.Duration;
import java.util.List;

/**
 * What became of a run.
 *
 * @param workEnded the most Nodes whose work ended in a day, of one pool, without a failed
 *     verification
 * @param setAside the most Hosts of a pool set aside in a day, proved or not
 * @param longestWait how long a true fault waited for its repair at most; zero without one
 */
record Outcome(
    LiarRun run, List<Violation> violations, int workEnded, int setAside, Duration longestWait) {}
