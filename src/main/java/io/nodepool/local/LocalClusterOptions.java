package io.nodepool.local;

import io.nodepool.local.programs.ControlPlaneBinaries;
import io.nodepool.local.programs.Progress;
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
 * @param keepLogs whether the logs are kept after a successful run; those of a failed start always
 *     are
 * @param apiServerFlags flags added to the API server's command line; the last of two equal flags
 *     counts
 * @param disabledControllers names of controllers of the controller manager that do not run
 */
public record LocalClusterOptions(
    ControlPlaneBinaries binaries,
    Path parent,
    Consumer<String> log,
    Duration limit,
    boolean keepLogs,
    List<String> apiServerFlags,
    List<String> disabledControllers) {

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

  /** The same with the four programs of a given directory. */
  public LocalClusterOptions withBinaries(Path directory) {
    return new LocalClusterOptions(
        binaries.in(directory), parent, log, limit, keepLogs, apiServerFlags, disabledControllers);
  }

  /** The same with another search for the four programs. */
  public LocalClusterOptions withBinaries(ControlPlaneBinaries search) {
    return new LocalClusterOptions(
        search, parent, log, limit, keepLogs, apiServerFlags, disabledControllers);
  }

  /** The same with another parent folder. */
  public LocalClusterOptions withParent(Path folder) {
    return new LocalClusterOptions(
        binaries, folder, log, limit, keepLogs, apiServerFlags, disabledControllers);
  }

  /** The same with another limit for the start. */
  public LocalClusterOptions withLimit(Duration longest) {
    return new LocalClusterOptions(
        binaries, parent, log, longest, keepLogs, apiServerFlags, disabledControllers);
  }

  /** The same with kept logs. */
  public LocalClusterOptions withKeptLogs() {
    return new LocalClusterOptions(
        binaries, parent, log, limit, true, apiServerFlags, disabledControllers);
  }

  /** The same with additional flags of the API server. */
  public LocalClusterOptions withApiServerFlags(List<String> flags) {
    return new LocalClusterOptions(
        binaries, parent, log, limit, keepLogs, flags, disabledControllers);
  }

  /** The same without these controllers of the controller manager. */
  public LocalClusterOptions withoutControllers(List<String> names) {
    return new LocalClusterOptions(binaries, parent, log, limit, keepLogs, apiServerFlags, names);
  }
}
