package io.nodepool.plan.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.PoolId;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each Event of the oldest reference follows the newer one that reports the same. */
class OldestEventsTest {
  private static final PoolId POOL = new PoolId("a", "uid-a");
  private static final EventDraft.Regarding NODE =
      new EventDraft.Regarding(EventTarget.NODE, "g1", "uid-g1");

  private static List<EventDraft> beside(EventDraft draft) {
    return OldestEvents.beside(
            PlannedAction.quiet(new Action.Confirm(new Action.Subject.OfPool(POOL)), "a test")
                .withEventDrafts(List.of(draft)))
        .eventDrafts();
  }

  @ParameterizedTest
  @CsvSource({
    "NODE_REGISTERED, NODE, CWNodeRegisteredEvent",
    "NODE_REGISTRATION_FAILED, NODE, CWRegistrationFailedEvent",
    "NODE_POOL_REMOVE_NODES, POOL, NodePoolRemoveNodes",
    "NODE_POOL_NODES_REMOVE_ERROR, POOL, NodePoolNodesRemoveError",
    "NODE_REQUEST_QUEUED, POOL, NodePoolNodesRequested",
    "NODE_POOL_METADATA, POOL, NodePoolMetadata",
    "NODE_REGISTERED, POOL, NodePoolNodesAllocated",
    "NODE_POOL_NODES_REMOVED, POOL, NodePoolNodesRemoved",
    "NODE_POOL_NODES_REQUEST_FAILED, POOL, NodePoolNodesRequestFailed",
    "INVALID_INSTANCE_TYPE, POOL, InvalidInstanceType",
    "INSTANCE_TYPE_NOT_IN_ZONE, POOL, InstanceTypeNotInZone",
    "NODE_POOL_QUOTA_CHECK_FAILED, POOL, NodePoolQuotaCheckFailed",
    "OVER_QUOTA, POOL, NPOCWOverQuota",
  })
  void itHasTheObjectTheTypeTheOccasionTheCountAndTheTextOfTheNewerOne(
      EventReason newer, String on, String oldest) {
    EventDraft.Regarding regarding = on.equals("NODE") ? NODE : EventDraft.Regarding.of(POOL);
    EventDraft draft = new EventDraft(newer, regarding, "batch 3", "Something of 2 Nodes.", 2);

    List<EventDraft> emitted = beside(draft);
    assertThat(emitted).hasSize(2).startsWith(draft);
    EventDraft last = emitted.getLast();
    assertThat(last.reason().word()).isEqualTo(oldest);
    assertThat(last.reason().type()).isEqualTo(newer.type());
    assertThat(
            new EventDraft(newer, last.regarding(), last.occasion(), last.message(), last.count()))
        .isEqualTo(draft);
  }

  @Test
  void anEventOfWhichTheReferenceHasNoneIsAlone() {
    assertThat(
            beside(
                new EventDraft(
                    EventReason.NODE_ASSIGNED, EventDraft.Regarding.of(POOL), "1", "x.", 1)))
        .hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "'Node Pool targetNodes pushes you over quota for t-1 in Z-1. It would take 3 of 2 Nodes.', 'Node Pool targetNodes pushes you over quota for t-1 in Z-1.'",
    // A text that the API server refused is replaced by this one.
    "'The API server refuses the message that belongs here; the Event CWNodePoolStatusRefused says why.', 'The API server refuses the message that belongs here; the Event CWNodePoolStatusRefused says why.'",
  })
  void overQuotaHasTheSentenceOfTheReference(String newer, String oldest) {
    assertThat(
            beside(
                    new EventDraft(
                        EventReason.OVER_QUOTA, EventDraft.Regarding.of(POOL), "first", newer))
                .getLast()
                .message())
        .isEqualTo(oldest);
  }
}
