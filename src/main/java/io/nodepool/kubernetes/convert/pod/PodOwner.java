package io.nodepool.kubernetes.convert.pod;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.model.node.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The workload that a Pod belongs to, as a user created it: the Deployment, not its ReplicaSet. It
 * is derived from the names and labels that intermediate controllers set, so that no intermediate
 * object must be watched.
 */
final class PodOwner {
  /**
   * The part of a ReplicaSet's name that the Deployment controller adds to the Deployment's name.
   */
  private static final String TEMPLATE_HASH = "pod-template-hash";

  private static final String JOB_SET = "jobset.sigs.k8s.io/jobset-name";

  /** The CronJob controller adds the scheduled time in minutes since the epoch. */
  private static final Pattern SCHEDULED = Pattern.compile("(.+)-(\\d{8,10})");

  /**
   * June 2019, before any CronJob counted in minutes. A date such as 20261121 is a smaller number.
   */
  private static final long FIRST_MINUTE = 26_000_000;

  private PodOwner() {}

  /**
   * The owner of a Pod.
   *
   * @param controller the owner reference of its controller
   * @param createdAt when the Pod was created, as the API writes it
   */
  static Pod.Owner of(
      Optional<OwnerReference> controller,
      Map<String, String> labels,
      Optional<Instant> createdAt) {
    return controller.map(owner -> of(owner, labels, createdAt)).orElse(Pod.Owner.NONE);
  }

  private static Pod.Owner of(
      OwnerReference owner, Map<String, String> labels, Optional<Instant> createdAt) {
    String name = owner.getName();
    Optional<Pod.Owner> top =
        switch (group(owner) + "/" + owner.getKind()) {
          case "apps/ReplicaSet" -> deployment(name, labels).map(each -> named("Deployment", each));
          case "batch/Job" ->
              Optional.ofNullable(labels.get(JOB_SET))
                  .map(each -> named("JobSet", each))
                  .or(() -> cronJob(name, createdAt).map(each -> named("CronJob", each)));
          default -> Optional.empty();
        };
    return top.orElseGet(() -> named(owner.getKind(), name));
  }

  private static Pod.Owner named(String kind, String name) {
    return new Pod.Owner(kind, name, false);
  }

  /** The API group of an owner. */
  static String group(OwnerReference owner) {
    String version = ObjectFacts.orEmpty(owner.getApiVersion());
    int slash = version.indexOf('/');
    return slash < 0 ? "" : version.substring(0, slash);
  }

  private static Optional<String> deployment(String replicaSet, Map<String, String> labels) {
    String hash = "-" + labels.getOrDefault(TEMPLATE_HASH, "");
    return hash.length() > 1 && replicaSet.endsWith(hash) && replicaSet.length() > hash.length()
        ? Optional.of(replicaSet.substring(0, replicaSet.length() - hash.length()))
        : Optional.empty();
  }

  /**
   * The CronJob of a Job. A number counts as a time only if a CronJob can have been due then, since
   * users number Jobs too.
   */
  private static Optional<String> cronJob(String job, Optional<Instant> createdAt) {
    Matcher named = SCHEDULED.matcher(job);
    if (!named.matches() || createdAt.isEmpty()) {
      return Optional.empty();
    }
    long minute = Long.parseLong(named.group(2));
    long created = Duration.between(Instant.EPOCH, createdAt.get()).toMinutes();
    return minute >= FIRST_MINUTE && minute <= created
        ? Optional.of(named.group(1))
        : Optional.empty();
  }
}
