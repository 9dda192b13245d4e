package io.nodepool.bench.signals;

import io.fabric8.kubernetes.api.model.Node;
import io.nodepool.bench.BenchRun;
import io.nodepool.bench.Measurement;
import io.nodepool.bench.Operated;
import io.nodepool.bench.measure.BenchCluster;
import io.nodepool.bench.measure.BenchFailure;
import io.nodepool.bench.measure.FirstTimes;
import io.nodepool.bench.measure.FreePort;
import io.nodepool.bench.measure.OperatorLaunch;
import io.nodepool.bench.report.BenchReport;
import io.nodepool.bench.signals.SentAlerts.Part;
import io.nodepool.bench.signals.SignalsReport.Loaded;
import io.nodepool.bench.signals.SignalsReport.Stored;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.api.HostSignalsSpec;
import io.nodepool.kubernetes.watch.KindWatch;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Measures how the receiver of an operator stores the alerts of a pool, one for each Node a second:
 * first mostly repeats, then only changes.
 *
 * @param longest the duration of each of the two parts
 */
public record SignalsBench(Duration longest) implements Measurement {
  private static final String PATCH = "patch hostsignals";

  /** The plain client needs no more patches to show its rate. */
  private static final long MOST_RAW = 5_000;

  /** The parts last at most until all alerts of the first one have changed. */
  public static Duration longestPart() {
    return SentAlerts.PERIOD.multipliedBy(SentAlerts.ONE_IN - 1);
  }

  @Override
  public BenchReport measure(BenchRun run) {
    int port = FreePort.any();
    String token = UUID.randomUUID().toString();
    OperatorLaunch launch = run.options().operator();
    Path file = launch.files().apply("token");
    try {
      Files.writeString(file, token);
    } catch (IOException e) {
      throw BenchFailure.because("The token cannot be written: " + e);
    }
    OperatorLaunch receiving =
        launch.withArguments(
            List.of("--alerts-port", "" + port, "--alerts-token-file", file.toString()));
    URI receiver = URI.create("http://127.0.0.1:%d/alertmanager".formatted(port));
    try (AlertSender sender = new AlertSender(receiver, token, InstantSource.system())) {
      Loaded loaded = run.operated(run.nodes(), receiving, on -> load(on, sender));
      run.cluster().suspendControllers();
      long patches = Math.min(MOST_RAW, loaded.changed().patches());
      run.progress("Sending %,d patches of a plain client ...".formatted(patches));
      Duration raw =
          RawSignals.send(
              run.cluster().api(), loaded.last(), patches, now().plus(SentAlerts.PERIOD));
      return new SignalsReport(run.nodes(), longest, loaded, new SignalsReport.Raw(patches, raw))
          .report();
    }
  }

  private Loaded load(Operated on, AlertSender sender) {
    on.grow(on.run().nodes(), false);
    BenchCluster cluster = on.run().cluster();
    List<SentAlerts> groups =
        SentAlerts.of(
            cluster.nodes().stream().map(node -> node.getMetadata().getName()).sorted().toList(),
            now());
    FirstTimes conditions = new FirstTimes();
    try (KindWatch<Node> _ = cluster.watchNodes(node -> see(node, conditions))) {
      on.run()
          .progress(
              "Sending %,d alerts that stand ...".formatted(on.run().nodes() * SentAlerts.GPUS));
      AlertSender.Sending prepared = sender.begin(Part.PREPARED, groups);
      on.await("each group is stored", () -> sent(prepared, groups) && prepared.isStored());
      on.await("they are shown", () -> conditions.hasAll(prepared.sent().first().keySet()));
      on.rest();
      double peak = on.operator().peakHeap();

      on.run().progress("Repeating them for %d s ...".formatted(longest.toSeconds()));
      Played first = play(on, sender, Part.MOSTLY_REPEATED, groups);
      on.await(
          "the alerts are shown", () -> conditions.hasAll(first.sending.sent().first().keySet()));
      Stored repeated = first.stored(on, conditions.since(first.sending.sent().first()));
      List<String> wrong = missing(cluster, first.sending.newest());

      on.run().progress("Changing them for %d s ...".formatted(longest.toSeconds()));
      Played second = play(on, sender, Part.CHANGED, groups);
      Stored changed = second.stored(on, List.of());
      List<SentAlerts.SentAlert> last = second.sending.newest();
      return new Loaded(
          repeated,
          changed,
          new SignalsReport.Resources(
              peak, on.operator().peakHeap(), on.operator().liveHeap(), databaseSize(cluster)),
          last,
          wrong.isEmpty() ? missing(cluster, last) : wrong);
    }
  }

