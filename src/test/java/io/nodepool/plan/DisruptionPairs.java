package io.nodepool.plan;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What becomes of a Node that two causes disrupt, as literal cells. They are the only source of the
 * tables in {@code docs/reference/disruptions.md}, and each is played through the real planners.
 */
public final class DisruptionPairs {
  static final String SCALE_DOWN = "scale-down";
  static final String POOL_DELETION = "pool deletion";
  static final String CLIENT_REQUEST = "client's request";
  public static final String ORPHAN = "orphan";
  static final String PREEMPTION = "preemption";

  /** What may disrupt the Node. */
  public static final List<String> CAUSES =
      List.of(SCALE_DOWN, POOL_DELETION, CLIENT_REQUEST, ORPHAN, PREEMPTION);

  /** Both causes are there before anything is written. */
  static final String BEFORE = "before the cordon";

  /** The Node is chosen and cordoned. */
  static final String MARKED = "marked";

  /** The cordon has settled, and the Pods of the Node were listed. */
  static final String LISTED = "settled and listed";

  /** The drain has begun. */
  static final String DRAINING = "draining";

  /** Whichever plan is carried out first. */
  static final String EITHER = "either";

  private static final String MEETING_CELLS =
      """
      scale-down       | pool deletion    | before the cordon  | either  | PoolDeletion             | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      scale-down       | pool deletion    | marked             | either  | PoolDeletion             | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      scale-down       | pool deletion    | settled and listed | pool    | PoolDeletion             | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      scale-down       | pool deletion    | settled and listed | machine | ScaleDown                | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      scale-down       | pool deletion    | draining           | either  | ScaleDown                | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      scale-down       | client's request | before the cordon  | either  | ScaleDown                | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      scale-down       | client's request | marked             | either  | ScaleDown                | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      scale-down       | client's request | settled and listed | either  | ScaleDown                | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      scale-down       | client's request | draining           | either  | ScaleDown                | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      scale-down       | orphan           | before the cordon  | either  | Orphaned                 | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      scale-down       | orphan           | marked             | either  | ScaleDown                | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      scale-down       | orphan           | settled and listed | either  | ScaleDown                | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      scale-down       | orphan           | draining           | either  | ScaleDown                | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      scale-down       | preemption       | before the cordon  | either  | Preemption               | notice + 2:00 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      scale-down       | preemption       | marked             | either  | Preemption               | notice + 2:00 | notice + 6:30 | notice + 7:00 | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, Preemption pending, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      scale-down       | preemption       | settled and listed | either  | Preemption               | notice + 2:00 | notice + 6:30 | notice + 7:00 | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, Preemption pending, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      scale-down       | preemption       | draining           | either  | ScaleDown, Preemption    | notice + 0:00 | notice + 6:30 | notice + 7:00 | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, Preemption pending, CWNodeDrainingPDBViolation, Preemption in progress, CWNodeDrainingForceDelete, Deleted for preemption
      pool deletion    | client's request | before the cordon  | either  | PoolDeletion             | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      pool deletion    | client's request | marked             | either  | PoolDeletion             | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      pool deletion    | client's request | settled and listed | either  | PoolDeletion             | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      pool deletion    | client's request | draining           | either  | PoolDeletion             | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      pool deletion    | orphan           | before the cordon  | either  | Orphaned                 | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      pool deletion    | orphan           | marked             | either  | PoolDeletion             | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      pool deletion    | orphan           | settled and listed | either  | PoolDeletion             | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      pool deletion    | orphan           | draining           | either  | PoolDeletion             | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      pool deletion    | preemption       | before the cordon  | either  | PoolDeletion, Preemption | notice + 0:05 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, Preemption in progress, CWNodeDrainingForceDelete, Deleted for preemption
      pool deletion    | preemption       | marked             | either  | PoolDeletion, Preemption | notice + 0:05 | notice + 6:30 | notice + 7:00 | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, Preemption pending, CWNodeDraining, CWNodeDrainingPDBViolation, Preemption in progress, CWNodeDrainingForceDelete, Deleted for preemption
      pool deletion    | preemption       | settled and listed | either  | PoolDeletion, Preemption | notice + 0:00 | notice + 6:30 | notice + 7:00 | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, Preemption pending, CWNodeDraining, CWNodeDrainingPDBViolation, Preemption in progress, CWNodeDrainingForceDelete, Deleted for preemption
      pool deletion    | preemption       | draining           | either  | PoolDeletion, Preemption | notice + 0:00 | notice + 6:30 | notice + 7:00 | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, Preemption pending, CWNodeDrainingPDBViolation, Preemption in progress, CWNodeDrainingForceDelete, Deleted for preemption
      client's request | scale-down       | before the cordon  | either  | ScaleDown                | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      client's request | pool deletion    | before the cordon  | either  | PoolDeletion             | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      client's request | orphan           | before the cordon  | either  | Orphaned                 | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      client's request | preemption       | before the cordon  | either  | Preemption               | notice + 2:00 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      orphan           | client's request | before the cordon  | either  | Orphaned                 | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      orphan           | client's request | marked             | either  | Orphaned                 | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      orphan           | client's request | settled and listed | either  | Orphaned                 | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      orphan           | client's request | draining           | either  | Orphaned                 | first + 0:05  | drain + 30:00 | never         | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, CWNodePreparedForTerminate
      orphan           | preemption       | before the cordon  | either  | Orphaned, Preemption     | notice + 0:05 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, Preemption in progress, CWNodeDrainingForceDelete, Deleted for preemption
      orphan           | preemption       | marked             | either  | Orphaned, Preemption     | notice + 0:05 | notice + 6:30 | notice + 7:00 | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, Preemption pending, CWNodeDraining, CWNodeDrainingPDBViolation, Preemption in progress, CWNodeDrainingForceDelete, Deleted for preemption
      orphan           | preemption       | settled and listed | either  | Orphaned, Preemption     | notice + 0:00 | notice + 6:30 | notice + 7:00 | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, Preemption pending, CWNodeDraining, CWNodeDrainingPDBViolation, Preemption in progress, CWNodeDrainingForceDelete, Deleted for preemption
      orphan           | preemption       | draining           | either  | Orphaned, Preemption     | notice + 0:00 | notice + 6:30 | notice + 7:00 | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, Preemption pending, CWNodeDrainingPDBViolation, Preemption in progress, CWNodeDrainingForceDelete, Deleted for preemption
      preemption       | scale-down       | before the cordon  | either  | Preemption               | notice + 2:00 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      preemption       | scale-down       | marked             | either  | Preemption               | notice + 2:00 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      preemption       | scale-down       | settled and listed | either  | Preemption               | notice + 2:00 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      preemption       | scale-down       | draining           | either  | Preemption               | notice + 2:00 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      preemption       | pool deletion    | before the cordon  | either  | PoolDeletion, Preemption | notice + 0:05 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, Preemption in progress, CWNodeDrainingForceDelete, Deleted for preemption
      preemption       | pool deletion    | marked             | either  | PoolDeletion, Preemption | notice + 0:05 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, Preemption in progress, CWNodeDrainingForceDelete, Deleted for preemption
      preemption       | pool deletion    | settled and listed | pool    | PoolDeletion, Preemption | notice + 2:00 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, CWNodeMarkedPrepareForTerminate, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      preemption       | pool deletion    | settled and listed | machine | Preemption               | notice + 2:00 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      preemption       | pool deletion    | draining           | either  | Preemption               | notice + 2:00 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      preemption       | client's request | before the cordon  | either  | Preemption               | notice + 2:00 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      preemption       | client's request | marked             | either  | Preemption               | notice + 2:00 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      preemption       | client's request | settled and listed | either  | Preemption               | notice + 2:00 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      preemption       | client's request | draining           | either  | Preemption               | notice + 2:00 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      preemption       | orphan           | before the cordon  | either  | Orphaned, Preemption     | notice + 0:05 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, Preemption in progress, CWNodeDrainingForceDelete, Deleted for preemption
      preemption       | orphan           | marked             | either  | Orphaned, Preemption     | notice + 0:05 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, CWNodeMarkedPrepareForTerminate, CWNodeDraining, CWNodeDrainingPDBViolation, Preemption in progress, CWNodeDrainingForceDelete, Deleted for preemption
      preemption       | orphan           | settled and listed | either  | Preemption               | notice + 2:00 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      preemption       | orphan           | draining           | either  | Preemption               | notice + 2:00 | notice + 6:30 | notice + 7:00 | Preemption pending, CWNodeCordoned, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      """;

