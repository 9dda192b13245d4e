"""The BMCs of an engine: each has an address of its own, behind which the emulator answers for all of them.

    bmcs.py FOLDER FIRST_PORT EMULATOR_PORT

The BMC of the machine at place i of FOLDER/systems.json listens on 127.0.0.1, port FIRST_PORT + i. While the file
FOLDER/dead/NAME exists it is dead: it takes connections, as a network that drops packets seems to, and nothing that is
sent ever arrives.
"""

import asyncio
import json
import os
import sys

folder, first_port, emulator_port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


async def carry(name, reader, writer):
    dead = f"{folder}/dead/{name}"
    lost = False
    try:
        while chunk := await reader.read(65536):
            # What was lost once is never sent: the connection is as dead as it was, until its client gives up.
            lost = lost or os.path.exists(dead)
            if not lost:
                writer.write(chunk)
                await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def main():
    def bmc(name):
        async def connected(reader, writer):
            try:
                behind = await asyncio.open_connection("127.0.0.1", emulator_port)
            except OSError:
                writer.close()
                return
            await asyncio.gather(carry(name, reader, behind[1]), carry(name, behind[0], writer))

        return connected

    with open(f"{folder}/systems.json", encoding="utf-8") as systems:
        for place, system in enumerate(json.load(systems)):
            await asyncio.start_server(bmc(system["name"]), "127.0.0.1", first_port + place)
    await asyncio.Event().wait()


asyncio.run(main())
