package io.nodepool.plan.report;

import java.util.List;
import java.util.Map;

/** The tables of the oldest reference as it prints them (seed 002). */
public final class OldestReference {
  private OldestReference() {}

  /**
   * The conditions with the words of their column "Status", which are reasons (T2). NodesRemoved is
   * in the newer references too.
   */
  public static final Map<String, List<String>> CONDITIONS =
      Map.of(
          "Accepted",
          List.of("Accepted", "InternalError", "Invalid", "PolicyViolation"),
          "Allocated",
          List.of(
              "Complete",
              "PendingDelete",
              "OverTarget",
              "PolicyViolation",
              "UnderTarget",
              "InternalError",
              "Unknown"),
          "MetadataSynced",
          List.of("Synced", "Pending", "Unknown"),
          "NodesRemoved",
          List.of("Complete", "Pending", "InternalError"),
          "SufficientCapacity",
          List.of("Sufficient", "Partial", "NoneAvailable", "InternalError"));

  /** The one reason that is not published: Nodes are counted in every plan (decision D245). */
  public static final String NEVER = "Allocated/Unknown";

  /** The Events, with the kind of object that each is about. */
  public static final Map<String, String> EVENTS =
      Map.ofEntries(
          Map.entry("CWNodeRegisteredEvent", "Node"),
          Map.entry("CWRegistrationFailedEvent", "Node"),
          Map.entry("NodeCWActive", "Node"),
          Map.entry("NodePoolRemoveNodes", "NodePool"),
          Map.entry("NodePoolNodesRemoveError", "NodePool"),
          Map.entry("NodePoolNodesRequested", "NodePool"),
          Map.entry("NodePoolMetadata", "NodePool"),
          Map.entry("NodePoolNodesAllocated", "NodePool"),
          Map.entry("NodePoolNodesRemoved", "NodePool"),
          Map.entry("NodePoolNodesRequestFailed", "NodePool"),
          Map.entry("InvalidInstanceType", "NodePool"),
          Map.entry("InstanceTypeNotInZone", "NodePool"));

  /** The reasons about quotas with their texts; the page has a blank in the first one. */
  public static final Map<String, String> QUOTA =
      Map.of(
          "NodePoolQuotaCheckFailed",
          "Quota not found for instance type {INSTANCE_TYPE} in zone {ZONE}.",
          "NPOCWOverQuota",
          "Node Pool targetNodes pushes you over quota for {INSTANCE_TYPE} in {ZONE}.");
}
