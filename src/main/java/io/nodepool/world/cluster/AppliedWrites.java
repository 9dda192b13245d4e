package io.nodepool.world.cluster;

import io.nodepool.fleet.HostOperation;
import io.nodepool.plan.Action;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The number of writes of each kind that took effect: one half of the differential oracle. */
public final class AppliedWrites {
  private final SortedMap<String, Integer> counts = new TreeMap<>();
  private final SortedMap<String, List<String>> names = new TreeMap<>();

  /**
   * Counts a write, unless it changed nothing, as a duplicate does.
   *
   * @param registers whether it registers a Node that was not registered before
   */
  void took(Action action, boolean registers, boolean changed) {
    if (changed) {
      named(action);
      add(registers ? "register Node" : what(action));
    } else if (action instanceof Action.EvictPod) {
      add("evict Pod in vain");
    }
  }

  /** Records the object that a write deleted, stopped or released. */
  private void named(Action action) {
    String name =
        switch (action) {
          case Action.EvictPod(Action.Subject.OfPod pod, var _) ->
              pod.namespace() + "/" + pod.name();
          case Action.DeletePod(Action.Subject.OfPod pod, var _) ->
              pod.namespace() + "/" + pod.name();
          case Action.DeleteNode(String node, String _) -> node;
          case Action.OnHost(HostOperation.Stop stop) -> stop.host().name();
          case Action.OnHost(HostOperation.Cancel cancel) -> cancel.host().name();
          case Action.OnHost _,
              Action.ReportNode _,
              Action.RecordDisruption _,
              Action.CommitDisruption _,
              Action.ReportRemoval _,
              Action.ReportLifecycle _,
              Action.ListPods _,
              Action.ApplyMetadata _,
              Action.LabelNamespace _,
              Action.RelabelNamespace _,
              Action.AskLabelAuthor _,
              Action.AskRequestTimes _,
              Action.DropRebootPolicy _,
              Action.PublishStatus _,
              Action.AcceptCommand _,
              Action.LookAtMachine _,
              Action.Confirm _,
              Action.ConfirmEmpty _ ->
              "";
        };
    if (!name.isEmpty()) {
      List<String> sorted = names.computeIfAbsent(what(action), what -> new ArrayList<>());
      sorted.add(name);
      Collections.sort(sorted);
    }
  }

  /** Names of the objects that were deleted, stopped or released, by kind of write. */
  public SortedMap<String, List<String>> names() {
    return Collections.unmodifiableSortedMap(names);
  }

  private static String what(Action action) {
    return switch (action) {
      case Action.OnHost(HostOperation.Assign _) -> "assign Host";
      case Action.OnHost(HostOperation.Cancel _) -> "cancel Host";
      case Action.OnHost(HostOperation.Stop _) -> "stop Host";
      case Action.OnHost(HostOperation.Release _) -> "release Host";
      case Action.OnHost(HostOperation.Delivered _) -> "forget failures";
      case Action.OnHost(HostOperation.Excuse _) -> "excuse Host";
      case Action.OnHost(HostOperation.Boot _) -> "boot Host";
      case Action.OnHost(HostOperation.DropBoot _) -> "take back the boot of Host";
      case Action.OnHost(HostOperation.Stage _) -> "stage Host";
      case Action.ReportNode _ -> "report Node";
      case Action.RecordDisruption record ->
          switch (record.change()) {
            case NOTE -> "note request";
            case ADMIT -> "mark Node";
            case UPDATE -> "update mark";
            case WITHDRAW -> "unmark Node";
            case CORDON_AGAIN -> "cordon Node";
            case END -> "end reboot";
          };
      case Action.CommitDisruption _ -> "begin removal";
      case Action.ReportRemoval _ -> "report removal";
      case Action.ReportLifecycle _ -> "report lifecycle";
      case Action.ListPods _ -> "list Pods";
      case Action.EvictPod _ -> "evict Pod";
      case Action.DeletePod _ -> "delete Pod";
      case Action.ApplyMetadata _ -> "apply metadata";
      case Action.DeleteNode _ -> "delete Node";
      case Action.LabelNamespace _ -> "label Namespace";
      case Action.RelabelNamespace _ -> "relabel Namespace";
      case Action.AskLabelAuthor _ -> "ask label author";
      case Action.AskRequestTimes _ -> "ask request times";
      case Action.DropRebootPolicy _ -> "drop reboot policy";
      case Action.LookAtMachine _ -> "look at machine";
      case Action.PublishStatus _ -> "publish status";
      case Action.AcceptCommand _ -> "accept command";
      case Action.Confirm _ -> "confirm";
      case Action.ConfirmEmpty _ -> "confirm empty";
    };
  }

  void joined() {
    add("create Node");
  }

  void poolGone() {
    add("delete NodePool");
  }

  /** A status write that changed nothing: always a fault. */
  public void empty() {
    add("publish nothing");
  }

  private void add(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  /** The number of writes so far, by kind. */
  public SortedMap<String, Integer> counts() {
    return Collections.unmodifiableSortedMap(new TreeMap<>(counts));
  }

  /** The number of writes of this kind so far. */
  public int of(String what) {
    return counts.getOrDefault(what, 0);
  }

  /** The number of all writes so far. */
  public int total() {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }
}
