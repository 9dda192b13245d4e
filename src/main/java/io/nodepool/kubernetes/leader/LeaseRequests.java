package io.nodepool.kubernetes.leader;

import static io.nodepool.kubernetes.convert.ObjectFacts.orEmpty;
import static io.nodepool.kubernetes.convert.ObjectFacts.orZero;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.JsonPatch;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.convert.ObjectFacts;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The Lease on an API server. Needs the permissions create, get and patch.
 *
 * @param settings the settings of this process that are not the defaults, as text
 */
record LeaseRequests(ApiRequests requests, String namespace, String name, String settings)
    implements LeaseStore {
  private static final String VERSION = "coordination.k8s.io/v1";
  private static final String HOLDER = "holderIdentity";

  /** The annotation for {@link LeaseRecord#resumed}. */
  static final String RESUMED = "nodepool.io/resumed-at";

  @Override
  public Answer<LeaseRecord.Stored> read() {
    return answer(requests.get(path()));
  }

  @Override
  public Answer<LeaseRecord.Stored> write(LeaseRecord.Stored seen, LeaseRecord next) {
    ObjectNode lease = JsonNodeFactory.instance.objectNode();
    ObjectNode metadata = lease.putObject("metadata");
    ObjectNode spec = lease.putObject("spec");
    spec.put(HOLDER, next.holder());
    spec.put("leaseDurationSeconds", next.valid().toSeconds());
    spec.put("leaseTransitions", next.transitions());
    next.acquired().ifPresent(at -> spec.put("acquireTime", ObjectFacts.microseconds(at)));
    next.renewed().ifPresent(at -> spec.put("renewTime", ObjectFacts.microseconds(at)));
    ObjectNode annotations = metadata.putObject("annotations");
    // The version of the jar of this class, whichever program runs it.
    annotations.put(
        LeadingOperator.VERSION,
        Objects.requireNonNullElse(
            LeaseRequests.class.getPackage().getImplementationVersion(), "development"));
    annotations.put(LeadingOperator.SETTINGS, settings);
    next.resumed().ifPresent(at -> annotations.put(RESUMED, ObjectFacts.microseconds(at)));
    if (seen.version().isEmpty()) {
      lease.put("apiVersion", VERSION).put("kind", "Lease");
      metadata.put("name", name).put("namespace", namespace);
      return answer(requests.post(collection(), lease.toString()));
    }
    metadata.put("resourceVersion", seen.version());
    return answer(requests.patch(path(), ApiRequests.PatchType.MERGE, lease.toString()));
  }

  @Override
  public Answer<LeaseRecord.Stored> giveBack(String holder) {
    JsonPatch patch = new JsonPatch().test("/spec/" + HOLDER, holder).remove("/spec/" + HOLDER);
    return answer(requests.patch(path(), ApiRequests.PatchType.JSON, patch.json()));
  }

  private String collection() {
    return "/apis/%s/namespaces/%s/leases".formatted(VERSION, namespace);
  }

  private String path() {
    return collection() + "/" + name;
  }

  private Answer<LeaseRecord.Stored> answer(Reply reply) {
    if (!(reply instanceof Reply.Ok ok)) {
      return reply.failure();
    }
    try {
      return new Answer.Done<>(stored(requests.parse(ok, Lease.class)));
    } catch (RuntimeException e) {
      return new Answer.Unknown<>("the answer cannot be read: " + e.getMessage());
    }
  }

  private static LeaseRecord.Stored stored(Lease lease) {
    LeaseSpec spec = Objects.requireNonNullElseGet(lease.getSpec(), LeaseSpec::new);
    return new LeaseRecord.Stored(
        lease.getMetadata().getResourceVersion(),
        new LeaseRecord(
            orEmpty(spec.getHolderIdentity()),
            Duration.ofSeconds(orZero(spec.getLeaseDurationSeconds())),
            instant(spec.getAcquireTime()),
            instant(spec.getRenewTime()),
            orZero(spec.getLeaseTransitions()),
            Optional.ofNullable(lease.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(RESUMED))
                .flatMap(ObjectFacts::readableTime)));
  }

  private static Optional<Instant> instant(@Nullable ZonedDateTime time) {
    return Optional.ofNullable(time).map(ZonedDateTime::toInstant);
  }
}
