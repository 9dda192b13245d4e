package io.nodepool.kubernetes.api.schema;

import io.nodepool.vocabulary.metadata.KeyExceptions;
import io.nodepool.vocabulary.metadata.LabelDomains;

/**
 * The validation rules of labels, annotations and taints of Nodes in CEL, and the messages of a
 * refusal. The operator checks the same, and more, on objects that were stored before these rules
 * existed.
 */
public final class MetadataRules {
  /** The part of a key after the slash, or a key without one. */
  private static final String NAME = "([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]";

  private static final String DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

  /** A key that Kubernetes allows, except for the length of the part before the slash. */
  private static final String KEY = "'^(" + DNS_LABEL + "([.]" + DNS_LABEL + ")*/)?" + NAME + "$'";

  private static final String VALUE = "'^(" + NAME + ")?$'";

  // The conditions for a label or annotation k.
  private static final String LABEL_KEY_FITS = "k.matches(" + KEY + ") && k.indexOf('/') <= 253";
  private static final String LABEL_VALUE_FITS = "self[k].matches(" + VALUE + ")";
  private static final String ANNOTATION_KEY_FITS =
      "k.lowerAscii().matches(" + KEY + ") && k.indexOf('/') <= 253";
  private static final String ANNOTATION_IS_FREE =
      "!(k in ['node.alpha.kubernetes.io/ttl', 'volumes.kubernetes.io/controller-managed-attach-detach',"
          + " 'csi.volume.kubernetes.io/nodeid', 'alpha.kubernetes.io/provided-node-ip',"
          + " 'scheduler.alpha.kubernetes.io/taints', 'scheduler.alpha.kubernetes.io/preferAvoidPods'])";

  // The message about a key or value that breaks a rule, after its name.
  private static final String IS_WRONG_KEY =
      "is invalid: must be NAME or DOMAIN/NAME, such as team or example.com/team; NAME has at most 63 letters, digits, -, _ and . with a"
          + " letter or digit at both ends, DOMAIN is a DNS subdomain in lower case";
  private static final String IS_WRONG_VALUE =
      "is invalid: must be empty, or at most 63 letters, digits, -, _ and . with a letter or digit at both ends";
  private static final String IS_KEPT = "is set by Kubernetes itself: leave it out";
  private static final String IS_RESERVED =
      "is set and removed by Kubernetes or the platform: use a domain of your own, such as example.com/dedicated";

  // The message about the first key or value that breaks a rule: FIRST_KEY + rule + SAYS + text +
  // END.
  private static final String FIRST_KEY = "'the key \"' + self.filter(k, !(";
  private static final String FIRST_VALUE = "'the value of \"' + self.filter(k, !(";
  private static final String SAYS = "))[0] + '\" ";
  private static final String END = "'";
  private static final String THE_KEY = "'the key \"' + self.key + '\" ";

  public static final String WRONG_KEY = "a key " + IS_WRONG_KEY;
  public static final String WRONG_VALUE = "a value " + IS_WRONG_VALUE;
  public static final String KEPT_ANNOTATION = "an annotation " + IS_KEPT;
  public static final String RESERVED_TAINT = "a taint " + IS_RESERVED;

  private static final String FIRST_EXCEPTION = "k == 'cks.coreweave.cloud/system-critical'";
  private static final String KEY_IS_FREE =
      FIRST_EXCEPTION
          + " ||"
          + " k == 'node.coreweave.cloud/dra-gpu-enabled' ||"
          + " !k.matches('^([^/]*[.])?[cC][oO][rR][eE][wW][eE][aA][vV][eE][.]([cC][lL][oO][uU][dD]|[cC][oO][mM])/')";
  private static final String FIRST_NAMED = "but for cks.coreweave.cloud/system-critical";

  /** No label or annotation of a reserved domain, except for those that clients set. */
  public static final String FREE_KEYS = "self.all(k, " + KEY_IS_FREE + ")";

  public static final String WHICH_RESERVED_KEY =
      "'"
          + LabelDomains.REFUSAL
          + " The key is ' + self.filter(k, !("
          + KEY_IS_FREE
          + "))[0] + '.'";

  public static final String LABEL_KEYS = "self.all(k, " + LABEL_KEY_FITS + ")";
  public static final String WHICH_LABEL_KEY =
      FIRST_KEY + LABEL_KEY_FITS + SAYS + IS_WRONG_KEY + END;

  public static final String LABEL_VALUES = "self.all(k, " + LABEL_VALUE_FITS + ")";
  public static final String WHICH_LABEL_VALUE =
      FIRST_VALUE + LABEL_VALUE_FITS + SAYS + IS_WRONG_VALUE + END;

  public static final String ANNOTATION_KEYS = "self.all(k, " + ANNOTATION_KEY_FITS + ")";
  public static final String WHICH_ANNOTATION_KEY =
      FIRST_KEY + ANNOTATION_KEY_FITS + SAYS + IS_WRONG_KEY + END;

  public static final String FREE_ANNOTATIONS = "self.all(k, " + ANNOTATION_IS_FREE + ")";
  public static final String WHICH_KEPT_ANNOTATION =
      FIRST_KEY + ANNOTATION_IS_FREE + SAYS + IS_KEPT + END;

  /** A taint whose key is valid in Kubernetes. */
  public static final String TAINT_KEY =
      "self.key.matches(" + KEY + ") && self.key.indexOf('/') <= 253";

  public static final String WHICH_TAINT_KEY = THE_KEY + IS_WRONG_KEY + END;

  public static final String TAINT_VALUE = "!has(self.value) || self.value.matches(" + VALUE + ")";
  public static final String WHICH_TAINT_VALUE =
      "'the value of \"' + self.key + '\" " + IS_WRONG_VALUE + END;

  /** A taint that no other component sets and removes. */
  public static final String FREE_TAINT =
      "!(self.key in ['ToBeDeletedByClusterAutoscaler', 'DeletionCandidateOfClusterAutoscaler'])"
          + " && !self.key.lowerAscii().matches('^([^/]*[.])?(kubernetes[.]io|k8s[.]io|coreweave[.]cloud|coreweave[.]com|nodepool[.]io)/')";

  public static final String WHICH_RESERVED_TAINT = THE_KEY + IS_RESERVED + END;

  private MetadataRules() {}

  /**
   * A definition whose rule about reserved keys has further exceptions, which its descriptions name
   * too.
   *
   * @param definition a definition as YAML
   */
  public static String allowing(KeyExceptions further, String definition) {
    StringBuilder rule = new StringBuilder();
    StringBuilder named = new StringBuilder("but for ");
    for (String key : further.keys()) {
      rule.append("k == '").append(key).append("' || ");
      named.append(key).append(", ");
    }
    return definition
        .replace(FIRST_EXCEPTION, rule + FIRST_EXCEPTION)
        .replace(FIRST_NAMED, named + FIRST_NAMED.substring("but for ".length()));
  }
}
