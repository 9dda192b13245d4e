package io.nodepool.kubernetes;

import io.fabric8.kubernetes.api.model.OwnerReference;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The workload that a Pod belongs to, as somebody created it: the Deployment and not its
 * ReplicaSet. It is read from names and labels that the controllers between give, so that no object
 * between has to be watched.
 *
 * @param kind kind of the workload, or empty text where nothing owns the Pod
 */
record PodOwner(String kind, String name) {
  private static final PodOwner NONE = new PodOwner("", "");

  /** The part of a ReplicaSet's name that the Deployment controller adds to the Deployment's. */
  private static final String TEMPLATE_HASH = "pod-template-hash";

  private static final String JOB_SET = "jobset.sigs.k8s.io/jobset-name";

  /** The CronJob controller adds the scheduled time in minutes since the epoch. */
  private static final Pattern SCHEDULED = Pattern.compile("(.+)-(\\d{8,10})");

  /** June 2019, before any CronJob counted in minutes; a date such as 20261121 is less. */
  private static final long FIRST_MINUTE = 26_000_000;

  /**
   * The owner of a Pod.
   *
   * @param controller what controls it
   * @param createdAt when the Pod was created, as the API writes it
   */
  static PodOwner of(
      Optional<OwnerReference> controller,
      Map<String, String> labels,
      Optional<Instant> createdAt) {
    return controller.map(owner -> of(owner, labels, createdAt)).orElse(NONE);
  }

  private static PodOwner of(
      OwnerReference owner, Map<String, String> labels, Optional<Instant> createdAt) {
    String name = owner.getName();
    Optional<PodOwner> top =
        switch (group(owner) + "/" + owner.getKind()) {
          case "apps/ReplicaSet" ->
              deployment(name, labels).map(each -> new PodOwner("Deployment", each));
          case "batch/Job" ->
              Optional.ofNullable(labels.get(JOB_SET))
                  .map(each -> new PodOwner("JobSet", each))
                  .or(() -> cronJob(name, createdAt).map(each -> new PodOwner("CronJob", each)));
          default -> Optional.empty();
        };
    return top.orElseGet(() -> new PodOwner(owner.getKind(), name));
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

  /** A number counts as a time only if a CronJob can have been due then: people number Jobs too. */
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
