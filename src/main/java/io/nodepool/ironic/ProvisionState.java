package io.nodepool.ironic;

import java.util.Arrays;

/** The provision state of a node, in the words of Ironic, and who is expected to act in it. */
public enum ProvisionState {
  ENROLL("enroll", Turn.OWNER),
  VERIFYING("verifying", Turn.OWNER),
  MANAGEABLE("manageable", Turn.OWNER),
  AVAILABLE("available", Turn.FLEET),
  ACTIVE("active", Turn.FLEET),
  DEPLOYING("deploying", Turn.ENGINE),
  WAIT_CALL_BACK("wait call-back", Turn.MACHINE),
  DEPLOY_HOLD("deploy hold", Turn.MACHINE),
  DEPLOY_FAILED("deploy failed", Turn.BROKEN),
  DELETING("deleting", Turn.ENGINE),
  CLEANING("cleaning", Turn.ENGINE),
  CLEAN_WAIT("clean wait", Turn.ENGINE),
  CLEAN_HOLD("clean hold", Turn.ENGINE),
  CLEAN_FAILED("clean failed", Turn.UNCLEAN),
  ERROR("error", Turn.BROKEN),
  INSPECTING("inspecting", Turn.OWNER),
  INSPECT_WAIT("inspect wait", Turn.OWNER),
  INSPECT_FAILED("inspect failed", Turn.OWNER),
  ADOPTING("adopting", Turn.OWNER),
  ADOPT_FAILED("adopt failed", Turn.OWNER),
  RESCUE("rescue", Turn.OWNER),
  RESCUING("rescuing", Turn.OWNER),
  RESCUE_WAIT("rescue wait", Turn.OWNER),
  RESCUE_FAILED("rescue failed", Turn.OWNER),
  UNRESCUING("unrescuing", Turn.OWNER),
  UNRESCUE_FAILED("unrescue failed", Turn.OWNER),
  SERVICING("servicing", Turn.OWNER),
  SERVICE_WAIT("service wait", Turn.OWNER),
  SERVICE_FAILED("service failed", Turn.OWNER),
  SERVICE_HOLD("service hold", Turn.OWNER),
  /** A word that this version does not know. */
  UNKNOWN("", Turn.OWNER);

  /** Who acts next. */
  public enum Turn {
    /** The fleet asks for the next state. */
    FLEET,
    /** Ironic works, and cannot be interrupted. */
    ENGINE,
    /** Ironic waits for the machine, and can be told to stop. */
    MACHINE,
    /** A deployment failed; the node can be undeployed. */
    BROKEN,
    /** Data of the last tenancy may be there; only a person ends this. */
    UNCLEAN,
    /** The owner of the machine works on it by Ironic. */
    OWNER
  }

  private final String word;
  private final Turn turn;

  ProvisionState(String word, Turn turn) {
    this.word = word;
    this.turn = turn;
  }

  /** The state with this word. */
  public static ProvisionState of(String word) {
    return Arrays.stream(values())
        .filter(each -> each.word.equals(word))
        .findFirst()
        .orElse(UNKNOWN);
  }

  /** Ironic's word. */
  public String word() {
    return word;
  }

  /** Who acts next. */
  public Turn turn() {
    return turn;
  }

  /** Whether Ironic accepts the target {@code deleted}, as far as the fleet uses it. */
  public boolean canBeUndeployed() {
    return this == ACTIVE || turn == Turn.MACHINE || turn == Turn.BROKEN;
  }
}
