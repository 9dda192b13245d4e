package io.nodepool.vocabulary;

import java.util.List;

/**
 * The metrics that the operator serves, in addition to the metrics of the Java runtime. The number
 * of a label's values does not grow with the number of Nodes.
 */
public enum Metric {
  POOL_TARGET(
      gauge("nodepool.pool.target", "pool"),
      "Target of the NodePool in Nodes; a rack counts as its Nodes."),
  POOL_NODES(
      gauge("nodepool.pool.nodes", "pool", "state"),
      "Nodes of the NodePool as in its status; state is current, in_progress or queued. Of the current ones: ready, not_ready, not_in_service (the machine does not run), alerting (the Node shows an alert), in_disruption, and outdated (booted into another configuration than the active one). A Node may be in several."),
  POOL_STATUS(
      gauge("nodepool.pool.status", "pool", "status"),
      "Always 1; status is the word of the column STATUS: what matters most about the NodePool."),
  POOL_INFO(
      gauge("nodepool.pool.info", "pool", "instance_type", "compute_class"),
      "Always 1; the labels are the instance type and the compute class of the NodePool."),
  POOL_NODES_IN_WORK(
      gauge("nodepool.pool.nodes.in.work", "pool", "cause", "stage"),
      "Nodes of the NodePool to which something is happening. cause is Delivery, Return (a machine without a Node goes back to the fleet) or the word of a disruption's cause, the one that is carried out; stage is booting, joining (of a delivery), cordoned (it waits), draining, preserved (its machine is kept for inspection), rebooting, verifying, lost (its machine did not come back) or stopping. Nothing is served where there is no Node. Updated every few seconds."),
  POOL_NODES_IN_WORK_AGE(
      gauge("nodepool.pool.nodes.in.work.oldest.age.seconds", "pool", "cause", "stage"),
      "For how many seconds the first of these Nodes has been in this stage, by the clocks of those who wrote the objects."),
  DELIVERY_DURATION(
      histogram("nodepool.delivery.duration", "pool", "from"),
      "How long Nodes took until they were registered, that is Ready for the first time with their metadata; from is request (the growth of the NodePool that asked for it; not of replacements), assignment (of its Host) or boot (its machine came up)."),
  REPAIR_DURATION(
      histogram("nodepool.repair.duration", "pool", "of"),
      "How long machines took that were booted for their repair and are back; of is whole (since their Nodes were cordoned for it) or boot (since the first boot was requested, that is without the wait and the drain)."),
  REPAIR_INTERVAL(
      histogram("nodepool.repair.interval", "pool"),
      "How long after the boot of their last repair machines that were repaired anew had to be booted again, as far as their Hosts remember it."),
  POOL_SPOT_NODE_SECONDS(
      counter("nodepool.pool.spot.node.seconds", "pool"),
      "Seconds that the current Nodes of a spot NodePool have existed, summed over the Nodes; 3600 are a Node hour."),
  POOL_PREEMPTIONS(
      counter("nodepool.pool.preemptions", "pool"),
      "Nodes of a spot NodePool that the fleet preempted."),
  POOL_PREEMPTED_PODS(
      counter("nodepool.pool.preemption.pods.cut.off", "pool"),
      "Pods of a spot NodePool that were still on a preempted Node when its machine was taken."),
  HOSTS(
      gauge("nodepool.hosts", "instance_type", "state"),
      "Hosts by instance type: free (no NodePool holds it, and it may be assigned), waiting (after a failed delivery), set_aside (by a person or the operator; held or not) or name_taken (a Node of an earlier Host has its name). Updated every few seconds."),
  QUOTA(
      gauge("nodepool.quota.nodes", "instance_type"),
      "Nodes of an instance type that the fleet's quota allows; nothing is served where it has none."),
  POOL_BRAKE(
      gauge("nodepool.pool.brake", "pool", "brake"),
      "1 while this holds something of the NodePool back, else 0; brake is paused (by its user), observing (alerts are only observed), quota, configuration_disabled (no machine boots the active configuration, and the pool does not grow), rollout_paused (by itself, after failures), rollout_stopped (by a user), failed_reboots (no Node may leave after a failed reboot until a person releases that) or repairs (the condition RepairsHeld; nodepool_pool_condition has its reason)."),
  POOL_ROLLOUT(
      gauge("nodepool.pool.rollout", "pool", "phase"),
      "1 for the phase of the NodePool's rollout, else 0; phase is running, stopped (by a user) or paused (by itself, after failures)."),
  POOL_FAILED_REBOOTS(
      gauge("nodepool.pool.failed.reboots", "pool"),
      "Nodes of the NodePool whose machines did not come back from their reboots and that wait until they may leave."),
  POOL_REPAIRS_WAITING(
      gauge("nodepool.pool.repairs.waiting", "pool", "reason"),
      "Nodes of the NodePool that wait to be repaired, or to leave since their machines stopped, by what holds them: a reason of RepairsHeld, or Pace (they follow one after the other). A Node may wait for several. Updated every few seconds."),
  POOL_LIMIT(
      gauge("nodepool.pool.limit", "pool", "limit"),
      "A limit of the NodePool in Nodes, or in racks for types that are allocated in racks: rollout_unavailable (a rollout begins no Node while so many are unavailable), repairs_unavailable (none is cordoned for a repair then) or repairs_in_flight (so many Nodes are repaired at once, or leave since they did not come back). Updated every few seconds."),
  POOL_LIMIT_USE(
      gauge("nodepool.pool.limit.use", "pool", "limit"),
      "How much of that limit is used, as its last plan counted it; it may exceed the limit, since other causes do not ask it."),
  LIMIT(gauge("nodepool.limit", "limit"), "A limit of all NodePools together: repairs_in_flight."),
  LIMIT_USE(gauge("nodepool.limit.use", "limit"), "How much of that limit is used."),
  POOL_QUEUE_POSITION(
      gauge("nodepool.pool.queue.position", "pool"),
      "The place of the NodePool among those that wait for machines of its type, from 1. Nothing is served of one that does not wait."),
  POOL_QUEUE_AGE(
      gauge("nodepool.pool.queue.age.seconds", "pool"),
      "For how many seconds the NodePool has waited in that queue, from its request to grow."),
  POOL_ROLLOUT_NODES(
      gauge("nodepool.pool.rollout.nodes", "pool", "state"),
      "Nodes of a NodePool with a rollout under way: up_to_date, under_way (it is their turn), and those that it could begin but for what keeps it from them: busy, cordoned (by others) or passed_over (for a while, after work or a person kept them). The limit is nodepool_pool_limit. Nothing is served without a rollout."),
  POOL_ROLLOUT_AGE(
      gauge("nodepool.pool.rollout.age.seconds", "pool"),
      "For how many seconds the rollout of the NodePool has been in its phase."),
  POOL_DRAINS_BLOCKED(
      gauge("nodepool.pool.drains.blocked", "pool", "kind"),
      "Nodes of the NodePool whose drain PodDisruptionBudgets block, by the kind of the owners of the Pods that they keep, such as ReplicaSet; Pod for one without an owner, and other for kinds beyond 20. A Node with several counts for each. CWNodeRemoval of the Node names Pods and budgets."),
  POOL_ALERTS_SUSPECTED(
      gauge("nodepool.pool.alerts.suspected", "pool"),
      "Alerts that stand on so many Nodes of the NodePool that nothing is done for them."),
  POOL_KUBELET_SKEW(
      gauge("nodepool.pool.kubelet.skew", "pool"),
      "How many minor versions the oldest kubelet of the NodePool is behind the API server, as far as its configurations name versions."),
  POOL_CONDITION(
      gauge("nodepool.pool.condition", "pool", "type", "status", "reason"),
      "1 for each condition of the NodePool."),
  LEADER(
      gauge("nodepool.leader"),
      "1 while this process leads and its Lease was renewed recently, else 0."),
  LOOP(
      timer("nodepool.loop", "loop"),
      "Runs of a reconcile loop, from reading the observed state to submitting the writes; loop is pool, machine or namespace."),
  DECISIONS_WAITING(
      gauge("nodepool.decisions.waiting"),
      "Observations, responses and loop runs that wait for the decision thread."),
  DECISION_LAG(
      timer("nodepool.decision.lag"),
      "How long each observation, response and loop run waited for the decision thread."),
  WRITES(
      gauge("nodepool.writes", "state"),
      "Objects whose next write has to wait; state is under_way (a request is not answered yet), in_doubt (it is unknown whether the last request took effect; the object is read) or resting (the last request failed). Updated every few seconds."),
  EVENTS_LOST(
      counter("nodepool.events.lost"),
      "Events that the API server did not accept in several attempts, so that the writes that they announce were made without them; their text is logged."),
  DISRUPTION_DURATION(
      histogram("nodepool.disruption.duration", "cause"),
      "How long the disruptions of Nodes took that were carried out: from the record of the cause, with which the Node is cordoned, until the Node is gone, or back in production as asked."),
  DISRUPTIONS(
      counter("nodepool.disruptions", "cause", "outcome"),
      "Disruptions of Nodes that ended, once for each cause of a Node; cause is a word of the record on Nodes, outcome is "
          + DisruptionOutcome.listed()
          + "."),
  PODS_CUT_OFF(
      counter("nodepool.disruption.pods.cut.off", "cause"),
      "Pods that were still on a Node when the end of its machine cut them off, by the cause for which it left."),
  UNREADABLE(
      gauge("nodepool.objects.unreadable"),
      "Pools and machines whose stored objects cannot be read, so that they are not changed. Updated every few seconds."),
  ALERTS_STANDING(
      gauge("nodepool.alerts.standing", "alert", "grade"),
      "Machines on which an alert stands, or racks about which the operator itself finds it, by its name and grade; those that the catalogue does not have count as unknown. Nothing is served for an alert that stands nowhere. Updated every few seconds."),
  MATTERS(
      gauge("nodepool.matters", "of", "grade"),
      "Things to act on, by what they are about (host or rack) and their grade: all alerts of one machine or one rack, with their symptoms. Nothing is served for a grade without any. Updated every few seconds."),
  RACK_MATTERS(
      gauge("nodepool.rack.matters", "zone", "rack"),
      "Things to act on in a rack, about its machines and about itself; of the 50 racks with the most. Nothing is served for a rack without any. Updated every few seconds."),
  MATTER_AGE(
      gauge("nodepool.matters.oldest.age.seconds"),
      "Age of the oldest alert of these, by its source's clock; 0 without any."),
  SIGNALS_UNUSABLE(
      gauge("nodepool.signals.unusable", "reason"),
      "What monitors have written and nothing follows from: entries that are unreadable, and HostSignals objects about an unknown Host."),
  SIGNALS_DROPPED(
      counter("nodepool.signals.dropped", "reason"),
      "Signals about machines from which nothing follows: stale (older than the machine's boot) or future (their time is ahead of the operator's clock)."),
  ALERTS_REFUSED(
      gauge("nodepool.alerts.refused"),
      "1 while the ConfigMap nodepool-alerts is refused, so that the alerts that were last read stay, else 0; the log names the line."),
  RECEIVER_ALERTS(
      counter("nodepool.receiver.alerts", "outcome"),
      "Alerts that Alertmanager sent to this replica: stored, unchanged (stored before), failed (the sender must repeat it), and those without effect: no_machine, unknown_machine, unnamed, future, truncated (left out by the sender)."),
  RECEIVER_ANSWERS(
      timer("nodepool.receiver.answers", "code"),
      "Notifications of Alertmanager that this replica answered, by HTTP code (0 if the sender broke off), and how long it took from the end of the request's headers."),
  RECEIVER_OLDEST_PENDING(
      gauge("nodepool.receiver.oldest.pending.seconds"),
      "Age of the oldest notification that this replica has not answered yet; 0 without one."),
  RECEIVER_DISPLACED(
      counter("nodepool.receiver.displaced", "reason"),
      "Signals that full HostSignals lost to others: ended (it was over), weaker (of a weaker grade) or refused (it was received, and all others are as strong)."),
  REQUESTS_PENDING(
      gauge("nodepool.requests.pending"),
      "Requests to the API server that wait to be sent or to be answered."),
  API_REQUESTS(
      counter("nodepool.api.requests", "verb", "resource", "code"),
      "Requests that the API server answered, by Kubernetes verb, resource and HTTP code."),
  PLANNING(
      gauge("nodepool.planning"),
      "1 on the replica that leads, has listed every kind and plans; else 0. It stays 0 for some seconds after a takeover."),
  JVM_MEMORY_PEAK(
      gauge("jvm.memory.peak.bytes", "area", "id"),
      "The highest use of a memory pool since the process started, garbage included."),
  BUILD(gauge("nodepool.build", "version"), "Always 1; the label is the running version.");

