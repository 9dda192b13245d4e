package io.nodepool.kubernetes.leader;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.nodepool.kubernetes.convert.ObjectFacts;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.Optional;

/**
 * The facts that the leading process publishes about itself on the Lease.
 *
 * @param version the version of its jar; empty text if it does not publish one
 * @param settings its settings that are not the defaults, as text; empty text if there are none
 * @param holder its identity; empty text if no process leads
 * @param renewed when it renewed the Lease last
 * @param resumed when the last time without a leader ended
 */
public record LeadingOperator(
    String version,
    String settings,
    String holder,
    Optional<Instant> renewed,
    Optional<Instant> resumed) {
  /** The path of the Lease. */
  public static final String PATH =
      "/apis/coordination.k8s.io/v1/namespaces/%s/leases/%s"
          .formatted(Leadership.NAMESPACE, Leadership.LEASE);

  static final String VERSION = "nodepool.io/operator-version";
  static final String SETTINGS = "nodepool.io/operator-settings";

  /** The facts on a Lease. */
  public static LeadingOperator of(Lease lease) {
    Map<String, String> annotations =
        Optional.ofNullable(lease.getMetadata()).map(ObjectMeta::getAnnotations).orElse(Map.of());
    return new LeadingOperator(
        annotations.getOrDefault(VERSION, ""),
        annotations.getOrDefault(SETTINGS, ""),
        Optional.ofNullable(lease.getSpec()).map(spec -> spec.getHolderIdentity()).orElse(""),
        Optional.ofNullable(lease.getSpec())
            .map(spec -> spec.getRenewTime())
            .map(ZonedDateTime::toInstant),
        Optional.ofNullable(annotations.get(LeaseRequests.RESUMED))
            .flatMap(ObjectFacts::readableTime));
  }
}
