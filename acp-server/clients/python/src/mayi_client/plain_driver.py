"""Does the steps with blocking calls, in whichever thread asks."""

from __future__ import annotations

import http.client
import threading
import time

from .effects import Alone, Block, Effect, Pause, Post, Run, Steps, T, Tell
from .errors import Lost
from .model import Json
from .wire import no_answer, read_reply, request_body


class PlainDriver:
    def __init__(self) -> None:
        self._alone = threading.Lock()

    def drive(self, steps: Steps[T]) -> T:
        result: object = None
        failure: BaseException | None = None
        while True:
            try:
                effect = steps.throw(failure) if failure else steps.send(result)
            except StopIteration as end:
                value: T = end.value
                return value
            try:
                result, failure = self._do(effect), None
            except BaseException as error:
                result, failure = None, error

    def _do(self, effect: Effect) -> object:
        if isinstance(effect, Post):
            return post(effect)
        if isinstance(effect, Tell):
            return effect.function(effect.card)
        if isinstance(effect, (Run, Block)):
            return effect.function()
        if isinstance(effect, Pause):
            time.sleep(effect.seconds)
        elif isinstance(effect, Alone):
            with self._alone:
                self.drive(effect.steps)
        # Nothing is to settle: what was told has come to its end before the wait went on.
        return None


def post(request: Post) -> Json:
    backend = request.backend
    broken: OSError | None = None
    connection = http.client.HTTPConnection(backend.host, backend.port, timeout=request.limit)
    try:
        body = request_body(request.method, request.params)
        try:
            connection.request("POST", backend.path, body, backend.headers())
        except (BrokenPipeError, ConnectionResetError) as error:
            # What is refused unread, such as a request that is too big, is answered all the same.
            broken = error
        response = connection.getresponse()
        return read_reply(response.status, response.read())
    except TimeoutError:
        raise no_answer(backend, request.limit) from None
    except (OSError, http.client.HTTPException) as error:
        failure = broken or error
        raise Lost(str(failure) or type(failure).__name__) from None
    finally:
        connection.close()
