package io.nodepool.ironic;

import io.nodepool.fleet.configuration.FleetRelease;

/** A request to Ironic about one node. */
public sealed interface EngineRequest {
  /**
   * Claims a node for a tenancy, with the image and the note, in one request. Ironic refuses it if
   * the node has another {@code instance_uuid}, or another node has this one.
   */
  record ClaimNode(String instance, FleetRelease.Image.Source source, IronicNode.Note note)
      implements EngineRequest {}

  /** Gives up a claim of which nothing was deployed. */
  record Unclaim() implements EngineRequest {}

  /** Installs and boots a claimed node, with the config drive of a tenancy. */
  record Deploy(String configuration, FleetRelease.Image.Source source) implements EngineRequest {}

  /** Ends what runs on a node; Ironic powers it off, cleans it, and removes the claim. */
  record Undeploy() implements EngineRequest {}

  /** Records on a node which boot is asked for next, or that it is to be cleaned once more. */
  record Mark(IronicNode.Note note) implements EngineRequest {}

  /** Takes a node out of a cleaning that failed. */
  record Manage() implements EngineRequest {}

  /** Has a node cleaned that was taken out of a cleaning that failed. */
  record Provide() implements EngineRequest {}

  /** Changes the power of a node. */
  record SetPower(Target target) implements EngineRequest {}

  /** The power that is asked for, in Ironic's words. */
  enum Target {
    ON("power on"),
    OFF("power off"),
    SOFT_REBOOT("soft rebooting"),
    REBOOT("rebooting");

    private final String word;

    Target(String word) {
      this.word = word;
    }

    /** Ironic's word. */
    public String word() {
      return word;
    }
  }
}
