from __future__ import annotations

import asyncio
import unittest

from scene import LIMIT, MAKE, address, answering, kill, machine_of, nobody

from mayi_client import Card, MayiError, NotAllowed
from mayi_client.aio import Mayi

LS = {"kind": "shell", "command": "ls"}


class AioTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.machine = machine_of(self)
        self.mayi = self.machine.start_aio()
        self.addAsyncCleanup(self.mayi.close)
        # It starts by itself when it is first used; `async with` starts it before.
        self.chat = await self.mayi.open(app="my-app", chat="c1", cwd=self.machine.work)
        self.work = self.machine.work

    async def test_given_calls_then_policy_or_an_answer_decides(self) -> None:
        async with self.mayi:
            self.assertTrue((await self.chat.ask("1", LS, on_card=nobody)).allowed)
            on_card = answering(self.mayi, "allow_session")
            self.assertTrue((await self.chat.ask("2", MAKE, on_card=on_card)).allowed)
            self.assertTrue((await self.chat.ask("3", MAKE, on_card=nobody)).allowed)
            self.assertTrue(await self.chat.grants())
            self.assertTrue(await self.chat.revoke())
            self.assertEqual(await self.chat.grants(), [])
            on_card = answering(self.mayi, "deny", reason="not now")
            denied = await self.chat.ask("4", MAKE, on_card=on_card)
            self.assertIn("not now", denied.reason or "")
            await self.chat.set_mode("plan")
            self.assertEqual((await self.chat.ask("5", MAKE, on_card=nobody)).outcome, "denied")

    async def test_given_the_task_is_cancelled_then_the_question_is_withdrawn(self) -> None:
        asked = asyncio.Event()
        task = asyncio.create_task(self.chat.ask("1", MAKE, on_card=lambda _: asked.set()))
        await asyncio.wait_for(asked.wait(), LIMIT)
        self.assertEqual(len(await self.mayi.pending()), 1)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertEqual(await self.mayi.pending(), [])

    async def test_given_the_task_is_cancelled_at_any_moment_then_nothing_waits_after(self) -> None:
        for turns in range(0, 40, 3):
            task = asyncio.create_task(self.chat.ask(f"c{turns}", MAKE))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait({task})
            self.assertTrue(task.cancelled())
        self.assertEqual(await self.mayi.pending(), [])

    async def test_given_an_answer_from_elsewhere_then_the_dialog_is_cancelled(self) -> None:
        shown: asyncio.Future[Card] = asyncio.get_running_loop().create_future()
        gone = asyncio.Event()

        async def dialog(card: Card) -> None:
            shown.set_result(card)
            try:
                await asyncio.Event().wait()
            finally:
                gone.set()

        task = asyncio.create_task(self.chat.ask("1", MAKE, on_card=dialog))
        await self.mayi.answer(await asyncio.wait_for(shown, LIMIT), "deny")
        self.assertEqual((await task).outcome, "denied")
        self.assertTrue(gone.is_set())

    async def test_given_a_dialog_that_answers_then_it_comes_to_its_end(self) -> None:
        ended: list[str] = []

        async def dialog(card: Card) -> None:
            await self.mayi.answer(card, "allow_once")
            await self.mayi.pending()
            ended.append(card["approvalId"])

        verdict = await self.chat.ask("1", MAKE, on_card=dialog)
        self.assertEqual(ended, [verdict.approval_id])

    async def test_given_a_dialog_that_fails_then_the_question_is_withdrawn(self) -> None:
        async def dialog(card: Card) -> None:
            await self.mayi.answer(card, "no such option")

        with self.assertRaisesRegex(MayiError, "no such option"):
            await self.chat.ask("1", MAKE, on_card=dialog)
        self.assertEqual(await self.mayi.pending(), [])

    async def test_given_a_request_that_is_too_big_then_that_is_said(self) -> None:
        with self.assertRaisesRegex(MayiError, "too big"):
            await self.chat.ask("1", MAKE, input="x" * 9 * 1024 * 1024)

    async def test_given_a_lost_backend_and_a_way_to_the_next_then_it_goes_on_there(self) -> None:
        next_one = self.machine.start_aio()
        self.addAsyncCleanup(next_one.close)
        shown: asyncio.Queue[Card] = asyncio.Queue()

        async def reconnect() -> tuple[str, str]:
            # It is started by that.
            await next_one.pending()
            return address(next_one)

        async with Mayi.connect(*address(self.mayi), reconnect=reconnect) as mayi:
            chat = await mayi.open(app="my-app", chat="c2", cwd=self.work)
            task = asyncio.create_task(chat.ask("1", MAKE, on_card=shown.put_nowait))
            await asyncio.wait_for(shown.get(), LIMIT)
            kill(self.mayi)
            await mayi.answer(await asyncio.wait_for(shown.get(), LIMIT), "allow_once")
            self.assertTrue((await task).allowed)

    async def test_given_the_backend_is_killed_while_calls_wait_then_one_new_one_asks_all_again(self) -> None:
        chats = [await self.mayi.open(app="my-app", chat=f"t{at}", cwd=self.work) for at in range(4)]
        shown: asyncio.Queue[Card] = asyncio.Queue()
        tasks = [asyncio.create_task(chat.ask("1", MAKE, on_card=shown.put_nowait)) for chat in chats]
        for _ in chats:
            await asyncio.wait_for(shown.get(), LIMIT)
        killed = kill(self.mayi)
        for _ in chats:
            await self.mayi.answer(await asyncio.wait_for(shown.get(), LIMIT), "allow_once")
        self.assertTrue(all([(await task).allowed for task in tasks]))
        self.assertNotEqual(self.mayi.pid, killed)
        self.assertTrue(shown.empty())

    async def test_given_a_waiter_that_is_cancelled_during_a_restart_then_the_others_have_a_backend(
        self,
    ) -> None:
        kill(self.mayi)
        first = asyncio.create_task(self.chat.ask("1", LS))
        second = asyncio.create_task(self.chat.ask("2", LS))
        for _ in range(20):
            await asyncio.sleep(0)
        first.cancel()
        self.assertTrue((await second).allowed)

    async def test_given_functions_to_run_then_their_calls_end_with_them(self) -> None:
        async def slow() -> int:
            await asyncio.sleep(0)
            return 8

        self.assertEqual(await self.chat.run("2", LS, slow), 8)
        with self.assertRaisesRegex(MayiError, "has ended"):
            await self.chat.ask("2", LS)
        with self.assertRaises(NotAllowed):
            await self.chat.run("3", MAKE, slow, on_card=answering(self.mayi, "deny"))
        await self.chat.close(forget=True)
