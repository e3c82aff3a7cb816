"""Does the steps with asyncio."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Coroutine
from typing import Any

from .effects import TELLING, Block, Effect, Pause, Post, Run, Settle, Steps, T, Tell
from .errors import Lost
from .model import Json
from .wire import MOST_BYTES, no_answer, read_reply, request_body

# A question that is on its way is known when it is withdrawn.
LEAVE = 5.0


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
    exchange: Coroutine[Any, Any, tuple[int, bytes]] = _exchange(request)
    try:
        status, answer = await asyncio.wait_for(exchange, request.limit)
    except (TimeoutError, asyncio.TimeoutError):
        raise no_answer(request.backend, request.limit) from None
    except (OSError, EOFError, ValueError) as error:
        raise Lost(str(error) or type(error).__name__) from None
    return read_reply(status, answer)


async def _exchange(request: Post) -> tuple[int, bytes]:
    backend = request.backend
    body = request_body(request.method, request.params)
    headers = {**backend.headers(), "Content-Length": str(len(body))}
    lines = [f"POST {backend.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    reader, writer = await asyncio.open_connection(backend.host, backend.port)
    try:
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        await writer.drain()
        status = int((await _line(reader)).split(" ")[1])
        said: dict[str, str] = {}
        while line := await _line(reader):
            name, _, value = line.partition(":")
            said[name.strip().lower()] = value.strip()
        return status, await _body(reader, said)
    finally:
        writer.close()


async def _line(reader: asyncio.StreamReader) -> str:
    line = await reader.readline()
    if not line.endswith(b"\n"):
        raise EOFError("the connection ended")
    return line.decode("latin-1").rstrip("\r\n")


async def _body(reader: asyncio.StreamReader, said: dict[str, str]) -> bytes:
    if "chunked" in said.get("transfer-encoding", "").lower():
        body = bytearray()
        while size := int((await _line(reader)).partition(";")[0], 16):
            if len(body) + size > MOST_BYTES:
                raise ValueError("the answer is too long")
            body += await reader.readexactly(size)
            await reader.readexactly(2)
        return bytes(body)
    if "content-length" in said:
        size = int(said["content-length"])
        if size > MOST_BYTES:
            raise ValueError("the answer is too long")
        return await reader.readexactly(size)
    return await reader.read()