  private static final String WITHDRAWAL_CELLS =
      """
      scale-down       | pool deletion    | marked            | 1: PoolDeletion, cordoned                       | scale-down       | 1: PoolDeletion, cordoned                       |                  |
      scale-down       | pool deletion    | draining          | 1: ScaleDown, draining, cordoned                | scale-down       | 1: ScaleDown, draining, cordoned                |                  |
      scale-down       | client's request | marked            | 1: ScaleDown, cordoned                          | scale-down       | the request, not cordoned                       | client's request | none, not cordoned
      scale-down       | client's request | marked            | 1: ScaleDown, cordoned                          | client's request | 1: ScaleDown, cordoned                          | scale-down       | none, not cordoned
      scale-down       | client's request | draining          | 1: ScaleDown, draining, cordoned                | scale-down       | 1: ScaleDown, draining, cordoned                | client's request | 1: ScaleDown, draining, cordoned
      scale-down       | client's request | draining          | 1: ScaleDown, draining, cordoned                | client's request | 1: ScaleDown, draining, cordoned                | scale-down       | 1: ScaleDown, draining, cordoned
      scale-down       | preemption       | marked            | 1: Preemption, cordoned                         | scale-down       | 1: Preemption, cordoned                         | preemption       | none, not cordoned
      scale-down       | preemption       | marked            | 1: Preemption, cordoned                         | preemption       | 2: ScaleDown, cordoned                          | scale-down       | none, not cordoned
      scale-down       | preemption       | draining          | 1: ScaleDown, Preemption, draining, cordoned    | scale-down       | 1: ScaleDown, Preemption, draining, cordoned    | preemption       | 1: ScaleDown, Preemption, draining, cordoned
      scale-down       | preemption       | draining          | 1: ScaleDown, Preemption, draining, cordoned    | preemption       | 1: ScaleDown, Preemption, draining, cordoned    | scale-down       | 1: ScaleDown, Preemption, draining, cordoned
      pool deletion    | client's request | marked            | 1: PoolDeletion, cordoned                       | client's request | 1: PoolDeletion, cordoned                       |                  |
      pool deletion    | client's request | draining          | 1: PoolDeletion, draining, cordoned             | client's request | 1: PoolDeletion, draining, cordoned             |                  |
      pool deletion    | preemption       | marked            | 1: PoolDeletion, Preemption, cordoned           | preemption       | 1: PoolDeletion, cordoned                       |                  |
      pool deletion    | preemption       | draining          | 1: PoolDeletion, Preemption, draining, cordoned | preemption       | 1: PoolDeletion, Preemption, draining, cordoned |                  |
      client's request | scale-down       | before the cordon | 1: ScaleDown, cordoned                          | scale-down       | none, not cordoned                              | client's request | none, not cordoned
      client's request | scale-down       | before the cordon | 1: ScaleDown, cordoned                          | client's request | 1: ScaleDown, cordoned                          | scale-down       | none, not cordoned
      client's request | pool deletion    | before the cordon | 1: PoolDeletion, cordoned                       | client's request | 1: PoolDeletion, cordoned                       |                  |
      client's request | orphan           | before the cordon | 1: Orphaned, cordoned                           | client's request | 1: Orphaned, cordoned                           |                  |
      client's request | preemption       | before the cordon | 1: Preemption, cordoned                         | client's request | 1: Preemption, cordoned                         | preemption       | none, not cordoned
      client's request | preemption       | before the cordon | 1: Preemption, cordoned                         | preemption       | the request, not cordoned                       | client's request | none, not cordoned
      orphan           | client's request | marked            | 1: Orphaned, cordoned                           | client's request | 1: Orphaned, cordoned                           |                  |
      orphan           | client's request | draining          | 1: Orphaned, draining, cordoned                 | client's request | 1: Orphaned, draining, cordoned                 |                  |
      orphan           | preemption       | marked            | 1: Orphaned, Preemption, cordoned               | preemption       | 1: Orphaned, cordoned                           |                  |
      orphan           | preemption       | draining          | 1: Orphaned, Preemption, draining, cordoned     | preemption       | 1: Orphaned, Preemption, draining, cordoned     |                  |
      preemption       | scale-down       | marked            | 1: Preemption, cordoned                         | scale-down       | 1: Preemption, cordoned                         | preemption       | none, not cordoned
      preemption       | scale-down       | marked            | 1: Preemption, cordoned                         | preemption       | 2: ScaleDown, cordoned                          | scale-down       | none, not cordoned
      preemption       | scale-down       | draining          | 1: Preemption, draining, cordoned               | scale-down       | 1: Preemption, draining, cordoned               | preemption       | 1: Preemption, draining, cordoned
      preemption       | scale-down       | draining          | 1: Preemption, draining, cordoned               | preemption       | 1: Preemption, draining, cordoned               | scale-down       | 1: Preemption, draining, cordoned
      preemption       | pool deletion    | marked            | 1: PoolDeletion, Preemption, cordoned           | preemption       | 1: PoolDeletion, cordoned                       |                  |
      preemption       | pool deletion    | draining          | 1: Preemption, draining, cordoned               | preemption       | 1: Preemption, draining, cordoned               |                  |
      preemption       | client's request | marked            | 1: Preemption, cordoned                         | client's request | 1: Preemption, cordoned                         | preemption       | none, not cordoned
      preemption       | client's request | marked            | 1: Preemption, cordoned                         | preemption       | the request, not cordoned                       | client's request | none, not cordoned
      preemption       | client's request | draining          | 1: Preemption, draining, cordoned               | client's request | 1: Preemption, draining, cordoned               | preemption       | 1: Preemption, draining, cordoned
      preemption       | client's request | draining          | 1: Preemption, draining, cordoned               | preemption       | 1: Preemption, draining, cordoned               | client's request | 1: Preemption, draining, cordoned
      preemption       | orphan           | marked            | 1: Orphaned, Preemption, cordoned               | preemption       | 1: Orphaned, cordoned                           |                  |
      preemption       | orphan           | draining          | 1: Preemption, draining, cordoned               | preemption       | 1: Preemption, draining, cordoned               |                  |
      """;

