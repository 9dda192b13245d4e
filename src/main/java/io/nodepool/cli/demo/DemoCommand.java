package io.nodepool.cli.demo;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.cli.command.CommandEnvironment;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.command.Logging;
import io.nodepool.cli.command.PrivateFolder;
import io.nodepool.cli.command.ShutdownOnSignal;
import io.nodepool.cli.dev.DevCluster;
import io.nodepool.cli.dev.DevManifests;
import io.nodepool.cli.dev.DevSession;
import io.nodepool.cli.input.ControlPlaneOptions;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.cli.view.Theme;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.local.programs.ControlPlaneBinaries;
import io.nodepool.local.programs.Progress;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Plays a demo on a cluster of its own. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description = {
      "Show what happens in a minute or two, on a cluster of its own: each command that a user would type, what is seen, and why.",
      "  spot     the fleet wants a spot machine back",
      "  repair   faults of machines, and alerts that are not true",
      "  rollout  a new image, and one that breaks machines",
      "  rack     an NVL72 rack fails",
      "  shrink   a pool is to have fewer Nodes"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all steps were seen",
      "1:a command failed",
      "2:an option or an environment variable is wrong",
      "4:what a step waits for did not come in time",
      "130, 143:the command was ended by Ctrl-C or SIGTERM"
    })
public final class DemoCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "spot|repair|rollout|rack|shrink",
      description = "The demo.",
      converter = Demo.OfWord.class,
      arity = "1")
  @SuppressWarnings("NullAway.Init")
  private Demo demo;

  @Option(names = "--pause", description = "Wait for Enter before each command is run.")
  private boolean pause;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "120",
      description = "How long each step may take. Default: ${DEFAULT-VALUE}.")
  private int timeout = 120;

  @Option(
      names = "--verbose",
      description = "Log every write, and print the stack trace of a failure.")
  private boolean verbose;

  @Mixin private final ControlPlaneOptions controlPlane = new ControlPlaneOptions();

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  private final CompletableFuture<String> operatorEnded = new CompletableFuture<>();
  private final AtomicBoolean signalled = new AtomicBoolean();

  @Override
  public Integer call() throws Exception {
    OptionValues.require(spec, timeout > 0, "--timeout must be at least 1 second.");
    if (!Files.isDirectory(Demo.EXAMPLES)) {
      throw CommandFailure.wrongInput(
          "a demo applies files of the directory %s, which is not in the current one; run it in the directory of the project."
              .formatted(Demo.EXAMPLES));
    }
    ControlPlaneBinaries binaries = controlPlane.search(spec, Progress.lines(this::say));
    DevManifests.Fleet fleet = DevManifests.fleet(Optional.empty());
    say("demo %s: %s".formatted(demo.word(), demo.summary()));
    // Opened first and closed last: the process must not end before the files are closed.
    try (ShutdownOnSignal _ = new ShutdownOnSignal(() -> signalled.set(true));
        PrivateFolder files = PrivateFolder.create()) {
      Path log = files.file("nodepool.log");
      try (Logging _ = Logging.toFile(log, verbose)) {
        say("Starting a local Kubernetes control plane ...");
        try (DevCluster cluster = DevCluster.start(binaries, this::say)) {
          cluster.install(KeyExceptions.NONE);
          cluster.apply(fleet.manifest());
          say(fleet.inWords(Demo.SPEED));
          DevSession.Settings settings =
              new DevSession.Settings(
                  fleet, Demo.SPEED, KeyExceptions.NONE, operatorEnded::complete);
          return DevSession.run(cluster, settings, session -> play(session, cluster, files));
        } catch (InterruptedException | RuntimeException failure) {
          if (signalled.get()) {
            // All resources are closed, and the exit code is the signal's.
            return ExitCodes.DONE;
          }
          if (failure instanceof CommandFailure known) {
            files.keep(log);
            throw new CommandFailure(
                known.exitCode(),
                "demo %s: %s. The log is kept: %s".formatted(demo.word(), known.getMessage(), log));
          }
          throw failure;
        }
      }
    }
  }

  private int play(DevSession session, DevCluster cluster, PrivateFolder files)
      throws InterruptedException {
    Path kubeconfig = files.write("kubeconfig", cluster.kubeconfig().orElseThrow());
    say("To look around meanwhile: export KUBECONFIG=" + kubeconfig);
    say("");
    try (KubernetesClient user =
        Clients.forRequests(cluster.config(), new RequestMeter(new SimpleMeterRegistry()))) {
      DemoStage.Output output =
          new DemoStage.Output(
              out(),
              CommandEnvironment.isOnTerminal() && Theme.isColoured(System.getenv("NO_COLOR")),
              pause ? enter(System.in) : () -> {});
      Shell shell = new Shell(user, kubeconfig, line -> say("   " + line));
      demo.play(
          new DemoStage(
              session.board(), shell, output, Duration.ofSeconds(timeout), operatorEnded));
    }
    say("That was all; the cluster is removed.");
    return ExitCodes.DONE;
  }

  /** Waits for Enter; goes on if there is no more input. */
  private DemoStage.Output.Pause enter(InputStream in) {
    Semaphore pressed = new Semaphore(0);
    Thread.ofPlatform().daemon().name("enter").start(() -> read(in, pressed));
    return () -> {
      out().print("   Enter runs it: ");
      out().flush();
      pressed.acquire();
    };
  }

  private static void read(InputStream in, Semaphore pressed) {
    try {
      for (int found = in.read(); found >= 0; found = in.read()) {
        if (found == '\n') {
          pressed.release();
        }
      }
    } catch (IOException e) {
      // There is no more input.
    }
    pressed.release(Integer.MAX_VALUE / 2);
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private void say(String line) {
    out().println(UserText.printable(line));
    out().flush();
  }
}
