"""A proxy that hands each connection to the next of several servers, as the simplest load balancer does."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import cycle

CHUNK_BYTES = 65_536


@contextmanager
def balancing(ports: Sequence[int]) -> Iterator[int]:
    """The port of the proxy; a server that does not take the connection is passed over for the next."""
    turn, known = cycle(ports), threading.Event()
    port = 0
    stop: Callable[[], object]

    async def handed_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in ports:
            try:
                onward = await asyncio.open_connection("127.0.0.1", next(turn))
                break
            except OSError:
                continue
        else:
            writer.close()
            return
        await asyncio.gather(_copied(reader, onward[1]), _copied(onward[0], writer))

    async def serve() -> None:
        nonlocal port, stop
        over, loop = asyncio.Event(), asyncio.get_running_loop()
        server = await asyncio.start_server(handed_on, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]

        stop = partial(loop.call_soon_threadsafe, over.set)
        known.set()
        await over.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    known.wait(10)
    try:
        yield port
    finally:
        stop()
        thread.join(10)


async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(CHUNK_BYTES):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()
