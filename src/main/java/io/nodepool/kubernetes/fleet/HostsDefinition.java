package io.nodepool.kubernetes.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.thread.KeyedTimers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the definition of Hosts exists. The API server deletes all Hosts with it, and the client
 * (fabric8 7.8) silently reopens a watch that is answered with 404, for ever. So the list of
 * resources that the server serves is read, which every client may read.
 */
final class HostsDefinition implements AutoCloseable {
  /** The message while the definition is missing, with the remedy. */
  static final String MISSING =
      "the definition (CRD) hosts.fleet.nodepool.io is missing or is being deleted, and with it all Hosts; install the CRDs again: nodepool crds | kubectl apply --server-side -f -";

  private static final Duration BETWEEN_READS = Duration.ofSeconds(30);
  private static final Duration WHILE_MISSING = Duration.ofSeconds(2);
  private static final Logger log = LoggerFactory.getLogger(HostsDefinition.class);

  /** The resources of the group and version of Hosts. */
  private static final String RESOURCES =
      ApiPaths.HOSTS.substring(0, ApiPaths.HOSTS.lastIndexOf('/'));

  private static final String NAME = ApiPaths.HOSTS.substring(RESOURCES.length() + 1);

  /** The state of the definition according to the API server. */
  enum Reading {
    /** It exists, or the server does not list what it serves. */
    EXISTS,
    /** It does not exist, or it is being deleted. */
    MISSING,
    /** There was no answer. */
    UNKNOWN
  }

  private final ApiRequests requests;
  private final BooleanSupplier listed;
  private final Consumer<Optional<String>> out;
  private final ScheduledExecutorService thread = KeyedTimers.thread("hosts-definition");
  private final CompletableFuture<Void> foundMissing = new CompletableFuture<>();
  private final AtomicBoolean asked = new AtomicBoolean();
  private boolean missing;

  /** The next read, if none is requested earlier. */
  private Optional<Future<?>> next = Optional.empty();

  /**
   * A reader that has not started.
   *
   * @param listed whether all Hosts were listed once; before that, a definition that was missing
   *     does not count as present again, since an operator would plan without Hosts that exist
   * @param out receives why Hosts cannot be read, and an empty value once they can be read again
   */
  HostsDefinition(ApiRequests requests, BooleanSupplier listed, Consumer<Optional<String>> out) {
    this.requests = requests;
    this.listed = listed;
    this.out = out;
  }

  void start() {
    execute(this::readAndAgain);
  }

  /** Requests a read now, after a Host was deleted. */
  void check() {
    if (asked.compareAndSet(false, true)) {
      execute(() -> {
        asked.set(false);
        readAndAgain();
      });
    }
  }

  /** Completes when it is first found missing. */
  CompletableFuture<Void> foundMissing() {
    return foundMissing;
  }

  private void readAndAgain() {
    next.ifPresent(last -> last.cancel(false));
    try {
      probe();
    } catch (RuntimeException e) {
      log.warn("what the API server serves could not be understood", e);
    }
    Duration wait = missing ? WHILE_MISSING : BETWEEN_READS;
    try {
      next =
          Optional.of(thread.schedule(this::readAndAgain, wait.toMillis(), TimeUnit.MILLISECONDS));
    } catch (RejectedExecutionException e) {
      log.debug("the operator has stopped");
    }
  }

  private void probe() {
    switch (read(requests)) {
      case MISSING -> {
        if (!missing) {
          missing = true;
          log.error("no machine is assigned, and none is given back: {}", MISSING);
          out.accept(Optional.of(MISSING));
          foundMissing.complete(null);
        }
      }
      case EXISTS -> {
        if (missing && listed.getAsBoolean()) {
          missing = false;
          log.info("the definition (CRD) hosts.fleet.nodepool.io exists again");
          out.accept(Optional.empty());
        }
      }
      case UNKNOWN -> log.debug("what the API server serves could not be read");
    }
  }

  /**
   * Reads live whether the definition exists. A definition that is being deleted is listed without
   * the verbs that change objects.
   */
  static Reading read(ApiRequests requests) {
    Reply reply = requests.get(RESOURCES);
    return switch (reply) {
      case Reply.Ok ok ->
          serves(requests.parse(ok, JsonNode.class)) ? Reading.EXISTS : Reading.MISSING;
      case Reply.Rejected(int code, String _) when code == Reply.NOT_FOUND -> Reading.MISSING;
      // The server lists its resources for some clients only; then the watch of Hosts decides.
      case Reply.Rejected(int code, String _) when code == Reply.FORBIDDEN -> Reading.EXISTS;
      case Reply.Rejected _, Reply.NotSent _, Reply.Lost _ -> Reading.UNKNOWN;
    };
  }

  private static boolean serves(JsonNode resources) {
    return resources
        .path("resources")
        .valueStream()
        .filter(resource -> resource.path("name").asText().equals(NAME))
        .flatMap(resource -> resource.path("verbs").valueStream())
        .anyMatch(verb -> verb.asText().equals("patch"));
  }

  private void execute(Runnable what) {
    try {
      thread.execute(what);
    } catch (RejectedExecutionException e) {
      log.debug("the operator has stopped");
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
    foundMissing.cancel(false);
  }
}