  private static void see(Node node, FirstTimes conditions) {
    node.getStatus().getConditions().stream()
        .filter(condition -> condition.getStatus().equals("True"))
        .map(condition -> node.getMetadata().getName() + "/" + condition.getType())
        .forEach(conditions::see);
  }

  private static boolean sent(AlertSender.Sending sending, List<SentAlerts> groups) {
    return sending.sent().answers().values().stream().mapToLong(Long::longValue).sum()
        >= groups.size();
  }

  /** A part, with the counts before it and at the end of its rounds. */
  private record Played(
      AlertSender.Sending sending,
      SignalsReport.Counts before,
      SignalsReport.Counts atEnd,
      Duration untilStored) {
    /** The stored state, once the cluster is at rest. */
    Stored stored(Operated on, List<Duration> shown) {
      on.rest();
      return new Stored(sending.sent(), before, atEnd, counts(on), untilStored, shown);
    }
  }

  private Played play(Operated on, AlertSender sender, Part part, List<SentAlerts> groups) {
    SignalsReport.Counts before = counts(on);
    long begun = System.nanoTime();
    AlertSender.Sending sending = sender.begin(part, groups);
    on.await(
        "the alerts were sent long enough", () -> System.nanoTime() - begun >= longest.toNanos());
    sending.endRounds();
    SignalsReport.Counts atEnd = counts(on);
    on.await("the newest state is stored", sending::isStored);
    return new Played(sending, before, atEnd, Duration.ofNanos(System.nanoTime() - begun));
  }

  private static SignalsReport.Counts counts(Operated on) {
    return new SignalsReport.Counts(
        on.operator().writes().of(PATCH),
        new SignalsReport.Lag(
            on.operator().sum("nodepool_decision_lag_seconds_count"),
            on.operator().sum("nodepool_decision_lag_seconds_sum"),
            on.operator().sum("nodepool_decision_lag_seconds_max")),
        BenchCluster.processorTime(on.operator().pid()),
        databaseSize(on.run().cluster()));
  }

  private static double databaseSize(BenchCluster cluster) {
    return cluster.metrics().sum("apiserver_storage_size_bytes");
  }

  /** The alerts whose stored state is not the newest, in sentences. */
  private static List<String> missing(BenchCluster cluster, List<SentAlerts.SentAlert> newest) {
    Map<String, HostSignalsSpec.Entry> stored = new HashMap<>();
    cluster
        .watching()
        .resources(HostSignalsResource.class)
        .list()
        .getItems()
        .forEach(object ->
            object
                .getSpec()
                .signals
                .forEach(
                    (key, entry) -> stored.put(object.getMetadata().getName() + "/" + key, entry)));
    return newest.stream()
        .filter(alert -> !isStored(alert, stored.get(alert.node() + "/" + alert.key().text())))
        .map(alert ->
            "%s of %s is not stored as it was sent.".formatted(alert.key().text(), alert.node()))
        .toList();
  }

  private static boolean isStored(
      SentAlerts.SentAlert alert, HostSignalsSpec.@Nullable Entry entry) {
    return entry != null
        && Instant.parse(entry.since).equals(alert.since())
        && Optional.ofNullable(entry.endedAt).map(Instant::parse).equals(alert.ended());
  }

  private static Instant now() {
    return InstantSource.system().instant().truncatedTo(ChronoUnit.SECONDS);
  }
}
