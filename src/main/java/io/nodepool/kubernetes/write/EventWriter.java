package io.nodepool.kubernetes.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.model.Observation;
import io.nodepool.plan.EventDraft;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.TextHash;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes Events. An Event's name is derived from its content, so that writing it again updates it
 * instead of creating a second Event.
 */
final class EventWriter {
  private static final String COMPONENT = "nodepool-operator";
  private static final String NAMESPACE = "default";
  private static final int LONGEST_NAME = 253;
  private static final int HASH_DIGITS = 16;

  private static final Logger log = LoggerFactory.getLogger(EventWriter.class);

  private final ApiRequests requests;
  private final InstantSource clock;
  private final Consumer<EventDraft> lost;
  private final EventAttempts attempts = new EventAttempts();

  /**
   * @param lost receives each Event that is given up
   */
  EventWriter(ApiRequests requests, InstantSource clock, Consumer<EventDraft> lost) {
    this.requests = requests;
    this.clock = clock;
    this.lost = lost;
  }

  /**
   * Writes an Event, or gives it up when the server rejects it finally or in several attempts.
   *
   * @return why the Event must be retried before the write that it announces; empty if that write
   *     may be sent
   */
  Optional<Answer<Observation>> emit(EventDraft eventDraft) {
    String name = name(eventDraft);
    Reply reply = attempt(eventDraft, name);
    if (reply instanceof Reply.Ok) {
      attempts.succeeded(name);
      return Optional.empty();
    }
    if (!attempts.isGivenUp(name, reply)) {
      // The action was not sent, so only the Event is in doubt, and emitting it again is harmless.
      return Optional.of(new Answer.Unavailable<>("an Event could not be emitted: " + reply.why()));
    }
    log.warn(
        "{}: the Event {} about {} is lost, and the write that it announces is sent without it: {}",
        reply.why(),
        eventDraft.reason().word(),
        eventDraft.regarding().name(),
        eventDraft.message());
    lost.accept(eventDraft);
    return Optional.empty();
  }

  private Reply attempt(EventDraft eventDraft, String name) {
    try {
      return create(eventDraft, name);
    } catch (RuntimeException e) {
      log.error("an Event failed with an unexpected error", e);
      return new Reply.Lost(e.toString());
    }
  }

  private Reply create(EventDraft eventDraft, String name) {
    Reply created = requests.post(ApiPaths.EVENTS, event(eventDraft, name));
    return created.isTaken() ? update(eventDraft, name) : created;
  }

  private Reply update(EventDraft eventDraft, String name) {
    String path = ApiPaths.EVENTS + "/" + name;
    Reply found = requests.get(path);
    if (!(found instanceof Reply.Ok ok)) {
      return found;
    }
    JsonNode event = requests.parse(ok, JsonNode.class);
    if (event.path("message").asText().equals(eventDraft.message())
        && event.path("count").asInt() == eventDraft.count()) {
      return found;
    }
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.put("message", eventDraft.message()).put("count", eventDraft.count());
    patch.put("lastTimestamp", ObjectFacts.seconds(clock.instant()));
    return requests.patch(path, ApiRequests.PatchType.MERGE, patch.toString());
  }

  private String event(EventDraft eventDraft, String name) {
    String now = ObjectFacts.seconds(clock.instant());
    EventDraft.Regarding regarding = eventDraft.regarding();
    ObjectNode event = JsonNodeFactory.instance.objectNode();
    event.put("apiVersion", "v1").put("kind", "Event");
    event.putObject("metadata").put("name", name).put("namespace", NAMESPACE);
    ObjectNode involved = event.putObject("involvedObject");
    involved.put(
        "apiVersion",
        regarding.kind() == EventTarget.POOL ? "compute.coreweave.com/v1alpha1" : "v1");
    involved.put("kind", regarding.kind().kind());
    involved.put("name", regarding.name()).put("uid", regarding.uid());
    event.put("type", eventDraft.reason().type().word()).put("reason", eventDraft.reason().word());
    event.put("message", eventDraft.message()).put("count", eventDraft.count());
    event.put("firstTimestamp", now).put("lastTimestamp", now);
    event.putObject("source").put("component", COMPONENT);
    event.put("reportingComponent", COMPONENT).put("reportingInstance", COMPONENT);
    return event.toString();
  }

  /** The name of an Event: the object's, and a hash of reason, UID and occasion. */
  static String name(EventDraft eventDraft) {
    String key =
        String.join(
            "\n", eventDraft.reason().word(), eventDraft.regarding().uid(), eventDraft.occasion());
    String suffix = "." + TextHash.of(key, HASH_DIGITS);
    String object = eventDraft.regarding().name();
    int room = LONGEST_NAME - suffix.length();
    return (object.length() <= room ? object : object.substring(0, room)) + suffix;
  }
}
