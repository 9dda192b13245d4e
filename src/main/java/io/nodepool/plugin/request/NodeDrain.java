package io.nodepool.plugin.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.plugin.text.TextTable;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Evicts the Pods of a cordoned Node and waits until they are gone. */
public final class NodeDrain {
  private static final Duration RETRY = Duration.ofSeconds(5);
  private static final String MIRROR = "kubernetes.io/config.mirror";

  private final ClusterClient client;
  private final TimeLimit limit;
  private final boolean force;
  private final PrintWriter out;
  private final PrintWriter err;

  /**
   * Drains the Nodes of one command.
   *
   * @param force whether Pods without a controller are evicted too
   * @param out where evictions are reported
   * @param err where refusals of budgets are reported
   */
  public NodeDrain(
      ClusterClient client, TimeLimit limit, boolean force, PrintWriter out, PrintWriter err) {
    this.client = client;
    this.limit = limit;
    this.force = force;
    this.out = out;
    this.err = err;
  }

  /** The eviction of a Pod. */
  private static final class Eviction {
    private final JsonNode pod;
    private boolean accepted;
    private Duration next = Duration.ZERO;
    private String refusal = "";

    private Eviction(JsonNode pod) {
      this.pod = pod;
    }
  }

  /**
   * Drains a Node.
   *
   * @throws CommandFailure if Pods are left
   */
  public void run(String node) {
    Map<String, Eviction> evictions = new LinkedHashMap<>();
    while (true) {
      ClusterClient.Listed pods = client.pods(node);
      List<JsonNode> left = pods.items().stream().filter(NodeDrain::mustGo).toList();
      reportGone(evictions, left);
      if (left.isEmpty()) {
        return;
      }
      requireControllers(left);
      if (limit.isOver()) {
        throw new CommandFailure(
            ExitCodes.TIMED_OUT,
            "not drained after %s; Pods left: %s".formatted(limit.text(), names(left)));
      }
      left.forEach(pod -> evictions.putIfAbsent(uid(pod), new Eviction(pod)));
      Duration next = TimeLimit.LONGEST_WATCH;
      for (Eviction eviction : evictions.values()) {
        evictWhenDue(eviction);
        if (!eviction.accepted) {
          Duration pause = eviction.next.minus(limit.passed());
          next = pause.compareTo(next) < 0 ? pause : next;
        }
      }
      if (!client.dryRun().writes()) {
        requireAccepted(evictions.values());
        return;
      }
      client.awaitPods(node, pods.version(), limit.atMost(next));
    }
  }

  private void reportGone(Map<String, Eviction> evictions, List<JsonNode> left) {
    Set<String> there = left.stream().map(NodeDrain::uid).collect(Collectors.toSet());
    evictions
        .entrySet()
        .removeIf(each -> {
          boolean gone = !there.contains(each.getKey());
          if (gone) {
            print(out, "pod/%s evicted".formatted(name(each.getValue().pod)));
          }
          return gone;
        });
  }

  /** Fails if a budget refuses an eviction now: only a dry run on the server asks budgets. */
  private static void requireAccepted(Collection<Eviction> evictions) {
    List<String> refused =
        evictions.stream()
            .filter(each -> !each.accepted)
            .map(each -> "%s: %s".formatted(names(List.of(each.pod)), each.refusal))
            .toList();
    if (!refused.isEmpty()) {
      throw new CommandFailure(
          ExitCodes.BLOCKED, "not evicted now would be " + String.join("; ", refused));
    }
  }

  private void requireControllers(List<JsonNode> pods) {
    List<JsonNode> bare = pods.stream().filter(pod -> controller(pod).isEmpty()).toList();
    if (!force && !bare.isEmpty()) {
      throw new CommandFailure(
          "cannot evict Pods without a controller (use --force to override): " + names(bare));
    }
  }

  private void evictWhenDue(Eviction eviction) {
    if (eviction.accepted || limit.passed().compareTo(eviction.next) < 0) {
      return;
    }
    if (!eviction.pod.at("/metadata/deletionTimestamp").asText("").isEmpty()) {
      eviction.accepted = true;
      return;
    }
    String namespace = eviction.pod.at("/metadata/namespace").asText("");
    if (eviction.refusal.isEmpty()) {
      print(
          out,
          "evicting pod %s/%s%s"
              .formatted(namespace, name(eviction.pod), client.dryRun().suffix()));
    }
    Reply reply = client.evict(namespace, name(eviction.pod), body(eviction.pod));
    switch (reply) {
      case Reply.Ok _ -> eviction.accepted = true;
      case Reply.Rejected(int code, String why) when code == Reply.TOO_MANY -> {
        if (client.dryRun().writes() && !why.equals(eviction.refusal)) {
          print(
              err,
              "pod/%s in namespace %s is not evicted yet (retried every %d s): %s"
                  .formatted(name(eviction.pod), namespace, RETRY.toSeconds(), why));
        }
        eviction.refusal = why;
        eviction.next = limit.passed().plus(RETRY);
      }
      // The Pod is gone, or another Pod has its name.
      case Reply.Rejected(int code, String _)
          when code == Reply.NOT_FOUND || code == Reply.CONFLICT ->
          eviction.accepted = true;
      default -> client.succeeded(reply);
    }
  }

  private static void print(PrintWriter to, String line) {
    to.println(TextTable.plain(line));
  }

  private static ObjectNode body(JsonNode pod) {
    ObjectNode body =
        JsonNodeFactory.instance
            .objectNode()
            .put("apiVersion", "policy/v1")
            .put("kind", "Eviction");
    body.putObject("metadata")
        .put("namespace", pod.at("/metadata/namespace").asText(""))
        .put("name", name(pod));
    body.putObject("deleteOptions").putObject("preconditions").put("uid", uid(pod));
    return body;
  }

  private static boolean mustGo(JsonNode pod) {
    return !controller(pod).equals("DaemonSet")
        && !pod.at("/metadata/annotations").has(MIRROR)
        && !Set.of("Succeeded", "Failed").contains(pod.at("/status/phase").asText(""));
  }

  /** The kind of the controller of a Pod, or nothing. */
  private static String controller(JsonNode pod) {
    return pod.at("/metadata/ownerReferences")
        .valueStream()
        .filter(owner -> owner.path("controller").asBoolean(false))
        .map(owner -> owner.path("kind").asText(""))
        .findFirst()
        .orElse("");
  }

  private static String names(List<JsonNode> pods) {
    return pods.stream()
        .map(pod -> pod.at("/metadata/namespace").asText("") + "/" + name(pod))
        .collect(Collectors.joining(", "));
  }

  private static String uid(JsonNode pod) {
    return pod.at("/metadata/uid").asText("");
  }

  private static String name(JsonNode pod) {
    return pod.at("/metadata/name").asText("");
  }
}
