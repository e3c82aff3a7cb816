from __future__ import annotations

import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

from scene import LIMIT, MAKE, address, answering, kill, machine_of, nobody

from mayi_client import Card, Mayi, MayiError


class RestartTest(unittest.TestCase):
    def setUp(self) -> None:
        self.machine = machine_of(self)
        self.mayi = self.machine.start()
        self.addCleanup(self.mayi.close)
        self.chat = self.mayi.open(app="my-app", chat="c1", cwd=self.machine.work)

    def test_given_the_backend_is_killed_while_a_call_waits_then_the_new_one_asks_again(self) -> None:
        cards: list[Card] = []
        asked = threading.Semaphore(0)

        def on_card(card: Card) -> None:
            cards.append(card)
            asked.release()

        with ThreadPoolExecutor() as threads:
            waits = threads.submit(self.chat.ask, "1", MAKE, on_card=on_card)
            self.assertTrue(asked.acquire(timeout=LIMIT))
            killed = kill(self.mayi)
            self.assertTrue(asked.acquire(timeout=LIMIT))
            self.assertNotEqual(self.mayi.pid, killed)
            self.mayi.answer(cards[1], "allow_once")
            self.assertTrue(waits.result(LIMIT).allowed)
        first, second = cards
        self.assertEqual(first["toolCall"].get("toolCallId"), second["toolCall"].get("toolCallId"))
        self.assertNotEqual(first["approvalId"], second["approvalId"])
        self.assertTrue(self.chat.report("1", "completed"))

    def test_given_the_backend_is_killed_while_the_card_is_shown_then_a_late_answer_is_no_failure(
        self,
    ) -> None:
        cards: list[Card] = []

        def on_card(card: Card) -> None:
            cards.append(card)
            if len(cards) == 1:
                kill(self.mayi)
            self.mayi.answer(card, "allow_once")

        self.assertTrue(self.chat.ask("1", MAKE, on_card=on_card).allowed)
        self.assertEqual(len(cards), 2)

    def test_given_a_backend_that_is_gone_then_the_chat_goes_on_with_its_grants_and_mode(self) -> None:
        self.chat.ask("1", MAKE, on_card=answering(self.mayi, "allow_session"))
        kill(self.mayi)
        self.assertTrue(self.chat.ask("2", MAKE, on_card=nobody).allowed)
        self.chat.set_mode("plan")
        kill(self.mayi)
        self.assertEqual(self.chat.ask("3", {"kind": "shell", "command": "rm x"}, on_card=nobody).outcome, "denied")

    def test_given_many_threads_then_one_backend_is_started_for_all(self) -> None:
        chats = [self.mayi.open(app="my-app", chat=f"t{at}", cwd=self.machine.work) for at in range(6)]
        kill(self.mayi)
        together = threading.Barrier(len(chats))

        def ask(at: int) -> bool:
            together.wait(LIMIT)
            on_card = answering(self.mayi, "allow_once")
            return chats[at].ask("1", MAKE, on_card=on_card).allowed

        with ThreadPoolExecutor(len(chats)) as threads:
            self.assertEqual(list(threads.map(ask, range(len(chats)))), [True] * len(chats))
        # Each backend writes a credential of its own, and takes away those of the killed: only one is left.
        self.assertTrue(self.machine.token())

    def test_given_a_sub_task_then_a_new_backend_has_it_and_its_parent(self) -> None:
        child = self.mayi.open(app="my-app", chat="sub", parent=self.chat)
        kill(self.mayi)
        self.assertTrue(child.ask("1", MAKE, on_card=answering(self.mayi, "allow_once")).allowed)

    def test_given_a_call_that_the_killed_backend_allowed_then_the_report_says_that_it_is_not_known(
        self,
    ) -> None:
        self.assertTrue(self.chat.ask("1", {"kind": "shell", "command": "ls"}).allowed)
        kill(self.mayi)
        self.assertFalse(self.chat.report("1", "completed"))
        self.assertEqual(self.chat.run("2", {"kind": "shell", "command": "ls"}, lambda: kill(self.mayi) and 7), 7)

    def test_given_a_key_from_before_then_it_has_its_grants_in_another_life_of_the_app(self) -> None:
        self.chat.ask("1", MAKE, on_card=answering(self.mayi, "allow_session"))
        self.mayi.close()
        with self.machine.start() as mayi:
            again = mayi.open(app="my-app", chat="c1", cwd=self.machine.work, key=self.chat.key)
            self.assertEqual(again.session.session_id, self.chat.session.session_id)
            self.assertTrue(again.ask("2", MAKE, on_card=nobody).allowed)
            other = mayi.open(app="my-app", chat="c1", cwd=self.machine.work)
            self.assertFalse(other.ask("1", MAKE, on_card=answering(mayi, "deny")).allowed)

    def test_given_a_chat_that_the_backend_has_put_away_then_it_is_opened_again_unseen(self) -> None:
        with Mayi.connect(self.url(), self.machine.token()) as other:
            same = other.open(app="my-app", chat="c1", cwd=self.machine.work, key=self.chat.key)
            same.close()
        self.assertTrue(self.chat.ask("1", {"kind": "shell", "command": "ls"}).allowed)

    def test_given_a_backend_of_somebody_elses_that_dies_then_that_is_an_error(self) -> None:
        mayi = Mayi.connect(self.url(), self.machine.token())
        chat = mayi.open(app="my-app", chat="c2", cwd=self.machine.work)
        with self.assertRaisesRegex(MayiError, "can't be reached"):
            chat.ask("1", MAKE, on_card=lambda _: kill(self.mayi))

    def test_given_a_way_to_the_next_backend_then_it_goes_on_there(self) -> None:
        with self.machine.start() as other:
            with Mayi.connect(self.url(), address(self.mayi)[1], reconnect=lambda: address(other)) as mayi:
                chat = mayi.open(app="my-app", chat="c2", cwd=self.machine.work)
                kill(self.mayi)
                self.assertTrue(chat.ask("1", MAKE, on_card=answering(mayi, "allow_once")).allowed)
            # It was not ours to end.
            self.assertEqual(other.pending(), [])

    def test_given_no_way_to_the_next_backend_then_that_is_an_error(self) -> None:
        def reconnect() -> tuple[str, str]:
            raise RuntimeError("nowhere to be found")

        with Mayi.connect(self.url(), self.machine.token(), reconnect=reconnect) as mayi:
            kill(self.mayi)
            with self.assertRaisesRegex(RuntimeError, "nowhere"):
                mayi.pending()

    def test_given_a_wrong_token_then_the_error_says_so_without_it(self) -> None:
        with self.assertRaisesRegex(MayiError, "no valid credential") as refused:
            Mayi.connect(self.url(), "wr0ng").pending()
        self.assertNotIn("wr0ng", str(refused.exception))

    def test_given_it_is_closed_then_the_backend_has_ended_and_none_is_started(self) -> None:
        self.mayi.close()
        self.mayi.close()
        with self.assertRaisesRegex(MayiError, "closed"):
            self.chat.ask("1", MAKE)

    def url(self) -> str:
        return address(self.mayi)[0]
