package io.nodepool.receiver;

import io.nodepool.fleet.HostId;
import io.nodepool.health.HostSignals;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.convert.SignalConversion;
import io.nodepool.receiver.StoredSignals.Stored;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Writes the changed signals of one Host, with one merge patch and without reading. The object is
 * read only when it is full. Blocks the caller until the API server answers.
 */
record SignalWriter(
    ApiRequests api,
    StoredSignals stored,
    Supplier<AlertCatalogue> catalogue,
    ReceiverMeters meters) {
  private static final int ATTEMPTS = 3;
  private static final String MANAGER = "?fieldManager=nodepool-alert-receiver";

  /** Stores these signals. Returns their outcome. */
  WriteOutcome write(HostId host, Map<SignalKey, Signal> received) {
    Stored is = stored.about(host.name());
    if (is.isAboutOther(host.uid())) {
      return WriteOutcome.failed(received.keySet(), ofOtherHost(host));
    }
    SortedMap<SignalKey, Signal> changes = new TreeMap<>(received);
    changes.values().removeIf(each -> !NotificationPlan.isChange(is.times(each.key()), each));
    if (changes.isEmpty()) {
      return WriteOutcome.STORED;
    }
    Reply reply = is.exists() ? patch(host, changes) : create(host, changes);
    if (is.exists() && reply.isNotFound()) {
      reply = create(host, changes);
    } else if (!is.exists() && isRejected(reply, Reply.CONFLICT)) {
      reply = patch(host, changes);
    }
    return isRejected(reply, Reply.UNPROCESSABLE)
        ? exchange(host, changes)
        : outcome(host, reply, changes.keySet());
  }

  private Reply patch(HostId host, Map<SignalKey, Signal> changes) {
    return merge(host, SignalPatch.change(changes));
  }

  private Reply merge(HostId host, String patch) {
    return api.patch(ApiPaths.signals(host.name()) + MANAGER, ApiRequests.PatchType.MERGE, patch);
  }

  private Reply create(HostId host, Map<SignalKey, Signal> signals) {
    return api.post(ApiPaths.SIGNALS + MANAGER, SignalPatch.creation(host, signals));
  }

  private static boolean isRejected(Reply reply, int code) {
    return reply instanceof Reply.Rejected rejected && rejected.code() == code;
  }

  private WriteOutcome outcome(HostId host, Reply reply, Set<SignalKey> keys) {
    if (!(reply instanceof Reply.Ok ok)) {
      return WriteOutcome.failed(keys, reply.why());
    }
    HostSignals now = SignalConversion.signals(api.parse(ok, HostSignalsResource.class));
    stored.answered(now);
    return now.areAbout(host.uid())
        ? WriteOutcome.STORED
        : WriteOutcome.failed(keys, ofOtherHost(host));
  }

  private static String ofOtherHost(HostId host) {
    return "HostSignals %s is about an earlier Host of the name, and is about to be deleted"
        .formatted(host.name());
  }

  /** Stores these signals in place of others, since the schema does not permit more entries. */
  private WriteOutcome exchange(HostId host, Map<SignalKey, Signal> changes) {
    Reply reply = new Reply.NotSent("it changed while room was made in it");
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Reply read = api.get(ApiPaths.signals(host.name()));
      if (!(read instanceof Reply.Ok) && !read.isNotFound()) {
        return WriteOutcome.failed(changes.keySet(), read.why());
      }
      Optional<HostSignalsResource> object =
          read instanceof Reply.Ok ok
              ? Optional.of(api.parse(ok, HostSignalsResource.class))
              : Optional.empty();
      FullMap fit = fit(object, changes);
      if (fit.kept().isEmpty()) {
        return full(host, fit, changes.keySet());
      }
      reply =
          object
              .map(is ->
                  merge(
                      host,
                      SignalPatch.exchange(
                          fit.kept(), fit.removed(), is.getMetadata().getResourceVersion())))
              .orElseGet(() -> create(host, fit.kept()));
      if (!isRejected(reply, Reply.CONFLICT)) {
        if (reply instanceof Reply.Ok) {
          meters.displaced(fit.ended().size(), fit.weaker().size());
        }
        WriteOutcome outcome = outcome(host, reply, changes.keySet());
        return outcome.why().isEmpty() ? full(host, fit, changes.keySet()) : outcome;
      }
    }
    return outcome(host, reply, changes.keySet());
  }

  private FullMap fit(Optional<HostSignalsResource> object, Map<SignalKey, Signal> changes) {
    Set<String> keys =
        object
            .filter(is -> is.getSpec() != null)
            .map(is -> is.getSpec().signals.keySet())
            .orElse(Set.of());
    List<Signal> signals =
        object.map(is -> SignalConversion.signals(is).signals()).orElse(List.of());
    return FullMap.fit(keys, signals, changes, catalogue.get());
  }

  /** A signal that is neither kept nor refused was over before its write. */
  private WriteOutcome full(HostId host, FullMap fit, Set<SignalKey> keys) {
    meters.refused(fit.refused().size());
    WriteOutcome outcome =
        fit.refused().isEmpty()
            ? WriteOutcome.STORED
            : WriteOutcome.failed(
                fit.refused(),
                "HostSignals %s holds %d signals, none of them over or weaker than %s"
                    .formatted(host.name(), Signal.MOST, fit.refused().getFirst().text()));
    return outcome.withUnchanged(
        keys.stream()
            .filter(key -> !fit.kept().containsKey(key) && !fit.refused().contains(key))
            .toList());
  }
}
