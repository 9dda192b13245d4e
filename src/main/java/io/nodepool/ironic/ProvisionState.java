package io.nodepool.ironic;

import java.util.Arrays;

/** The provision state of a node, in the words of Ironic, and who is expected to act in it. */
public enum ProvisionState {
  ENROLL("enroll", ActsNext.OWNER),
  VERIFYING("verifying", ActsNext.OWNER),
  MANAGEABLE("manageable", ActsNext.OWNER),
  AVAILABLE("available", ActsNext.FLEET),
  ACTIVE("active", ActsNext.FLEET),
  DEPLOYING("deploying", ActsNext.ENGINE),
  WAIT_CALL_BACK("wait call-back", ActsNext.MACHINE),
  DEPLOY_HOLD("deploy hold", ActsNext.MACHINE),
  DEPLOY_FAILED("deploy failed", ActsNext.BROKEN),
  DELETING("deleting", ActsNext.ENGINE),
  CLEANING("cleaning", ActsNext.ENGINE),
  CLEAN_WAIT("clean wait", ActsNext.ENGINE),
  CLEAN_HOLD("clean hold", ActsNext.ENGINE),
  CLEAN_FAILED("clean failed", ActsNext.UNCLEAN),
  ERROR("error", ActsNext.BROKEN),
  INSPECTING("inspecting", ActsNext.OWNER),
  INSPECT_WAIT("inspect wait", ActsNext.OWNER),
  INSPECT_FAILED("inspect failed", ActsNext.OWNER),
  ADOPTING("adopting", ActsNext.OWNER),
  ADOPT_FAILED("adopt failed", ActsNext.OWNER),
  RESCUE("rescue", ActsNext.OWNER),
  RESCUING("rescuing", ActsNext.OWNER),
  RESCUE_WAIT("rescue wait", ActsNext.OWNER),
  RESCUE_FAILED("rescue failed", ActsNext.OWNER),
  UNRESCUING("unrescuing", ActsNext.OWNER),
  UNRESCUE_FAILED("unrescue failed", ActsNext.OWNER),
  SERVICING("servicing", ActsNext.OWNER),
  SERVICE_WAIT("service wait", ActsNext.OWNER),
  SERVICE_FAILED("service failed", ActsNext.OWNER),
  SERVICE_HOLD("service hold", ActsNext.OWNER),
  /** A word that this version does not know. */
  UNKNOWN("", ActsNext.OWNER);

  /** Who acts next. */
  public enum ActsNext {
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
    /** The owner of the machine works on it with Ironic. */
    OWNER
  }

  private final String word;
  private final ActsNext actsNext;

  ProvisionState(String word, ActsNext actsNext) {
    this.word = word;
    this.actsNext = actsNext;
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
  public ActsNext actsNext() {
    return actsNext;
  }

  /** Whether Ironic accepts the target {@code deleted}, as far as the fleet uses it. */
  public boolean canBeUndeployed() {
    return this == ACTIVE || actsNext == ActsNext.MACHINE || actsNext == ActsNext.BROKEN;
  }
}
