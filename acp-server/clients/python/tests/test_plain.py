from __future__ import annotations

import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

from scene import LIMIT, MAKE, answering, kill, machine_of, nobody

from mayi_client import Card, Mayi, MayiError, NotAllowed, Remember, Verdict


class PlainTest(unittest.TestCase):
    def setUp(self) -> None:
        self.machine = machine_of(self)
        self.mayi = self.machine.start()
        self.addCleanup(self.mayi.close)
        self.chat = self.mayi.open(app="my-app", chat="c1", cwd=self.machine.work)

    def test_given_a_call_that_policy_allows_then_nobody_is_asked(self) -> None:
        verdict = self.chat.ask("1", {"kind": "shell", "command": "ls"}, on_card=nobody)
        self.assertTrue(verdict.allowed)
        self.assertEqual((verdict.call_id, verdict.by, verdict.approval_id), ("1", "policy", None))
        self.assertEqual(verdict.why[0]["source"], "matrix")
        self.assertTrue(self.chat.report("1", "completed"))

    def test_given_a_call_that_is_asked_about_then_an_answer_allows_it_once(self) -> None:
        cards: list[Card] = []

        def on_card(card: Card) -> None:
            cards.append(card)
            self.assertEqual([one["approvalId"] for one in self.mayi.pending()], [card["approvalId"]])
            self.assertEqual(self.mayi.pending()[0]["host"]["callId"], "1")
            self.mayi.answer(card, "allow_once")

        verdict = self.chat.ask("1", MAKE, tool="run_command", on_card=on_card)
        self.assertTrue(verdict.allowed)
        self.assertEqual(verdict.approval_id, cards[0]["approvalId"])
        self.assertEqual(cards[0]["toolCall"]["name"], "run_command")
        again = self.chat.ask("2", MAKE, on_card=answering(self.mayi, "deny"))
        self.assertFalse(again.allowed)
        self.assertEqual(self.mayi.pending(), [])

    def test_given_an_answer_for_the_session_then_it_covers_the_next_call_until_it_is_revoked(self) -> None:
        verdict = self.chat.ask("1", MAKE, on_card=answering(self.mayi, "allow_session"))
        self.assertEqual(verdict.granted, ("shell(make) (session)",))
        self.assertTrue(self.chat.ask("2", MAKE, on_card=nobody).allowed)
        [id] = [grant["id"] for grant in self.chat.grants() if grant["what"] == "shell(make)"]
        self.assertEqual(self.chat.revoke([id]), 1)
        self.assertFalse(self.chat.ask("3", MAKE, on_card=answering(self.mayi, "deny")).allowed)

    def test_given_a_denial_with_a_reason_then_the_model_can_be_told(self) -> None:
        on_card = answering(self.mayi, "deny", reason="use ninja")
        verdict = self.chat.ask("1", MAKE, on_card=on_card)
        self.assertEqual(verdict.outcome, "denied")
        self.assertIn("use ninja", verdict.reason or "")

    def test_given_a_question_that_is_withdrawn_then_its_call_is_cancelled(self) -> None:
        asked = threading.Event()
        with ThreadPoolExecutor() as threads:
            waits = threads.submit(self.chat.ask, "1", MAKE, on_card=lambda _: asked.set())
            self.assertTrue(asked.wait(LIMIT))
            self.chat.withdraw("1")
            self.assertEqual(waits.result(LIMIT).outcome, "cancelled")
        self.assertEqual(self.mayi.pending(), [])

    def test_given_a_call_that_waits_when_its_chat_or_all_is_closed_then_it_is_cancelled(self) -> None:
        other = self.mayi.open(app="my-app", chat="c2", cwd=self.machine.work)
        asked = threading.Semaphore(0)
        for chat, close in ((self.chat, self.chat.close), (other, self.mayi.close)):
            with ThreadPoolExecutor() as threads:
                waits = threads.submit(chat.ask, "1", MAKE, on_card=lambda _: asked.release())
                self.assertTrue(asked.acquire(timeout=LIMIT))
                close()
                self.assertEqual(waits.result(LIMIT).outcome, "cancelled")
            self.assertTrue(chat.closed)

    def test_given_on_card_fails_then_the_question_is_withdrawn(self) -> None:
        with self.assertRaisesRegex(AssertionError, "nobody"):
            self.chat.ask("1", MAKE, on_card=nobody)
        self.assertEqual(self.mayi.pending(), [])

    def test_given_what_is_no_answer_then_the_app_hears_of_it_and_nothing_waits(self) -> None:
        # What is remembered needs a pattern that covers the call.
        for choice, reason in (("alow_once", "option"), ("allow_always", "remember")):
            with self.assertRaises(MayiError) as refused:
                self.chat.ask(reason, MAKE, on_card=answering(self.mayi, choice))
            self.assertEqual(refused.exception.code, -32020)
            self.assertEqual(refused.exception.data, {"reason": reason})
            self.assertEqual(self.mayi.pending(), [])

    def test_given_an_answer_for_good_then_it_has_the_patterns_that_the_card_suggests(self) -> None:
        def on_card(card: Card) -> None:
            remember: Remember = {"scope": "user", "patterns": card["suggestions"][0]["patterns"]}
            answered = self.mayi.answer(card, "allow_always", remember=remember)
            self.assertEqual(answered["state"], "approved")

        self.assertEqual(self.chat.ask("1", MAKE, on_card=on_card).granted, ("shell(make) (user)",))
        self.assertTrue(self.chat.ask("2", MAKE, on_card=nobody).allowed)

    def test_given_a_person_who_stops_the_turn_then_the_call_is_cancelled(self) -> None:
        verdict = self.chat.ask("1", MAKE, on_card=lambda card: self.mayi.answer(card, {"outcome": "cancelled"}))
        self.assertEqual(verdict.outcome, "cancelled")

    def test_given_a_request_that_is_too_big_then_that_is_said(self) -> None:
        with self.assertRaisesRegex(MayiError, "too big"):
            self.chat.ask("1", MAKE, input="x" * 9 * 1024 * 1024)

    def test_given_a_call_that_waits_then_it_is_listed(self) -> None:
        def on_card(card: Card) -> None:
            self.assertEqual([(one.call_id, one.card) for one in self.chat.waiting()], [("1", card)])
            self.mayi.answer(card, "deny")

        self.chat.ask("1", MAKE, on_card=on_card)
        self.assertEqual(self.chat.waiting(), [])

    def test_given_an_answer_from_elsewhere_first_then_the_late_one_is_no_failure(self) -> None:
        def on_card(card: Card) -> None:
            self.mayi.answer(card, "allow_once")
            self.mayi.answer(card, "deny")

        self.assertTrue(self.chat.ask("1", MAKE, on_card=on_card).allowed)

    def test_given_the_mode_plan_then_writes_and_commands_are_denied(self) -> None:
        self.chat.set_mode("plan")
        self.assertEqual(self.chat.mode, "plan")
        self.assertIn("plan", self.chat.briefing)
        self.assertEqual(self.chat.ask("1", MAKE, on_card=nobody).outcome, "denied")
        write = {"kind": "write", "path": "src/main.rs"}
        self.assertEqual(self.chat.ask("2", write, on_card=nobody).outcome, "denied")

    def test_given_a_function_to_run_then_its_call_ends_with_it(self) -> None:
        result = self.chat.run("1", MAKE, lambda: 7, on_card=answering(self.mayi, "allow_session"))
        self.assertEqual(result, 7)
        with self.assertRaises(ZeroDivisionError):
            self.chat.run("2", MAKE, lambda: 1 // 0)
        for call_id in ("1", "2"):
            # A call that is reported to have ended is not asked about again.
            with self.assertRaisesRegex(MayiError, "has ended"):
                self.chat.ask(call_id, MAKE)
        never: list[int] = []
        with self.assertRaisesRegex(NotAllowed, "no more"):
            on_card = answering(self.mayi, "deny", reason="no more")
            self.chat.run("3", {"kind": "shell", "command": "make all"}, lambda: never.append(1), on_card=on_card)
        self.assertEqual(never, [])

    def test_given_two_chats_in_threads_then_they_do_not_share_answers(self) -> None:
        other = self.mayi.open(app="my-app", chat="c2", cwd=self.machine.work)
        on_cards = [answering(self.mayi, "allow_session"), answering(self.mayi, "deny")]
        with ThreadPoolExecutor() as threads:
            first, second = threads.map(
                lambda chat, on_card: chat.ask("1", MAKE, on_card=on_card), (self.chat, other), on_cards
            )
        self.assertEqual((first.outcome, second.outcome), ("allowed", "denied"))
        self.assertEqual(other.grants(), [])

    def test_given_a_sub_task_then_it_is_never_freer_than_its_parent(self) -> None:
        self.chat.set_mode("plan")
        child = self.mayi.open(app="my-app", chat="sub", parent=self.chat, mode="auto")
        self.assertEqual(child.mode, "plan")

    def test_given_a_question_under_a_used_id_then_the_first_one_waits_on(self) -> None:
        asked = threading.Event()
        with ThreadPoolExecutor() as threads:
            waits = threads.submit(self.chat.ask, "1", MAKE, on_card=lambda _: asked.set())
            self.assertTrue(asked.wait(LIMIT))
            with self.assertRaises(MayiError) as refused:
                self.chat.ask("1", {"kind": "shell", "command": "make all"})
            self.assertEqual(refused.exception.code, -32602)
            self.mayi.answer(self.mayi.pending()[0], "allow_once")
            verdict: Verdict = waits.result(LIMIT)
        self.assertTrue(verdict.allowed)

    def test_given_a_chat_that_is_closed_then_its_key_brings_it_back_unless_forgotten(self) -> None:
        self.chat.ask("1", MAKE, on_card=answering(self.mayi, "allow_session"))
        self.chat.close()
        with self.assertRaisesRegex(MayiError, "closed"):
            self.chat.ask("2", MAKE)
        again = self.mayi.open(app="my-app", chat="c1", cwd=self.machine.work, key=self.chat.key)
        self.assertTrue(again.ask("2", MAKE, on_card=nobody).allowed)
        again.close(forget=True)
        last = self.mayi.open(app="my-app", chat="c1", cwd=self.machine.work, key=self.chat.key)
        self.assertEqual(last.grants(), [])


class SettingsTest(unittest.TestCase):
    def test_given_an_app_whose_categories_are_trusted_then_its_tools_tell_what_holds(self) -> None:
        machine = machine_of(self, "version = 1\n[apps.my-app]\ntrust_categories = true\n")
        with machine.start() as mayi:
            chat = mayi.open(app="my-app", chat="c1", cwd=machine.work)
            self.assertTrue(chat.session.trust_categories)
            held = chat.tools([{"name": "list_notes", "category": "read"}, {"name": "think"}])
            self.assertEqual([tool["effect"] for tool in held], ["allow", "ask"])
            self.assertNotIn(chat.key, repr(chat.session))
            # A new backend is told of them too.
            kill(mayi)
            notes = {"kind": "tool", "tool": "list_notes"}
            self.assertTrue(chat.ask("1", notes, on_card=nobody).allowed)

    def test_given_no_program_to_start_then_the_error_says_so(self) -> None:
        with self.assertRaisesRegex(MayiError, "/nowhere/mayi can't be started"):
            Mayi.start("/nowhere/mayi")
