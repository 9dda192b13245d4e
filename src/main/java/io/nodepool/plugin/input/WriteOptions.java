package io.nodepool.plugin.input;

import io.nodepool.plugin.request.DryRun;
import picocli.CommandLine.Option;

/** The options of a command that writes. */
public final class WriteOptions {
  @Option(
      names = "--dry-run",
      paramLabel = "none|client|server",
      converter = DryRun.OfOption.class,
      description =
          "client: print what would be written; server: let the API server check it, too. Nothing is stored, asked or waited for. Default: none.")
  private DryRun dryRun = DryRun.NONE;

  /** The dry-run mode. */
  public DryRun dryRun() {
    return dryRun;
  }
}
