package io.nodepool.fleet.catalogue;

import io.nodepool.vocabulary.LowerCaseWord;

/**
 * The kind of the network between the machines of an instance type: the word in the catalogue and,
 * for the first two, in the label {@code backend.coreweave.cloud/flavor}.
 */
public enum Network implements LowerCaseWord {
  INFINIBAND,
  ROCE,
  ETHERNET
}