  private static final String UNCORDONING_CELLS =
      """
      scale-down    |               | marked   | 1: ScaleDown, cordoned                          | none, passed over for 10 min, not cordoned
      scale-down    |               | draining | 1: ScaleDown, draining, cordoned                | 1: ScaleDown, draining, cordoned
      pool deletion |               | marked   | 1: PoolDeletion, cordoned                       | none, passed over for 10 min, not cordoned
      pool deletion |               | draining | 1: PoolDeletion, draining, cordoned             | 1: PoolDeletion, draining, cordoned
      orphan        |               | marked   | 1: Orphaned, cordoned                           | 1: Orphaned, cordoned
      orphan        |               | draining | 1: Orphaned, draining, cordoned                 | 1: Orphaned, draining, cordoned
      preemption    |               | marked   | 1: Preemption, cordoned                         | 1: Preemption, cordoned
      preemption    |               | draining | 1: Preemption, draining, cordoned               | 1: Preemption, draining, cordoned
      scale-down    | preemption    | marked   | 1: Preemption, cordoned                         | 1: Preemption, cordoned
      scale-down    | preemption    | draining | 1: ScaleDown, Preemption, draining, cordoned    | 1: ScaleDown, Preemption, draining, cordoned
      pool deletion | preemption    | marked   | 1: PoolDeletion, Preemption, cordoned           | 1: Preemption, passed over for 10 min, cordoned
      pool deletion | preemption    | draining | 1: PoolDeletion, Preemption, draining, cordoned | 1: PoolDeletion, Preemption, draining, cordoned
      orphan        | preemption    | marked   | 1: Orphaned, Preemption, cordoned               | 1: Orphaned, Preemption, cordoned
      orphan        | preemption    | draining | 1: Orphaned, Preemption, draining, cordoned     | 1: Orphaned, Preemption, draining, cordoned
      preemption    | pool deletion | marked   | 1: PoolDeletion, Preemption, cordoned           | 1: Preemption, passed over for 10 min, cordoned
      preemption    | pool deletion | draining | 1: Preemption, draining, cordoned               | 1: Preemption, draining, cordoned
      preemption    | orphan        | marked   | 1: Orphaned, Preemption, cordoned               | 1: Orphaned, Preemption, cordoned
      preemption    | orphan        | draining | 1: Preemption, draining, cordoned               | 1: Preemption, draining, cordoned
      """;

