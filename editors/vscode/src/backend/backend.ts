// The backend as the rest of the extension sees it: it is there, or it is coming, or a person has to do something.

import type { Call, Cursor, EditorSettings, Events, Initialized } from "../api";
import { because } from "../check";
import { BackOff } from "./backoff";
import { type Connection, connect, Misfit } from "./connect";
import { launch } from "./launch";
import { parseReady, type Ready } from "./ready";
import { type Rpc, Unanswered } from "./rpc";

/** What a person is told about it. */
export type Status =
  | { state: "starting"; text: string }
  | { state: "connected"; text: string }
  | { state: "waiting"; text: string }
  | { state: "failed"; text: string };

/** What the backend needs of the extension. */
export interface Host {
  version: string;
  /** A folder of the extension's own, for output files. */
  folder: string;
  /** Whether the page for a second screen is wanted. */
  page(): boolean;
  program(): { path: string } | { problem: string };
  settings(): EditorSettings;
  cursor(): Cursor | null;
  remembered(): unknown;
  remember(ready: unknown): void;
  log(line: string): void;
  /** Follow this file in the log. */
  follow(file: string): void;
  status(status: Status): void;
  /** A new connection: before the first batch. */
  connected(about: Initialized, ready: Ready): void;
  batch(batch: Events): void;
}

/** A connection that is on its way is waited for so long. */
const ARRIVAL = 20_000;

/** Starts the backend, connects to it, and does so again whenever that ends. */
export class Backend {
  private readonly arrivals: (() => void)[] = [];
  private readonly backOff = new BackOff();
  private connection: Connection | null = null;
  private ready: Ready | null = null;
  private disposed = false;
  private round = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly host: Host,
    private readonly start: typeof launch = launch,
  ) {}

  /** Begins; never rejects: what goes wrong is told as a status. */
  async run(): Promise<void> {
    this.ready ??= parseReady(this.host.remembered());
    await this.attempt(++this.round);
  }

  /** Calls a method. Rejects with {@link Unanswered} where there is no connection. */
  readonly call: Call = (method, params, timeout) => {
    if (this.connection === null) return Promise.reject(new Unanswered("mayi is not connected"));
    return this.connection.rpc.call(method, params, timeout);
  };

  /** As {@link call}, once there is a connection: one may be on its way. */
  readonly callSoon: Call = async (method, params, timeout) => {
    if (this.connection === null) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ARRIVAL);
        this.arrivals.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    return this.call(method, params, timeout);
  };

  /** A person wants it anew: the running one is left to end by itself, and another one is started. */
  async restart(): Promise<void> {
    this.backOff.reset();
    // Only one that has proved to be itself: a remembered pid alone may be another program's by now.
    const running = this.connection === null ? null : this.ready;
    this.drop();
    if (running !== null) stop(running.pid, this.host);
    this.ready = null;
    this.host.remember(undefined);
    await this.attempt(++this.round);
  }

  /** Lets go of it; it ends by itself when nobody is connected for a while. */
  dispose(): void {
    this.disposed = true;
    this.drop();
  }

  private drop(): void {
    this.round++;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const rpc: Rpc | undefined = this.connection?.rpc;
    this.connection = null;
    if (rpc !== undefined) {
      rpc.onClose = () => undefined;
      rpc.close();
    }
  }

  private async attempt(round: number): Promise<void> {
    this.timer = null;
    const found = this.host.program();
    if ("problem" in found) return this.failed(found.problem);
    try {
      const connection = await this.reach(found.path, round);
      if (connection === null) return;
      this.connection = connection;
      connection.rpc.onClose = (why) => this.lost(why);
      this.backOff.up();
      this.host.connected(connection.about, this.ready as Ready);
      await connection.subscribe((batch) => this.host.batch(batch));
      for (const arrived of this.arrivals.splice(0)) arrived();
      this.host.status({ state: "connected", text: `mayi ${connection.about.server.version}` });
    } catch (error) {
      if (this.disposed || round !== this.round) return;
      this.connection?.rpc.close();
      this.connection = null;
      this.host.log(because(error));
      if (error instanceof Misfit) {
        this.ready = null;
        return this.failed(because(error));
      }
      this.later(because(error));
    }
  }

  /** The backend that is remembered if it is alive and itself, else a new one. Null: no longer wanted. */
  private async reach(path: string, round: number): Promise<Connection | null> {
    const options = { version: this.host.version, settings: this.host.settings(), cursor: this.host.cursor(), path };
    if (this.ready !== null) {
      try {
        const connection = await connect(this.ready, options);
        if (!this.disposed && round === this.round) return connection;
        connection.rpc.close();
        return null;
      } catch (error) {
        if (this.disposed || round !== this.round) return null;
        this.host.log(`the backend of before can't be used (${because(error)}); starting another one`);
        this.ready = null;
      }
    }
    this.host.status({ state: "starting", text: "Starting mayi …" });
    const launched = await this.start(path, this.host.folder, this.host.page(), (log) => this.host.follow(log));
    if (this.disposed || round !== this.round) {
      stop(launched.ready.pid, this.host);
      return null;
    }
    this.ready = launched.ready;
    try {
      const connection = await connect(launched.ready, options);
      this.host.remember({ ...launched.ready, log: launched.log });
      return connection;
    } catch (error) {
      // It was started for this window alone, and this window can't use it.
      stop(launched.ready.pid, this.host);
      this.ready = null;
      throw error;
    }
  }

  /** Only a person can mend that: whoever waits for a connection is not kept waiting. */
  private failed(text: string): void {
    this.host.status({ state: "failed", text });
    for (const arrived of this.arrivals.splice(0)) arrived();
  }

  private lost(why: string): void {
    this.connection = null;
    if (!this.disposed) this.later(why);
  }

  private later(why: string): void {
    const wait = this.backOff.down();
    this.host.status({ state: "waiting", text: `mayi is not connected: ${why}. Trying again in ${wait < 1000 ? "a moment" : `${Math.round(wait / 1000)} s`}.` });
    const round = ++this.round;
    this.timer = setTimeout(() => void this.attempt(round), wait);
  }
}

function stop(pid: number, host: Host): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch (error) {
    host.log(`the backend (${pid}) could not be stopped: ${because(error)}`);
  }
}
