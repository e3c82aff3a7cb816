"""Does the steps with asyncio."""

from __future__ import annotations

import asyncio
import http.client
import inspect
import socket
from collections.abc import Coroutine
from typing import Any

from .effects import TELLING, Block, Effect, Pause, Post, Run, Settle, Steps, T, Tell
from .errors import Lost
from .model import Json
from .wire import MOST_BYTES, Backend, no_answer, read_reply, read_response, request_body

# A question that is on its way is known when it is withdrawn.
LEAVE = 5.0
# So much is read at a time.
PART = 64 * 1024


class AioDriver:
    def __init__(self) -> None:
        self._alone = asyncio.Lock()
        self._going_on: set[asyncio.Task[Any]] = set()

    async def drive(self, steps: Steps[T]) -> T:
        course = _Course(self)
        result: object = None
        failure: BaseException | None = None
        try:
            while True:
                try:
                    effect = steps.throw(failure) if failure else steps.send(result)
                except StopIteration as end:
                    value: T = end.value
                    return value
                try:
                    result, failure = await course.do(effect), None
                except BaseException as error:
                    result, failure = None, error
        finally:
            await course.drop_told()

    async def alone(self, steps: Steps[None]) -> None:
        """Goes on when whoever asked for it is cancelled: others wait for it, and a child would be lost."""

        async def locked() -> None:
            async with self._alone:
                await self.drive(steps)

        task = asyncio.ensure_future(locked())
        self._going_on.add(task)
        task.add_done_callback(self._going_on.discard)
        task.add_done_callback(_look_at)
        await asyncio.shield(task)


class _Course:
    """One run of steps, with what the app was told in it."""

    def __init__(self, driver: AioDriver) -> None:
        self._driver = driver
        self._told: asyncio.Future[object] | None = None

    async def do(self, effect: Effect) -> object:
        if isinstance(effect, Post):
            return await self._post(effect)
        if isinstance(effect, Tell):
            await self.drop_told()
            within = TELLING.set(effect.card["approvalId"])
            try:
                answer = effect.function(effect.card)
                if inspect.isawaitable(answer):
                    self._told = asyncio.ensure_future(answer)
            finally:
                TELLING.reset(within)
        elif isinstance(effect, Settle):
            await self._settle(effect.finish)
        elif isinstance(effect, Run):
            result = effect.function()
            return await result if inspect.isawaitable(result) else result
        elif isinstance(effect, Block):
            return await asyncio.to_thread(effect.function)
        elif isinstance(effect, Pause):
            await asyncio.sleep(effect.seconds)
        else:
            await self._driver.alone(effect.steps)
        return None

    async def drop_told(self) -> None:
        told, self._told = self._told, None
        if told:
            await _cancel(told)

    async def _settle(self, finish: bool) -> None:
        told = self._told
        if told and (finish or told.done()):
            await asyncio.wait({told})
            self._told = None
            if not told.cancelled():
                told.result()
        await self.drop_told()

    async def _post(self, request: Post) -> Json:
        """Waits for the answer, and hears meanwhile if showing the card fails."""
        task = asyncio.ensure_future(post(request))
        try:
            if self._told:
                await asyncio.wait({task, self._told}, return_when=asyncio.FIRST_COMPLETED)
                told = self._told
                if not task.done() and not told.cancelled() and (failure := told.exception()):
                    self._told = None
                    await _cancel(task)
                    raise failure
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            # Nothing comes of cutting off a question on its way: it may have arrived.
            if not request.wait:
                await asyncio.wait({task}, timeout=LEAVE)
            await _cancel(task)
            raise


async def _cancel(task: asyncio.Future[Any]) -> None:
    task.cancel()
    await asyncio.wait({task})
    _look_at(task)


def _look_at(task: asyncio.Future[Any]) -> None:
    """Who has waited for it knows; asyncio would say that nobody does."""
    if not task.cancelled():
        task.exception()


async def post(request: Post) -> Json:
    exchange: Coroutine[Any, Any, bytes] = _exchange(request)
    try:
        heard = await asyncio.wait_for(exchange, request.limit)
        status, answer = read_response(heard)
    except (TimeoutError, asyncio.TimeoutError):
        raise no_answer(request.backend, request.limit) from None
    except (OSError, http.client.HTTPException) as error:
        raise Lost(str(error) or type(error).__name__) from None
    return read_reply(status, answer)


async def _exchange(request: Post) -> bytes:
    """Sends the request, and reads until the backend closes the connection."""
    backend, loop = request.backend, asyncio.get_running_loop()
    body = request_body(request.method, request.params)
    headers = {**backend.headers(), "Content-Length": str(len(body))}
    lines = [f"POST {backend.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    connection = await _connect(backend)
    try:
        broken: OSError | None = None
        try:
            await loop.sock_sendall(connection, "\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        except (BrokenPipeError, ConnectionResetError) as error:
            # What is refused unread, such as a request that is too big, is answered all the same.
            broken = error
        heard = bytearray()
        try:
            while part := await loop.sock_recv(connection, PART):
                heard += part
                if len(heard) > MOST_BYTES:
                    raise OSError("the answer is too long")
        except ConnectionResetError as error:
            broken = error
        if broken and not heard:
            raise broken
        return bytes(heard)
    finally:
        connection.close()


async def _connect(backend: Backend) -> socket.socket:
    """A name may have several addresses, of which one is listened at."""
    loop = asyncio.get_running_loop()
    failure = OSError("it has no address")
    for family, kind, protocol, _, address in await loop.getaddrinfo(
        backend.host, backend.port, type=socket.SOCK_STREAM
    ):
        connection = socket.socket(family, kind, protocol)
        connection.setblocking(False)
        try:
            await loop.sock_connect(connection, address)
        except OSError as error:
            connection.close()
            failure = error
        except BaseException:
            connection.close()
            raise
        else:
            return connection
    raise failure
