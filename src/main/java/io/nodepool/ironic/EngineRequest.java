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

  /** Gives up a claim before anything was deployed. */
  record Unclaim() implements EngineRequest {}

  /** Installs and boots a claimed node, with the config drive of a tenancy. */
  record Deploy(String configuration, FleetRelease.Image.Source source) implements EngineRequest {}

  /** Ends a deployment; Ironic powers the node off, cleans it, and removes the claim. */
  record Undeploy() implements EngineRequest {}

  /** Records on a node which boot is requested next, or that it must be cleaned once more. */
  record Mark(IronicNode.Note note) implements EngineRequest {}

  /** Takes a node out of a failed cleaning. */
  record Manage() implements EngineRequest {}

  /** Cleans a node that was taken out of a failed cleaning. */
  record Provide() implements EngineRequest {}

  /** Changes the power of a node. */
  record SetPower(Target target) implements EngineRequest {}

  /** The requested power, in Ironic's words. */
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
