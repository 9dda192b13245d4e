package io.nodepool.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.fleet.Answer;
import io.nodepool.model.Observation;
import io.nodepool.plan.Notice;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells notices as Events. An Event's name follows from what it says, so telling it again finds it
 * and brings it up to date instead of doubling it.
 */
final class EventTeller {
  private static final String COMPONENT = "nodepool-operator";
  private static final String NAMESPACE = "default";
  private static final int LONGEST_MESSAGE = 1024;
  private static final int LONGEST_NAME = 253;
  private static final int HASH_BYTES = 8;

  private static final Logger log = LoggerFactory.getLogger(EventTeller.class);

  private final ApiRequests requests;
  private final InstantSource clock;
  private final Consumer<Notice> lost;
  private final EventTries tries = new EventTries();

  /**
   * @param lost told of each notice that is given up
   */
  EventTeller(ApiRequests requests, InstantSource clock, Consumer<Notice> lost) {
    this.requests = requests;
    this.clock = clock;
    this.lost = lost;
  }

  /**
   * Tells a notice, or gives it up when the server does not take it in several tries, or says that
   * it never will.
   *
   * @return why it is to be tried again before what it announces is done; empty if that may be done
   */
  Optional<Answer<Observation>> tell(Notice notice) {
    String name = name(notice);
    Reply reply = attempt(notice, name);
    if (reply instanceof Reply.Ok) {
      tries.told(name);
      return Optional.empty();
    }
    if (!tries.isGivenUp(name, reply)) {
      return Optional.of(failure(reply));
    }
    log.warn(
        "the Event {} about {} is lost, and what it announces is done without it: {} ({})",
        notice.reason().word(),
        notice.regarding().name(),
        notice.message(),
        reply);
    lost.accept(notice);
    return Optional.empty();
  }

  private Reply attempt(Notice notice, String name) {
    try {
      return create(notice, name);
    } catch (RuntimeException e) {
      log.error("an Event met what it did not expect", e);
      return new Reply.Lost(e.toString());
    }
  }

  private Reply create(Notice notice, String name) {
    Reply created = requests.post(ApiPaths.EVENTS, event(notice, name));
    return created instanceof Reply.Rejected(int code, String _) && code == Reply.CONFLICT
        ? bringUpToDate(notice, name)
        : created;
  }

  private Reply bringUpToDate(Notice notice, String name) {
    String path = ApiPaths.EVENTS + "/" + name;
    Reply found = requests.get(path);
    if (!(found instanceof Reply.Ok ok)) {
      return found;
    }
    JsonNode event = requests.parse(ok, JsonNode.class);
    if (event.path("message").asText().equals(message(notice))
        && event.path("count").asInt() == notice.count()) {
      return found;
    }
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.put("message", message(notice)).put("count", notice.count());
    patch.put("lastTimestamp", ObjectFacts.seconds(clock.instant()));
    return requests.patch(path, ApiRequests.PatchType.MERGE, patch.toString());
  }

  /**
   * What a failed Event means for the action after it: it was not carried out, so nothing is in
   * doubt but the Event, which telling it again settles.
   */
  private static Answer<Observation> failure(Reply reply) {
    return new Answer.Unavailable<>("an Event could not be told: " + reply);
  }

  private String event(Notice notice, String name) {
    String now = ObjectFacts.seconds(clock.instant());
    Notice.Regarding regarding = notice.regarding();
    ObjectNode event = JsonNodeFactory.instance.objectNode();
    event.put("apiVersion", "v1").put("kind", "Event");
    event.putObject("metadata").put("name", name).put("namespace", NAMESPACE);
    ObjectNode involved = event.putObject("involvedObject");
    switch (regarding.kind()) {
      case NODE_POOL ->
          involved.put("apiVersion", "compute.coreweave.com/v1alpha1").put("kind", "NodePool");
      case NODE -> involved.put("apiVersion", "v1").put("kind", "Node");
      case NAMESPACE -> involved.put("apiVersion", "v1").put("kind", "Namespace");
    }
    involved.put("name", regarding.name()).put("uid", regarding.uid());
    event.put("type", notice.reason().type().word()).put("reason", notice.reason().word());
    event.put("message", message(notice)).put("count", notice.count());
    event.put("firstTimestamp", now).put("lastTimestamp", now);
    event.putObject("source").put("component", COMPONENT);
    event.put("reportingComponent", COMPONENT).put("reportingInstance", COMPONENT);
    return event.toString();
  }

  private static String message(Notice notice) {
    String message = notice.message();
    return message.length() <= LONGEST_MESSAGE
        ? message
        : message.substring(0, LONGEST_MESSAGE - 1) + "…";
  }

  /** The name of a notice's Event: the object's, and a hash of reason, UID and occasion. */
  static String name(Notice notice) {
    String key =
        String.join("\n", notice.reason().word(), notice.regarding().uid(), notice.occasion());
    String suffix = "." + HexFormat.of().formatHex(sha256(key), 0, HASH_BYTES);
    String object = notice.regarding().name();
    int room = LONGEST_NAME - suffix.length();
    return (object.length() <= room ? object : object.substring(0, room)) + suffix;
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
