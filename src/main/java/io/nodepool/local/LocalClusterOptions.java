package io.nodepool.local;

import io.nodepool.local.programs.ControlPlaneBinaries;
import io.nodepool.local.programs.Progress;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * The options of a local cluster.
 *
 * @param binaries finds the four programs
 * @param parent the existing folder in which the cluster creates its own
 * @param log receives lines about unexpected events: a program that ends by itself, a start that is
 *     repeated
 * @param limit the time limit of the start, without a download or build of the programs
 * @param keepLogs whether the logs are kept after a successful run; logs of a failed start are
 *     always kept
 * @param apiServerFlags flags added to the API server's command line; the last of two equal flags
 *     counts
 * @param disabledControllers names of controllers of the controller manager that do not run
 */
@RecordBuilder
public record LocalClusterOptions(
    ControlPlaneBinaries binaries,
    Path parent,
    Consumer<String> log,
    Duration limit,
    boolean keepLogs,
    List<String> apiServerFlags,
    List<String> disabledControllers)
    implements LocalClusterOptionsCopy.With {

  private static final Duration DEFAULT_LIMIT = Duration.ofSeconds(90);

  public LocalClusterOptions {
    apiServerFlags = List.copyOf(apiServerFlags);
    disabledControllers = List.copyOf(disabledControllers);
  }

  /**
   * The defaults: the environment and the temporary folder of this process, 90 s, no kept logs, and
   * one consumer for every line.
   */
  public static LocalClusterOptions standard(Consumer<String> log) {
    return new LocalClusterOptions(
        ControlPlaneBinaries.ofThisProcess(Progress.lines(log)),
        Path.of(System.getProperty("java.io.tmpdir")),
        log,
        DEFAULT_LIMIT,
        false,
        List.of(),
        List.of());
  }
}
