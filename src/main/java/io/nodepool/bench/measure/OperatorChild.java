package io.nodepool.bench.measure;

import io.nodepool.kubernetes.client.RequestCounts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** An operator process, {@code nodepool run}, observed through its metrics. */
public final class OperatorChild implements AutoCloseable {
  private static final Duration OFTEN = Duration.ofMillis(20);
  private static final Duration LONGEST_SCRAPE = Duration.ofSeconds(10);
  private static final Duration LONGEST_END = Duration.ofSeconds(30);
  private static final int SHOWN_LINES = 5;
  private static final double KIB = 1024;

  private final String name;
  private final Process process;
  private final Path log;
  private final URI served;
  private final HttpClient http = HttpClient.newHttpClient();

  private OperatorChild(String name, Process process, Path log, int port) {
    this.name = name;
    this.process = process;
    this.log = log;
    this.served = URI.create("http://127.0.0.1:%d/".formatted(port));
  }

  /**
   * Starts the process.
   *
   * @param cluster the cluster on which it operates
   * @param name the prefix of the identity under which it holds the Lease
   */
  public static OperatorChild start(OperatorLaunch launch, BenchCluster cluster, String name) {
    Path log = launch.files().apply(name + ".log");
    int port = FreePort.any();
    List<String> command = new ArrayList<>(launch.program());
    command.addAll(
        List.of(
            "run", "--kubeconfig", cluster.kubeconfig().toString(), "--metrics-port", "" + port));
    command.addAll(launch.arguments());
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("HOSTNAME", name);
    try {
      return new OperatorChild(
          name,
          builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())).start(),
          log,
          port);
    } catch (IOException e) {
      throw BenchFailure.because("The operator cannot be started: " + e);
    }
  }

  /** The process id. */
  public long pid() {
    return process.pid();
  }

  /** Whether it leads and plans; false while it starts or waits for leadership. */
  public boolean isPlanning() {
    return scrape().map(text -> text.sum("nodepool_planning") > 0).orElse(false);
  }

  /** Whether {@code /readyz} reports that it plans, or can take over. */
  public boolean isReady() {
    return get("/readyz").isPresent();
  }

  /** The writes that it has sent so far. */
  public RequestCounts writes() {
    return Writes.ofOperator(metrics());
  }

  /** The number of writes that it has sent so far; 0 while it does not serve its metrics. */
  public long writesSoFar() {
    return scrape().map(Writes::ofOperator).map(RequestCounts::total).orElse(0L);
  }

  /** The sum of the highest use of each pool of its heap since it started, in bytes. */
  public double peakHeap() {
    return metrics().sum("jvm_memory_peak_bytes", "area", "heap");
  }

  /**
   * The number of loop runs since it started; empty while it does not plan or work waits for the
   * decision thread. Once two reads return the same number, everything was planned once.
   */
  public Optional<Double> runsIfNothingWaits() {
    return scrape()
        .filter(text -> text.sum("nodepool_planning") > 0)
        .filter(text -> text.sum("nodepool_decisions_waiting") == 0)
        .map(text -> text.sum("nodepool_loop_seconds_count"));
  }

  /**
   * The cost of its metrics page.
   *
   * @param series the number of series
   * @param ofPools how many of these are about a pool
   * @param bytes its length
   * @param times how long each of several scrapes took
   */
  public record Scrapes(int series, int ofPools, int bytes, List<Duration> times) {
    public Scrapes {
      times = List.copyOf(times);
    }
  }

  /** Scrapes its metrics {@code count} times, one after the other. */
  public Scrapes scrapes(int count) {
    List<Duration> times = new ArrayList<>();
    MetricsText page = metrics();
    for (int i = 0; i < count; i++) {
      long begun = System.nanoTime();
      page = metrics();
      times.add(Duration.ofNanos(System.nanoTime() - begun));
    }
    List<String> series = page.text().lines().filter(line -> !line.startsWith("#")).toList();
    return new Scrapes(
        series.size(),
        (int) series.stream().filter(line -> line.contains("pool=\"")).count(),
        page.text().getBytes(StandardCharsets.UTF_8).length,
        times);
  }

  /** The sum of a metric's samples. */
  public double sum(String metric) {
    return metrics().sum(metric);
  }

  /** The maximum size of its heap, in bytes. */
  public double largestHeap() {
    return metrics().sum("jvm_memory_max_bytes", "area", "heap");
  }

  /** The used heap after a full collection, in bytes. */
  public double liveHeap() {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    var _ = output(jcmd.toString(), "" + pid(), "GC.run");
    return metrics().sum("jvm_memory_used_bytes", "area", "heap");
  }

  /** The resident memory of the process, in bytes. */
  public double residentMemory() {
    return Double.parseDouble(output("ps", "-o", "rss=", "-p", "" + pid()).strip()) * KIB;
  }

  private static String output(String... command) {
    try {
      Process asked = new ProcessBuilder(command).redirectErrorStream(true).start();
      String text = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (asked.waitFor() != 0) {
        throw BenchFailure.because("%s failed: %s".formatted(command[0], text.strip()));
      }
      return text;
    } catch (IOException e) {
      throw BenchFailure.because("%s cannot be run: %s".formatted(command[0], e));
    } catch (InterruptedException e) {
      throw BenchFailure.interrupted();
    }
  }

  /** Its current metrics. */
  MetricsText metrics() {
    return scrape()
        .orElseThrow(() -> BenchFailure.because("Operator %s does not answer.".formatted(name)));
  }

  /**
   * Reads its metrics; empty until it serves them.
   *
   * @throws BenchFailure if the process has ended
   */
  private Optional<MetricsText> scrape() {
    return get("/metrics").map(MetricsText::new);
  }

  /** Reads a page; empty if it does not answer 200. */
  private Optional<String> get(String path) {
    checkAlive();
    try {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(served.resolve(path)).timeout(LONGEST_SCRAPE).build(),
              HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() == 200 ? Optional.of(answer.body()) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      throw BenchFailure.interrupted();
    }
  }

  /**
   * Waits until a condition holds, looking every 20 ms.
   *
   * @throws BenchFailure if the process ends or the deadline passes first
   */
  public void await(Deadline deadline, String what, BooleanSupplier condition) {
    deadline.await(
        what,
        OFTEN,
        () -> {
          checkAlive();
          return condition.getAsBoolean();
        });
  }

  private void checkAlive() {
    if (!process.isAlive()) {
      throw BenchFailure.because(
          "Operator %s ended with exit code %d: %s"
              .formatted(name, process.exitValue(), lastLines()));
    }
  }

  private String lastLines() {
    try {
      List<String> lines = Files.readAllLines(log);
      return String.join(
          " | ", lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kills the process (SIGKILL) and waits for its end. */
  public void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /** Sends SIGTERM without waiting for the end. */
  public void stop() {
    process.destroy();
  }

  /** Waits for the end of the process. */
  public void awaitEnd() {
    try {
      if (!process.waitFor(LONGEST_END.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw BenchFailure.timedOut("Operator %s did not end.".formatted(name));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }

  @Override
  public void close() {
    stop();
    awaitEnd();
  }
}
