package io.nodepool.plugin.host;

import io.nodepool.plugin.input.CommandGroup;
import picocli.CommandLine.Command;

/** {@code kubectl nodepool host}. */
@Command(
    name = "host",
    description = "Puts Hosts back into service that were set aside.",
    subcommands = ReleaseHosts.class)
public final class HostCommand extends CommandGroup {}
