package io.nodepool.cli.input;

import io.nodepool.vocabulary.metadata.KeyExceptions;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The option for reserved keys that NodePools may set. */
public final class ReservedKeysOption {
  @Option(
      names = "--allow-reserved-key",
      paramLabel = "KEY",
      split = ",",
      description =
          "A key below coreweave.cloud or coreweave.com that NodePools may set as a label or annotation of their Nodes all the same, such as apps.coreweave.cloud/tier; up to 32, separated by"
              + " commas or by repeating the option. The definitions of the cluster (nodepool crds) and the operator (nodepool run) need the same. Default: none.")
  private List<String> keys = List.of();

  /**
   * The keys of this option.
   *
   * @throws picocli.CommandLine.ParameterException if a key cannot be allowed
   */
  public KeyExceptions exceptions(CommandSpec spec) {
    KeyExceptions.problem(keys)
        .ifPresent(why -> OptionValues.require(spec, false, "--allow-reserved-key: " + why + "."));
    return KeyExceptions.of(keys);
  }
}
