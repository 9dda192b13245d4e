package io.nodepool.fleet.catalogue;

import io.nodepool.vocabulary.Word;

/** The kind of the network between the machines of an instance type. */
public enum Network implements Word {
  INFINIBAND("infiniband"),
  ROCE("roce"),
  ETHERNET("ethernet");

  private final String word;

  Network(String word) {
    this.word = word;
  }

  /**
   * The word in the catalogue and, for the first two, in the label {@code
   * backend.coreweave.cloud/flavor}.
   */
  @Override
  public String word() {
    return word;
  }
}
