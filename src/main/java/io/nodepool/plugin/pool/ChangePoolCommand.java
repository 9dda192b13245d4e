package io.nodepool.plugin.pool;

import io.nodepool.plugin.input.WriteOptions;
import io.nodepool.plugin.request.DryRun;
import picocli.CommandLine.Mixin;

/** A command that changes one NodePool. */
abstract class ChangePoolCommand extends OnePoolCommand {
  @Mixin private final WriteOptions options = new WriteOptions();

  @Override
  protected final DryRun dryRun() {
    return options.dryRun();
  }
}
