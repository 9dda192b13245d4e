package io.nodepool.local;

import io.nodepool.local.programs.ControlPlaneBinaries;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * How a local cluster is to be started.
 *
 * @param binaries finds the four programs
 * @param parent the existing folder in which the cluster makes its own
 * @param log told, line by line, what happens besides: a program that ends by itself, a start that
 *     is repeated
 * @param limit how long the start may take, without the building of the programs
 * @param keepLogs whether the logs outlive a cluster that ran well; those of a failed start always
 *     do
 * @param apiServerFlags added to the API server's command line, where the last of two equal flags
 *     counts
 */
public record LocalClusterOptions(
    ControlPlaneBinaries binaries,
    Path parent,
    Consumer<String> log,
    Duration limit,
    boolean keepLogs,
    List<String> apiServerFlags) {

  private static final Duration DEFAULT_LIMIT = Duration.ofSeconds(90);

  public LocalClusterOptions {
    apiServerFlags = List.copyOf(apiServerFlags);
  }

  /**
   * This process's own environment and temporary folder, 90 s, no logs kept; one consumer for every
   * line.
   */
  public static LocalClusterOptions standard(Consumer<String> log) {
    return new LocalClusterOptions(
        ControlPlaneBinaries.ofThisProcess(Progress.lines(log)),
        Path.of(System.getProperty("java.io.tmpdir")),
        log,
        DEFAULT_LIMIT,
        false,
        List.of());
  }

  /** The same with the four programs from a directory that the user named. */
  public LocalClusterOptions withBinaries(Path directory) {
    return new LocalClusterOptions(
        binaries.in(directory), parent, log, limit, keepLogs, apiServerFlags);
  }

  /** The same with the four programs from where this search finds them. */
  public LocalClusterOptions withBinaries(ControlPlaneBinaries search) {
    return new LocalClusterOptions(search, parent, log, limit, keepLogs, apiServerFlags);
  }

  /** The same below another parent folder. */
  public LocalClusterOptions withParent(Path folder) {
    return new LocalClusterOptions(binaries, folder, log, limit, keepLogs, apiServerFlags);
  }

  /** The same with another limit for the start. */
  public LocalClusterOptions withLimit(Duration longest) {
    return new LocalClusterOptions(binaries, parent, log, longest, keepLogs, apiServerFlags);
  }

  /** The same with logs that stay. */
  public LocalClusterOptions withKeptLogs() {
    return new LocalClusterOptions(binaries, parent, log, limit, true, apiServerFlags);
  }

  /** The same with flags for the API server. */
  public LocalClusterOptions withApiServerFlags(List<String> flags) {
    return new LocalClusterOptions(binaries, parent, log, limit, keepLogs, flags);
  }
}
