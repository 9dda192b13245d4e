package io.nodepool.bench.signals;

import io.nodepool.bench.measure.BenchFailure;
import io.nodepool.bench.signals.SentAlerts.Part;
import io.nodepool.bench.signals.SentAlerts.Rounds;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Sends the notifications of groups as Alertmanager does: one notification of a group at a time,
 * with the newest state of the group, and again when the receiver asks for it. All state is
 * confined to one thread.
 */
final class AlertSender implements AutoCloseable {
  private static final int OK = 200;
  private static final int LATER = 503;
  private static final Duration LONGEST_ANSWER = Duration.ofSeconds(30);

  private final HttpClient http = HttpClient.newHttpClient();
  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final URI receiver;
  private final String token;
  private final InstantSource clock;

  /**
   * A sender.
   *
   * @param receiver the address of the receiver
   * @param clock the wall clock, for the times of the alerts
   */
  AlertSender(URI receiver, String token, InstantSource clock) {
    this.receiver = receiver;
    this.token = token;
    this.clock = clock;
  }

  /** Begins to send a part; each group begins a round every {@link SentAlerts#PERIOD}. */
  Sending begin(Part part, List<SentAlerts> groups) {
    return new Sending(part, groups);
  }

  /** A part that is being sent. */
  final class Sending {
    private final Part part;
    private final Instant begun = clock.instant();
    private final List<Line> lines = new ArrayList<>();

    /** When the first notification with an alert that began was sent, by {@code node/name}. */
    private final Map<String, Long> sent = new HashMap<>();

    private final Map<Integer, Long> answers = new TreeMap<>();
    private final List<Duration> stored = new ArrayList<>();
    private long alerts;
    private long changes;
    private Optional<RuntimeException> failure = Optional.empty();

    private Sending(Part part, List<SentAlerts> groups) {
      this.part = part;
      long between = SentAlerts.PERIOD.toNanos() / groups.size();
      groups.forEach(group -> lines.add(new Line(group, between * group.number())));
    }

    /** Ends the rounds; states that are not stored yet are still sent. */
    void endRounds() {
      lines.forEach(line -> line.ticks.cancel(false));
    }

    /**
     * Whether the newest state of each group is stored.
     *
     * @throws BenchFailure if the receiver gave an answer other than 200 and 503
     */
    boolean isStored() {
      return inThread(() -> {
        if (failure.isPresent()) {
          throw failure.get();
        }
        return lines.stream().allMatch(Line::isStored);
      });
    }

    /** The notifications and answers so far. */
    Sent sent() {
      return inThread(() ->
          new Sent(alerts, changes, new TreeMap<>(answers), List.copyOf(stored), Map.copyOf(sent)));
    }

    /** The newest state of all alerts that changed. */
    List<SentAlerts.SentAlert> newest() {
      return inThread(() ->
          lines.stream()
              .filter(line -> line.newest >= 0)
              .flatMap(line -> line.group.changes(part, new Rounds(begun, 0, line.newest)).stream())
              .toList());
    }

    private void fail(String why) {
      failure = Optional.of(BenchFailure.because(why));
    }

    /** The notifications of one group. */
    private final class Line {
      private final SentAlerts group;
      private final ScheduledFuture<?> ticks;
      private int newest = -1;
      private int delivered = -1;
      private boolean busy;

      Line(SentAlerts group, long after) {
        this.group = group;
        this.ticks =
            thread.scheduleAtFixedRate(
                this::tick, after, SentAlerts.PERIOD.toNanos(), TimeUnit.NANOSECONDS);
      }

      boolean isStored() {
        return !busy && delivered == newest;
      }

      private void tick() {
        boolean ends =
            switch (part) {
              case PREPARED -> newest == 0;
              case MOSTLY_REPEATED -> newest + 1 == SentAlerts.ONE_IN;
              case CHANGED -> false;
            };
        if (ends) {
          return;
        }
        newest++;
        changes += group.changes(part, new Rounds(begun, newest, newest)).size();
        if (!busy) {
          send();
        }
      }

      private void send() {
        busy = true;
        int last = newest;
        Rounds rounds = new Rounds(begun, delivered + 1, last);
        List<SentAlerts.SentAlert> content = group.alerts(part, rounds);
        alerts += content.size();
        long at = System.nanoTime();
        group.changes(part, rounds).stream()
            .filter(alert -> alert.ended().isEmpty())
            .forEach(alert -> sent.putIfAbsent(alert.node() + "/" + alert.name(), at));
        HttpRequest request =
            HttpRequest.newBuilder(receiver)
                .timeout(LONGEST_ANSWER)
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(group.notification(content)))
                .build();
        var _ =
            http.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                .whenCompleteAsync(
                    (answer, broken) -> {
                      if (broken == null) {
                        answered(answer, last, at);
                      } else {
                        fail("The receiver does not answer: " + broken);
                      }
                    },
                    thread);
      }

      private void answered(HttpResponse<String> answer, int last, long at) {
        answers.merge(answer.statusCode(), 1L, Long::sum);
        switch (answer.statusCode()) {
          case OK -> {
            stored.add(Duration.ofNanos(System.nanoTime() - at));
            delivered = last;
            busy = false;
            if (newest > delivered) {
              send();
            }
          }
          case LATER -> {
            long seconds = answer.headers().firstValueAsLong("Retry-After").orElse(1);
            var _ = thread.schedule(this::send, seconds, TimeUnit.SECONDS);
          }
          default ->
              fail(
                  "The receiver answered %d: %s"
                      .formatted(answer.statusCode(), answer.body().strip()));
        }
      }
    }
  }

  /**
   * The sent notifications.
   *
   * @param alerts the number of alerts in all notifications
   * @param changes the number of these that differed from the round before, once for each
   * @param answers the number of answers by code
   * @param times from a notification to its answer 200
   * @param first when an alert was first sent, on the monotonic clock, by {@code node/name}
   */
  record Sent(
      long alerts,
      long changes,
      Map<Integer, Long> answers,
      List<Duration> times,
      Map<String, Long> first) {
    /** The number of notifications that the receiver asked to repeat. */
    long refused() {
      return answers.getOrDefault(LATER, 0L);
    }
  }

  private <T> T inThread(Callable<T> what) {
    try {
      return thread.submit(what).get();
    } catch (InterruptedException e) {
      throw BenchFailure.interrupted();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof BenchFailure failed
          ? failed
          : BenchFailure.because("The sender failed: " + e.getCause());
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
    http.shutdownNow();
  }
}
