package io.nodepool.ironic;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * A node of Ironic as last read. Empty text means that a value is absent.
 *
 * @param instance its {@code instance_uuid}
 * @param note what the fleet wrote on it: {@code extra.nodepool}
 * @param extra the other texts of {@code extra}
 * @param seenAt when the request that read it was sent, by the fleet's clock
 */
public record IronicNode(
    String uuid,
    String name,
    Kind kind,
    ProvisionState state,
    Power power,
    Obstacles obstacles,
    String instance,
    String lastError,
    Note note,
    Map<String, String> extra,
    Instant seenAt) {
  /** The error that a starting conductor writes on a node with interrupted work. */
  private static final String INTERRUPTED = "can't be resumed by conductor";

  /**
   * The hardware of a node, as its owner describes it.
   *
   * @param traits such as {@code CUSTOM_TURIN_GP}
   */
  public record Kind(String resourceClass, SortedSet<String> traits) {
    private static final String CUSTOM = "CUSTOM_";

    public Kind {
      traits = Collections.unmodifiableSortedSet(new TreeSet<>(traits));
    }

    /**
     * The node's instance type in the offer: its resource class, else the only type that a trait
     * names; empty if there is none.
     */
    public Optional<String> instanceType(FleetOffer offer) {
      if (offer.instanceTypes().contains(resourceClass)) {
        return Optional.of(resourceClass);
      }
      List<String> named =
          offer.instanceTypes().stream().filter(type -> traits.contains(trait(type))).toList();
      return named.size() == 1 ? Optional.of(named.getFirst()) : Optional.empty();
    }

    /** The trait of an instance type: capital letters, digits and underscores. */
    private static String trait(String type) {
      return CUSTOM + type.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
    }
  }

  /**
   * The power of a node in Ironic's database.
   *
   * @param state {@code power on}, {@code power off}, {@code error} or empty text
   * @param target the power that Ironic is setting
   * @param lastAction when Ironic last began to change it, in Ironic's words
   */
  public record Power(String state, String target, String lastAction) {}

  /**
   * What keeps the fleet, or Ironic, from working with a node.
   *
   * @param fault {@code power failure}, {@code clean failure} or another one
   * @param reason of the maintenance
   * @param locked whether a conductor holds its lock
   * @param conducted whether a live conductor is responsible for it
   */
  public record Obstacles(
      boolean maintenance,
      String fault,
      String reason,
      boolean retired,
      boolean locked,
      boolean conducted) {}

  /**
   * The fleet's record on a node, written in the same request as its {@code instance_uuid}: what
   * was requested for that instance and, for people, what the node is. Alone it proves nothing.
   *
   * @param configuration the configuration whose image is in {@code instance_info}
   * @param boot the last requested boot: the boot that is left, and the try
   * @param before the node's last power action when that boot was requested; empty text if the
   *     machine is installed anew instead
   */
  public record Note(String host, int tenancy, String configuration, String boot, String before) {
    /** Nothing was written. */
    public static final Note NONE = new Note("", 0, "", "", "");

    /** The value of {@code before} while the fleet has the node cleaned once more. */
    private static final String CLEANED_AGAIN = "cleaned again";

    /** This note, with or without the mark that the node must be cleaned once more. */
    Note cleanedAgain(boolean is) {
      return new Note(host, tenancy, configuration, boot, is ? CLEANED_AGAIN : "");
    }

    boolean isCleanedAgain() {
      return before.equals(CLEANED_AGAIN);
    }
  }

  /** Copies the texts. */
  public IronicNode {
    extra = Map.copyOf(new TreeMap<>(extra));
  }

  /** The node with another last error. */
  public IronicNode withLastError(String error) {
    return new IronicNode(
        uuid, name, kind, state, power, obstacles, instance, error, note, extra, seenAt);
  }

  /** The {@code instance_uuid} of a tenancy of a Host; always the same for one tenancy. */
  public static String instanceOf(Host host) {
    String name = host.id().uid() + "/" + host.tenancy();
    return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
  }

  /** Whether the node is claimed for the present tenancy of the Host, or its last one. */
  public boolean isOf(Host host) {
    return instance.equals(instanceOf(host));
  }

  /** Whether the node is claimed, but not for this Host. */
  public boolean isForeignTo(Host host) {
    return !instance.isEmpty() && !isOf(host);
  }

  /** Whether Ironic lost the BMC: the power is then not known. */
  public boolean hasLostBmc() {
    return obstacles.fault().equals("power failure");
  }

  /** Whether Ironic can read the power from the machine, and does so regularly. */
  public boolean isPowerRead() {
    return !obstacles.maintenance() && obstacles.conducted() && (isOn() || isOff());
  }

  /** Whether the machine was on when Ironic last read its power. */
  public boolean isOn() {
    return power.state().equals("power on");
  }

  /** Whether the machine was off when Ironic last read its power. */
  public boolean isOff() {
    return power.state().equals("power off");
  }

  /** Whether Ironic works on the node, which then takes no request. */
  public boolean isBusy() {
    return obstacles.locked() || !power.target().isEmpty();
  }

  /** Whether the machine's owner works on it. */
  public boolean isWithItsOwner() {
    return obstacles.retired()
        || (state.actsNext() == ProvisionState.ActsNext.OWNER && !isToBeCleaned())
        || (obstacles.maintenance() && obstacles.fault().isEmpty());
  }

  /** Whether its deployment failed only because its conductor ended, as in an upgrade. */
  public boolean isInterrupted() {
    return state == ProvisionState.DEPLOY_FAILED && lastError.contains(INTERRUPTED);
  }

  /** Whether its cleaning failed only because its conductor ended. */
  public boolean isCleaningInterrupted() {
    return state == ProvisionState.CLEAN_FAILED
        && lastError.contains(INTERRUPTED)
        && obstacles.fault().isEmpty()
        && !obstacles.maintenance();
  }

  /** Whether the fleet took it out of a failed cleaning, to have it cleaned once more. */
  public boolean isToBeCleaned() {
    return state == ProvisionState.MANAGEABLE && note.isCleanedAgain();
  }

  /** Whether another tenancy may have the machine. */
  public boolean isClean() {
    return state == ProvisionState.AVAILABLE
        && instance.isEmpty()
        && isOff()
        && !isBusy()
        && obstacles.conducted()
        && !obstacles.maintenance()
        && !obstacles.retired()
        && obstacles.fault().isEmpty();
  }
}
