package io.nodepool.kubernetes.convert;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.nodepool.kubernetes.api.NodePoolStatus;
import io.nodepool.kubernetes.api.PoolConfigurationStatus;
import io.nodepool.kubernetes.api.PoolConfigurationStatus.NodeConfigurationRevision;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.List;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/**
 * What the operator remembers about a NodePool for itself, in one line of text at the end of its
 * status: the fields that earlier versions wrote beside the others, compressed.
 */
final class WorkingMemory {
  /** What an earlier version finds where its own memory was: text that it cannot read. */
  private static final String MOVED = "in workingMemory";

  /** Begins the text; a version that changes its meaning begins it otherwise. */
  private static final String FORMAT = "1:";

  /** The most that the text has, in bytes. */
  private static final int MOST = 1 << 16;

  private static final ObjectMapper JSON = new ObjectMapper();

  private WorkingMemory() {}

  /**
   * The status that has what is remembered: as an earlier version wrote it, the status itself.
   *
   * @throws UnreadableObjectException if the text cannot be read
   */
  static NodePoolStatus of(NodePoolStatus status) {
    if (status.workingMemory != null) {
      return read(status.workingMemory);
    }
    if (MOVED.equals(status.eventState)) {
      throw unreadable("it is missing");
    }
    return status;
  }

  private static NodePoolStatus read(String text) {
    if (!text.startsWith(FORMAT)) {
      throw unreadable("it does not begin with " + FORMAT);
    }
    try {
      byte[] compressed = Base64.getDecoder().decode(text.substring(FORMAT.length()));
      byte[] json = new InflaterInputStream(new ByteArrayInputStream(compressed)).readNBytes(MOST);
      return JSON.readValue(json, NodePoolStatus.class);
    } catch (IllegalArgumentException | IOException e) {
      throw unreadable(String.valueOf(e.getMessage()));
    }
  }

  private static UnreadableObjectException unreadable(String why) {
    return new UnreadableObjectException(
        "status.workingMemory cannot be read: %s. Restore it, or remove it and status.eventState: the operator begins anew then"
            .formatted(why));
  }

  /**
   * What the Events depend on.
   *
   * @throws UnreadableObjectException if it is something else, which no schema refuses
   */
  static NodePoolStatus.EventStateStatus eventState(NodePoolStatus memory) {
    if (memory.eventState == null) {
      return new NodePoolStatus.EventStateStatus();
    }
    try {
      return JSON.convertValue(memory.eventState, NodePoolStatus.EventStateStatus.class);
    } catch (IllegalArgumentException e) {
      throw new UnreadableObjectException("status.eventState cannot be read: " + e.getMessage());
    }
  }

  /** What is remembered of a configuration. */
  static NodeConfigurationRevision revision(
      NodeConfigurationRevision revision, NodePoolStatus memory) {
    return memory.nodeConfigurationRevisions.stream()
        .filter(each -> each.nodeProfile.equals(revision.nodeProfile))
        .findFirst()
        .orElse(revision);
  }

  /** Moves what is remembered into the text. */
  static NodePoolStatus apart(NodePoolStatus status) {
    NodePoolStatus memory = new NodePoolStatus();
    memory.removal = status.removal;
    memory.growth = status.growth;
    memory.nodeMetadata = status.nodeMetadata;
    memory.eventState = status.eventState;
    memory.nodeConfigurationRevisions =
        status.nodeConfigurationRevisions.stream().map(WorkingMemory::apart).toList();
    PoolConfigurationStatus inputs = status.configuration;
    if (inputs != null) {
      memory.configuration = new PoolConfigurationStatus();
      memory.configuration.poolUid = inputs.poolUid;
      memory.configuration.request = inputs.request;
      memory.configuration.strategy = inputs.strategy;
      memory.configuration.release = inputs.release;
      status.configuration = shown(inputs);
    }
    status.removal = null;
    status.growth = null;
    status.nodeMetadata = null;
    status.eventState = MOVED;
    status.workingMemory = text(memory);
    return status;
  }

  /** What users read of it; null if there is nothing. */
  private static @Nullable PoolConfigurationStatus shown(PoolConfigurationStatus inputs) {
    if (inputs.command == null && inputs.waitingUntil == null && inputs.rollout == null) {
      return null;
    }
    PoolConfigurationStatus shown = new PoolConfigurationStatus();
    shown.command = inputs.command;
    shown.waitingUntil = inputs.waitingUntil;
    shown.rollout = inputs.rollout;
    return shown;
  }

  private static NodeConfigurationRevision apart(NodeConfigurationRevision revision) {
    NodeConfigurationRevision memory = new NodeConfigurationRevision();
    memory.nodeProfile = revision.nodeProfile;
    memory.abandoned = revision.abandoned;
    memory.provenAt = revision.provenAt;
    memory.failedBoots = revision.failedBoots;
    memory.failuresCountedSince = revision.failuresCountedSince;
    memory.trusted = revision.trusted;
    revision.abandoned = null;
    revision.provenAt = null;
    revision.failedBoots = List.of();
    revision.failuresCountedSince = null;
    revision.trusted = null;
    return memory;
  }

  private static String text(NodePoolStatus memory) {
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (DeflaterOutputStream out = new DeflaterOutputStream(compressed)) {
      JSON.writeValue(out, memory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return FORMAT + Base64.getEncoder().encodeToString(compressed.toByteArray());
  }
}
