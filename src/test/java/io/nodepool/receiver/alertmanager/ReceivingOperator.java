package io.nodepool.receiver.alertmanager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.nodepool.cli.Main;
import io.nodepool.local.LocalCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process of the operator, {@code nodepool run}, that receives alerts. */
final class ReceivingOperator implements AutoCloseable {
  private static final Pattern RECEIVING =
      Pattern.compile("alerts are received on port (\\d+), encrypted");
  private static final Duration SOON = Duration.ofMinutes(2);

  private final Process process;
  private final Path log;
  private final int port;

  private ReceivingOperator(Process process, Path log) {
    this.process = process;
    this.log = log;
    try {
      this.port = await().atMost(SOON).until(this::received, Optional::isPresent).orElseThrow();
    } catch (RuntimeException | Error e) {
      process.destroyForcibly();
      throw e;
    }
  }

  /**
   * Starts it, and waits until it listens for alerts.
   *
   * @param folder where the files {@code token}, {@code tls.crt} and {@code tls.key} are
   * @param name the prefix of the identity under which it leads, unique in the folder
   * @param port the port on which it receives; 0 means any free one
   */
  static ReceivingOperator start(LocalCluster cluster, Path folder, String name, int port)
      throws IOException {
    Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), cluster.kubeconfig());
    Path log = folder.resolve(name + ".log");
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx512m",
                // The tests' configuration, which is on the class path too, leaves out its port.
                "-Dlogback.configurationFile=logback.xml",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "run",
                "--kubeconfig=" + kubeconfig,
                "--metrics-port=0",
                "--alerts-port=" + port,
                "--alerts-token-file=" + folder.resolve("token"),
                "--alerts-tls-directory=" + folder)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("HOSTNAME", name);
    return new ReceivingOperator(builder.start(), log);
  }

  private Optional<Integer> received() {
    assertThat(process.isAlive()).as(this::log).isTrue();
    Matcher matcher = RECEIVING.matcher(log());
    return matcher.find() ? Optional.of(Integer.valueOf(matcher.group(1))) : Optional.empty();
  }

  /** The port on which it receives alerts. */
  int port() {
    return port;
  }

  /** What it has said so far. */
  String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kills it (SIGKILL). */
  void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  private void awaitEnd() {
    process.onExit().orTimeout(SOON.toSeconds(), TimeUnit.SECONDS).join();
  }

  /** Ends it with SIGTERM. */
  @Override
  public void close() {
    process.destroy();
    try {
      awaitEnd();
    } finally {
      process.destroyForcibly();
    }
  }
}
