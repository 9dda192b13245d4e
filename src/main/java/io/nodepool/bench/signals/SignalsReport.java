package io.nodepool.bench.signals;

import io.nodepool.bench.report.BenchReport;
import java.time.Duration;
import java.util.List;

/**
 * The results of a receiver in the two parts, and of a plain client with the same alerts. Pure.
 *
 * @param longest the duration of each part
 */
record SignalsReport(int nodes, Duration longest, Loaded loaded, Raw raw) {
  /**
   * The results of the operator.
   *
   * @param repeated the part in which one alert in ten changed
   * @param changed the part in which all alerts changed
   * @param last the last state of all alerts
   * @param wrong alerts that are not stored as they were sent, in sentences
   */
  record Loaded(
      Stored repeated,
      Stored changed,
      Resources resources,
      List<SentAlerts.SentAlert> last,
      List<String> wrong) {}

  /**
   * How long work waited for the decision thread since the operator started.
   *
   * @param number of the pieces of work
   * @param seconds the sum of their waits
   * @param longest the longest wait of the last minutes, in seconds
   */
  record Lag(double number, double seconds, double longest) {}

  /**
   * The operator's counts at one moment.
   *
   * @param patches of HostSignals
   * @param database the size of etcd's database in bytes
   */
  record Counts(long patches, Lag lag, Duration processorTime, double database) {}

  /**
   * The results of a part.
   *
   * @param sent the notifications
   * @param before the operator's counts before the first round
   * @param atEnd the counts when the rounds ended
   * @param after the counts once the cluster was at rest
   * @param untilStored the time until the newest state of each group was stored
   * @param shown from an alert to its condition on the Node
   */
  record Stored(
      AlertSender.Sent sent,
      Counts before,
      Counts atEnd,
      Counts after,
      Duration untilStored,
      List<Duration> shown) {
    long patches() {
      return after.patches() - before.patches();
    }

    /** The mean time that work waited for the decision thread, in seconds. */
    double meanDelay() {
      double pieces = after.lag().number() - before.lag().number();
      return pieces == 0 ? 0 : (after.lag().seconds() - before.lag().seconds()) / pieces;
    }

    /** The patches beyond one for each changed alert. */
    long needless() {
      return Math.max(0, patches() - sent.changes());
    }
  }

  /**
   * Memory and storage use, in bytes.
   *
   * @param peakBefore its peak heap before the first part
   * @param peak its peak heap at the end
   * @param live the used heap after a full collection, at the end
   * @param database the size of etcd's database at the end
   */
  record Resources(double peakBefore, double peak, double live, double database) {}

  /** The patches of a plain client, and the time that they took. */
  record Raw(long patches, Duration time) {
    double perSecond() {
      return patches / BenchReport.seconds(time);
    }
  }

  /** The report. */
  BenchReport report() {
    double seconds = BenchReport.seconds(longest);
    Stored repeated = loaded.repeated();
    Stored changed = loaded.changed();
    Resources resources = loaded.resources();
    double stored = (changed.atEnd().patches() - changed.before().patches()) / seconds;
    BenchReport report =
        new BenchReport(
                "The receiver was sent alerts about %,d Nodes for %d s, then only changes for as long."
                    .formatted(nodes, longest.toSeconds()))
            .fact("nodes", nodes)
            .fact("seconds", longest.toSeconds());
    part(report, "repeated", repeated, seconds);
    report
        .count("needlessWrites", repeated.needless(), "mostly repeated: writes of repeats")
        .latencies("mostly repeated")
        .latency("/repeatedAnswerMillis", "notification to 200", repeated.sent().times())
        .latency("/alertToConditionMillis", "alert to condition", repeated.shown());
    part(report, "changed", changed, seconds);
    return report
        .figure("storedPerSecond", stored, 1, "changed: patches per second", "")
        .figure("rawPerSecond", raw.perSecond(), 1, "plain client: patches per second", "")
        .figure("ratio", stored / raw.perSecond(), 2, "ratio of the two", "")
        .latencies("changed")
        .latency("/changedAnswerMillis", "notification to 200", changed.sent().times())
        .size("operatorPeakHeapBeforeMiB", resources.peakBefore(), "peak heap before the parts")
        .size("operatorPeakHeapMiB", resources.peak(), "peak heap at the end")
        .size("operatorLiveHeapMiB", resources.live(), "heap after a full collection")
        .size("etcdMiB", resources.database(), "etcd's database at the end")
        .wrong("missing", loaded.wrong(), "Everything is stored as it was sent.");
  }

  private static void part(BenchReport report, String part, Stored stored, double seconds) {
    AlertSender.Sent sent = stored.sent();
    String what = part.equals("repeated") ? "mostly repeated: " : "changed: ";
    report
        .figure(
            part + "AlertsPerSecond", sent.alerts() / seconds, 1, what + "alerts per second", "")
        .count(part + "Changes", sent.changes(), what + "changed alerts")
        .count(part + "Patches", stored.patches(), what + "patches of HostSignals")
        .count(part + "Refused", sent.refused(), what + "notifications answered 503")
        .time(part + "StoredSeconds", stored.untilStored(), what + "until all was stored")
        .processorTime(
            part + "CpuSeconds",
            stored.after().processorTime().minus(stored.before().processorTime()),
            what + "operator's processor time")
        .figure(
            part + "PlanningDelayMillis",
            stored.meanDelay() * 1000,
            2,
            what + "mean planning delay",
            "ms")
        .figure(
            part + "LongestPlanningDelayMillis",
            stored.after().lag().longest() * 1000,
            1,
            what + "longest planning delay",
            "ms")
        .size(
            part + "EtcdMiB",
            stored.after().database() - stored.before().database(),
            what + "growth of etcd's database");
  }
}