  private static final String ABSENCE_CELLS =
      """
                    | 3:00  | Preemption               | notice + 3:00  | notice + 6:30  | notice + 7:00  | Preemption pending, CWNodeCordoned, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
                    | 6:45  | Preemption               | notice + 6:45  | notice + 6:45  | notice + 7:15  | Preemption pending, CWNodeCordoned, Preemption in progress, CWNodeDraining, CWNodeDrainingForceDelete, Deleted for preemption
                    | 10:00 | Preemption               | notice + 10:00 | notice + 10:00 | notice + 10:30 | Preemption pending, CWNodeCordoned, Preemption in progress, CWNodeDraining, CWNodeDrainingForceDelete, Deleted for preemption
      scale-down    | 3:00  | Preemption               | notice + 3:00  | notice + 6:30  | notice + 7:00  | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, Preemption pending, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      scale-down    | 6:45  | Preemption               | notice + 6:45  | notice + 6:45  | notice + 7:15  | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, Preemption pending, Preemption in progress, CWNodeDraining, CWNodeDrainingForceDelete, Deleted for preemption
      scale-down    | 10:00 | Preemption               | notice + 10:00 | notice + 10:00 | notice + 10:30 | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, Preemption pending, Preemption in progress, CWNodeDraining, CWNodeDrainingForceDelete, Deleted for preemption
      pool deletion | 3:00  | PoolDeletion, Preemption | notice + 3:00  | notice + 6:30  | notice + 7:00  | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, Preemption pending, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      pool deletion | 6:45  | PoolDeletion, Preemption | notice + 6:45  | notice + 6:45  | notice + 7:15  | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, Preemption pending, Preemption in progress, CWNodeDraining, CWNodeDrainingForceDelete, Deleted for preemption
      pool deletion | 10:00 | PoolDeletion, Preemption | notice + 10:00 | notice + 10:00 | notice + 10:30 | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, Preemption pending, Preemption in progress, CWNodeDraining, CWNodeDrainingForceDelete, Deleted for preemption
      orphan        | 3:00  | Orphaned, Preemption     | notice + 3:00  | notice + 6:30  | notice + 7:00  | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, Preemption pending, Preemption in progress, CWNodeDraining, CWNodeDrainingPDBViolation, CWNodeDrainingForceDelete, Deleted for preemption
      orphan        | 6:45  | Orphaned, Preemption     | notice + 6:45  | notice + 6:45  | notice + 7:15  | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, Preemption pending, Preemption in progress, CWNodeDraining, CWNodeDrainingForceDelete, Deleted for preemption
      orphan        | 10:00 | Orphaned, Preemption     | notice + 10:00 | notice + 10:00 | notice + 10:30 | CWNodeCordoned, CWNodeMarkedPrepareForTerminate, Preemption pending, Preemption in progress, CWNodeDraining, CWNodeDrainingForceDelete, Deleted for preemption
      """;

