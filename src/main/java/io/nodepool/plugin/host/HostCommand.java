package io.nodepool.plugin.host;

import io.nodepool.plugin.input.CommandGroup;
import picocli.CommandLine.Command;

/** {@code kubectl nodepool host}. */
@Command(
    name = "host",
    description = "Shows Hosts, and puts those back into service that were set aside.",
    subcommands = {GetHosts.class, ReleaseHosts.class})
public final class HostCommand extends CommandGroup {}
