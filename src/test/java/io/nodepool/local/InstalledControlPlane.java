package io.nodepool.local;

import io.nodepool.local.programs.ControlPlaneBinaries;
import io.nodepool.local.programs.Progress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Downloads or builds the control plane before the first test that may start one, so that no test's
 * deadline includes that, and gives each wait that names no deadline one for a busy machine.
 * Registered for all tests on the local control plane, those that start it in a process of their
 * own included.
 */
public final class InstalledControlPlane implements BeforeAllCallback {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(InstalledControlPlane.class);

  /** The programs of a directory. */
  static ControlPlaneBinaries in(Path directory) {
    return new ControlPlaneBinaries(
        new ControlPlaneBinaries.Choice(Optional.of(directory), Optional.empty(), false, false),
        Map.of(),
        directory,
        Progress.lines(_ -> {}),
        InstantSource.system());
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
    context
        .getRoot()
        .getStore(NAMESPACE)
        .computeIfAbsent(
            ControlPlaneBinaries.class,
            _ -> ControlPlaneBinaries.ofThisProcess(Progress.lines(System.err::println)).find());
  }
}