  /** Two causes that meet, at each stage of the first. */
  public static final List<Meeting> MEETINGS =
      rows(MEETING_CELLS)
          .map(cells ->
              new Meeting(
                  new At(cells.get(0), cells.get(1), cells.get(2), cells.get(3)),
                  new Outcome(
                      cells.get(4), cells.get(5), cells.get(6), cells.get(7), cells.get(8))))
          .toList();

  /** Causes that are withdrawn, one after the other. */
  public static final List<Withdrawal> WITHDRAWALS =
      rows(WITHDRAWAL_CELLS)
          .map(cells ->
              new Withdrawal(
                  new At(cells.get(0), cells.get(1), cells.get(2), EITHER),
                  cells.get(3),
                  new Step(cells.get(4), cells.get(5)),
                  new Step(cells.get(6), cells.get(7))))
          .toList();

  /** Notices of preemption that an operator finds late. */
  public static final List<Absence> ABSENCES =
      rows(ABSENCE_CELLS)
          .map(cells ->
              new Absence(
                  cells.get(0),
                  cells.get(1),
                  new Outcome(
                      cells.get(2), cells.get(3), cells.get(4), cells.get(5), cells.get(6))))
          .toList();

  /** Nodes that a person uncordons. */
  public static final List<Uncordoning> UNCORDONINGS =
      rows(UNCORDONING_CELLS)
          .map(cells ->
              new Uncordoning(
                  new At(cells.get(0), cells.get(1), cells.get(2), EITHER),
                  cells.get(3),
                  cells.get(4)))
          .toList();

