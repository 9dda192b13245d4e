package io.nodepool.kubernetes.convert;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.nodepool.kubernetes.api.NodePoolStatus;
import io.nodepool.kubernetes.api.PoolConfigurationStatus.NodeConfigurationRevision;
import io.nodepool.model.pool.EventState;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.Map;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * The operator's own memory about a NodePool, as one line of compressed text in its status. It
 * contains the fields that earlier versions wrote as separate fields of the status.
 */
final class WorkingMemory {
  /** The text in the field that earlier versions read: they must not be able to read it. */
  private static final String MOVED = "in workingMemory";

  /** The beginning of the text; a version that changes the format uses another beginning. */
  private static final String FORMAT = "1:";

  /** The limit of the uncompressed text, in bytes. */
  private static final int MOST = 1 << 16;

  private static final ObjectMapper JSON = new ObjectMapper();

  private WorkingMemory() {}

  /**
   * The status with the remembered fields; the status itself if an earlier version wrote it.
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
   * The state that the Events depend on.
   *
   * @throws UnreadableObjectException if it has another form, which no schema refuses
   */
  static EventState eventState(NodePoolStatus memory) {
    Object document = memory.eventState == null ? Map.of() : memory.eventState;
    try {
      return JSON.convertValue(document, EventStateDocument.class)
          .state(JSON.convertValue(memory.removal, EventStateDocument.Batch.class));
    } catch (IllegalArgumentException e) {
      throw new UnreadableObjectException("status.eventState cannot be read: " + e.getMessage());
    }
  }

  /** The remembered fields of a configuration. */
  static NodeConfigurationRevision revision(
      NodeConfigurationRevision revision, NodePoolStatus memory) {
    return memory.nodeConfigurationRevisions.stream()
        .filter(each -> each.nodeProfile.equals(revision.nodeProfile))
        .findFirst()
        .orElse(revision);
  }

  /** Completes a status with the working memory. */
  static NodePoolStatus with(NodePoolStatus memory, NodePoolStatus status) {
    status.eventState = MOVED;
    status.workingMemory = text(memory);
    return status;
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
