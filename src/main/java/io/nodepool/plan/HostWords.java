package io.nodepool.plan;

import io.nodepool.fleet.HostOperation;
import java.util.Map;
import java.util.Optional;

/** What an operation on a Host sets, and how it is said. */
final class HostWords {
  private static final String STAGED = "the wanted configuration";

  private HostWords() {}

  /** The kind of an operation: those of one kind fail for the same cause. */
  static Object kind(HostOperation operation) {
    return Map.entry(operation.getClass(), operation.pool().uid());
  }

  static ActionTraits traits(HostOperation operation) {
    String host = operation.host().name();
    ActionTraits traits =
        switch (operation) {
          case HostOperation.Assign _ -> last("assign Host", operation);
          case HostOperation.Cancel _ -> last("cancel Host", operation);
          case HostOperation.Stop _ ->
              decided("stop Host", operation, "loses its machine").removing("stopping " + host);
          case HostOperation.Preserve _ ->
              decided("preserve Host", operation, "is kept for inspection");
          case HostOperation.Release _ ->
              last("release Host", operation).removing("releasing " + host);
          case HostOperation.Delivered _ -> last("forget failures", operation);
          case HostOperation.Excuse _ ->
              decided("excuse Host", operation, "is not blamed any more");
          case HostOperation.Boot _ -> decided("boot Host", operation, "is rebooted");
          case HostOperation.DropBoot _ ->
              decided("take back the boot of Host", operation, "is not rebooted");
          case HostOperation.RepairComponent repair ->
              ActionTraits.of("repair component of Host", "a repair of a component", repair.id())
                  .deciding(
                      Optional.of("has a component repaired for " + repair.request().alert()));
          case HostOperation.Stage stage ->
              ActionTraits.of("stage Host", STAGED, stage.configuration())
                  .deciding(Optional.of("is to boot " + stage.configuration()));
        };
    return traits.about(EventDraft.Regarding.of(operation.pool()));
  }

  private static ActionTraits last(String word, HostOperation operation) {
    return ActionTraits.of(word, "the last operation", kind(operation));
  }

  private static ActionTraits decided(String word, HostOperation operation, String decision) {
    return last(word, operation).deciding(Optional.of(decision));
  }

  /** What is undone if another client changes it back. */
  static String undone(HostOperation operation) {
    return switch (operation) {
      case HostOperation.Assign _ -> "the assignment to NodePool " + operation.pool().name();
      case HostOperation.Cancel _ -> "the cancellation of its assignment";
      case HostOperation.Stop _ -> "power Off";
      case HostOperation.Preserve _ -> "that it is kept for inspection";
      case HostOperation.Release _ -> "the release";
      case HostOperation.Delivered _ -> "the end of its delivery failures";
      case HostOperation.Excuse _ -> "the end of the failures in a disabled configuration";
      case HostOperation.Boot _ -> "the boot";
      case HostOperation.DropBoot _ -> "the end of the request to boot";
      case HostOperation.RepairComponent _ -> "the request to repair a component";
      case HostOperation.Stage _ -> STAGED;
    };
  }
}