  /** Pairs of which the second cannot come about while the first is there. */
  public static final List<Never> NEVER =
      List.of(
          new Never(
              POOL_DELETION,
              SCALE_DOWN,
              "A pool that is being deleted does not follow its target."),
          new Never(ORPHAN, SCALE_DOWN, "A pool that does not exist has no target."),
          new Never(ORPHAN, POOL_DELETION, "A pool that does not exist is not deleted again."));

  /**
   * When the second cause comes about.
   *
   * @param second the second cause; empty text for the first alone
   * @param stage the stage of the first cause
   * @param planned whose plan is carried out first where the pool's and the machine's have a step
   */
  public record At(String first, String second, String stage, String planned) {}

  /**
   * The commitment of the Node at the end of its drain.
   *
   * @param causes what is recorded
   * @param drain when its drain began
   * @param force when its budgets are not respected any more
   * @param stop when the machine stops with whatever is left
   * @param events the Events about the Node, in order
   */
  public record Outcome(String causes, String drain, String force, String stop, String events) {}

  /** What becomes of a Node that is drained for the first cause when the second comes about. */
  public static Optional<Outcome> drained(String first, String second) {
    return MEETINGS.stream()
        .filter(each -> each.at().first().equals(first) && each.at().second().equals(second))
        .filter(
            each -> each.at().stage().equals(DRAINING) && !each.at().planned().equals("machine"))
        .map(Meeting::outcome)
        .findFirst();
  }

  /** Two causes that meet. */
  public record Meeting(At at, Outcome outcome) {}

  /**
   * A withdrawal and the record that it leaves.
   *
   * @param withdrawn the cause; empty text for none
   */
  public record Step(String withdrawn, String left) {}

  /** Causes that are withdrawn one after the other, from this record. */
  public record Withdrawal(At at, String record, Step first, Step second) {}

  /**
   * A Node that is admitted for a cause, or is not, when its fleet announces a preemption and the
   * operator is away.
   *
   * @param first the cause; empty text for none
   * @param away how long, in minutes and seconds
   */
  public record Absence(String first, String away, Outcome outcome) {}

  /** A Node with this record that a person uncordons, and the record that this leaves. */
  public record Uncordoning(At at, String record, String left) {}

  /** A pair that cannot meet in this order. */
  public record Never(String first, String second, String why) {}

  private DisruptionPairs() {}

  /** The stages of a cause; a client's request alone does not disrupt the Node. */
  static List<String> stagesOf(String cause) {
    return cause.equals(CLIENT_REQUEST)
        ? List.of(BEFORE)
        : List.of(BEFORE, MARKED, LISTED, DRAINING);
  }

  private static Stream<List<String>> rows(String cells) {
    return cells
        .lines()
        .map(line -> Arrays.stream(line.split("\\|", -1)).map(String::trim).toList());
  }
}