  /** How a metric counts. */
  public enum Kind {
    /** A number that increases and decreases. */
    GAUGE,
    /** A number that only increases. */
    COUNTER,
    /** The number of occurrences, their total duration, and the recent maximum. */
    TIMER,
    /** A timer that also counts the occurrences up to each of some durations. */
    HISTOGRAM
  }

  /** A name, a kind and labels; there is one series for each combination of the labels' values. */
  private record Series(String id, Kind kind, List<String> labels) {}

  private final Series series;
  private final String meaning;

  Metric(Series series, String meaning) {
    this.series = series;
    this.meaning = meaning;
  }

  private static Series gauge(String id, String... labels) {
    return new Series(id, Kind.GAUGE, List.of(labels));
  }

  private static Series counter(String id, String... labels) {
    return new Series(id, Kind.COUNTER, List.of(labels));
  }

  private static Series timer(String id, String... labels) {
    return new Series(id, Kind.TIMER, List.of(labels));
  }

  private static Series histogram(String id, String... labels) {
    return new Series(id, Kind.HISTOGRAM, List.of(labels));
  }

  /** The name with dots, as it is registered. */
  public String id() {
    return series.id();
  }

  /** The kind of the metric. */
  public Kind kind() {
    return series.kind();
  }

  /** Its labels. */
  public List<String> labels() {
    return series.labels();
  }

  /** What the metric measures. */
  public String meaning() {
    return meaning;
  }

  /** The names of its Prometheus series. */
  public List<String> names() {
    String name = series.id().replace('.', '_');
    return switch (series.kind()) {
      case GAUGE -> List.of(name);
      case COUNTER -> List.of(name + "_total");
      case TIMER -> List.of(name + "_seconds_count", name + "_seconds_sum", name + "_seconds_max");
      case HISTOGRAM ->
          List.of(
              name + "_seconds_bucket",
              name + "_seconds_count",
              name + "_seconds_sum",
              name + "_seconds_max");
    };
  }
}
