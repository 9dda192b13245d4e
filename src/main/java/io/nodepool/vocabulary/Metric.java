package io.nodepool.vocabulary;

import java.util.List;

/**
 * The metrics that the operator serves of itself, besides those of the Java runtime. Labels take
 * few values each; none grows with the number of Nodes.
 */
public enum Metric {
  POOL_TARGET(
      "nodepool.pool.target",
      Kind.GAUGE,
      List.of("pool"),
      "Nodes that the NodePool asks for; racks count as their Nodes."),
  POOL_NODES(
      "nodepool.pool.nodes",
      Kind.GAUGE,
      List.of("pool", "state"),
      "Nodes of the NodePool as in its status; state is current, in_progress or queued."),
  POOL_CONDITION(
      "nodepool.pool.condition",
      Kind.GAUGE,
      List.of("pool", "type", "status", "reason"),
      "1 for each condition that stands on the NodePool."),
  LEADER(
      "nodepool.leader",
      Kind.GAUGE,
      List.of(),
      "1 while this process leads and its Lease was renewed lately, else 0."),
  LOOP(
      "nodepool.loop",
      Kind.TIMER,
      List.of("loop"),
      "Runs of a loop, from looking at what is known to handing over what is to be written; loop is pool, machine or namespace."),
  DECISIONS_WAITING(
      "nodepool.decisions.waiting",
      Kind.GAUGE,
      List.of(),
      "Things seen, answers and runs of loops that wait for the decision thread."),
  DECISION_LAG(
      "nodepool.decision.lag",
      Kind.TIMER,
      List.of(),
      "How long each of them waited for the decision thread."),
  WRITES(
      "nodepool.writes",
      Kind.GAUGE,
      List.of("state"),
      "Objects whose next write has to wait; state is under_way (a request is not answered yet), in_doubt (nobody knows whether the"
          + " last one took effect; it is read back) or resting (the last one failed). Looked at every few seconds."),
  EVENTS_LOST(
      "nodepool.events.lost",
      Kind.COUNTER,
      List.of(),
      "Events that the API server did not take in several tries, so that what they announce was done without them; the log has their text."),
  UNREADABLE(
      "nodepool.objects.unreadable",
      Kind.GAUGE,
      List.of(),
      "Pools and machines of which something that is stored cannot be read, so that they are left as they are. Looked at every few seconds."),
  REQUESTS_PENDING(
      "nodepool.requests.pending",
      Kind.GAUGE,
      List.of(),
      "Requests to the API server that wait for their turn or for their answer."),
  API_REQUESTS(
      "nodepool.api.requests",
      Kind.COUNTER,
      List.of("verb", "resource", "code"),
      "Requests that the API server answered, by Kubernetes' verb, resource and HTTP code."),
  PLANNING(
      "nodepool.planning",
      Kind.GAUGE,
      List.of(),
      "1 on the replica that leads, has listed everything and plans; else 0. It stays 0 for some seconds on one that takes over."),
  JVM_MEMORY_PEAK(
      "jvm.memory.peak.bytes",
      Kind.GAUGE,
      List.of("area", "id"),
      "The highest use of a memory pool since the process started, garbage included."),
  BUILD("nodepool.build", Kind.GAUGE, List.of("version"), "Always 1; says which version runs.");

  /** How a metric counts. */
  public enum Kind {
    /** A number that goes up and down. */
    GAUGE,
    /** A number that only goes up. */
    COUNTER,
    /** How often something happened, how long it took in all, and the longest of late. */
    TIMER
  }

  private final String id;
  private final Kind kind;
  private final List<String> labels;
  private final String meaning;

  Metric(String id, Kind kind, List<String> labels, String meaning) {
    this.id = id;
    this.kind = kind;
    this.labels = labels;
    this.meaning = meaning;
  }

  /** The name with dots, as it is registered. */
  public String id() {
    return id;
  }

  /** How it counts. */
  public Kind kind() {
    return kind;
  }

  /** Its labels. */
  public List<String> labels() {
    return labels;
  }

  /** What it says. */
  public String meaning() {
    return meaning;
  }

  /** The names under which Prometheus sees it. */
  public List<String> names() {
    String name = id.replace('.', '_');
    return switch (kind) {
      case GAUGE -> List.of(name);
      case COUNTER -> List.of(name + "_total");
      case TIMER -> List.of(name + "_seconds_count", name + "_seconds_sum", name + "_seconds_max");
    };
  }
}
