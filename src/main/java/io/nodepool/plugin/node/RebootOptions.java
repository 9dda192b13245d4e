package io.nodepool.plugin.node;

import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.whatif.Question;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** How Nodes are rebooted, as options. */
public final class RebootOptions {
  @Option(
      names = "--safe",
      description = "Wait until the Node is idle. New Pods may be scheduled to it meanwhile.")
  private boolean safe;

  @Option(
      names = "--reconfigure",
      description =
          "Boot into the active configuration of the NodePool once the Node is idle, or at once with --force. It is cordoned meanwhile.")
  private boolean reconfigure;

  @Option(names = "--power-reset", description = "Reset the power instead of a reboot.")
  private boolean powerReset;

  /** The error in the options; empty if there is none. */
  public Optional<String> mistake(boolean force) {
    if (safe && force) {
      return Optional.of("--safe waits until the Node is idle, --force does not: use one");
    }
    if (reconfigure && safe) {
      return Optional.of("--reconfigure waits until the Node is idle by itself: leave out --safe");
    }
    return reconfigure && powerReset
        ? Optional.of("--reconfigure includes a power cycle: leave out --power-reset")
        : Optional.empty();
  }

  /** The question for a forecast of these reboots. */
  public Question question(List<String> nodes, boolean force) {
    return new Question.Reboot(nodes, state(), isImmediate(force));
  }

  boolean isImmediate(boolean force) {
    return force || (!safe && !reconfigure);
  }

  boolean isPowerReset() {
    return powerReset;
  }

  String policy(boolean immediate) {
    if (reconfigure) {
      return immediate ? "reconfigure, immediate" : "reconfigure";
    }
    return immediate ? "immediate" : "safe";
  }

  LifecycleState state() {
    if (reconfigure) {
      return LifecycleState.RECONFIGURE;
    }
    return powerReset ? LifecycleState.POWER_RESET : LifecycleState.REBOOT;
  }
}
