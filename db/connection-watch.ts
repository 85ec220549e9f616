/**
 * Finds connections to Postgres that have gone silent (the host lost power, the database failed over, a firewall forgot
 * them) and destroys them, so that statements on them fail instead of waiting for hours.
 */
import { Socket } from 'node:net';
import type { Knex } from 'knex';
import pg from 'pg';

interface WatchOptions {
  readonly url: string;
  /** A connection that is silent for so long is checked. Default: 5 s. */
  readonly silenceMs?: number | undefined;
  /**
   * Whether a silent connection is also closed when new connections get no answer. For statements that are short:
   * a long one may still be running, although the network is bad.
   */
  readonly impatient?: boolean;
}

export interface ConnectionWatch {
  /**
   * Sets the limits of the session and begins to watch it. Poolers would refuse such limits as start-up parameters.
   * @param settings further limits, such as `lock_timeout`
   * @param onActivity called, at most once a look, when the connection was used, or works on a long statement
   * @throws when it does not answer; it is destroyed then
   */
  add(client: pg.ClientBase, settings?: Readonly<Record<string, string>>, onActivity?: OnActivity): Promise<void>;
}

/** @param activity bytes have been sent or received for its users, or the session works on a statement that takes long */
export type OnActivity = (activity: 'bytes' | 'statement') => void;

/** The code is that of a connection whose other end does not answer, by which callers recognize an outage. */
class SilentConnectionError extends Error {
  override readonly name = 'SilentConnectionError';
  readonly code = 'ETIMEDOUT';
}

const DEFAULT_SILENCE_MS = 5_000;
/** The connections are looked at so many times in the time after which silence is suspicious. */
const TICKS = 5;
/** A closed connection that the other end does not confirm is destroyed after so many looks. */
const CLOSING_TICKS = 2;
/** An answer may be on its way when the session is found idle, so it has to be found so twice. */
const STRIKES = 2;
/** The time limit of the first statement of a connection, and of the questions on a new one. */
const ANSWER_WITHIN_MS = 3_000;

/**
 * The limits of each session, which end those of a vanished client. An idle transaction of a living process is not
 * ended, because the watch sends a statement on each idle connection. Windows cannot check connections.
 */
const LIMITS: Readonly<Record<string, string>> = {
  tcp_keepalives_idle: '10s',
  tcp_keepalives_interval: '5s',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '60s',
};
const CHECK_CLIENT = `set_config('client_connection_check_interval',
  CASE WHEN version() ~* 'visual|msvc|mingw' THEN '0' ELSE '10s' END, false)`;
/** How many times silenceMs an idle transaction lives: the statements of the watch come three times as often. */
const IDLE_TRANSACTION_SILENCES = 3;

/** The process id alone might be that of another session after a failover. */
const SESSION = 'pid, extract(epoch FROM backend_start)::text AS started';
/** With track_activities off each state is `disabled`; only the wait event tells then. */
const IS_WORKING = `state IN ('active', 'fastpath function call', 'disabled')
  AND wait_event_type IS DISTINCT FROM 'Client'`;

interface Watched {
  readonly client: pg.ClientBase;
  readonly session: string;
  readonly onActivity: OnActivity;
  /** Whether a statement of the watch is under way, which is no activity. */
  isAsked: boolean;
  bytes: number;
  silentTicks: number;
  strikes: number;
}

/** Creates a watch for connections of one database, best for all of a process. Its timer does not keep the process alive. */
export function watchConnections({
  url,
  silenceMs = DEFAULT_SILENCE_MS,
  impatient = false,
}: WatchOptions): ConnectionWatch {
  const watched = new Set<Watched>();
  const limits = {
    ...LIMITS,
    idle_in_transaction_session_timeout: String(IDLE_TRANSACTION_SILENCES * silenceMs),
  };
  let timer: NodeJS.Timeout | undefined;
  let asking = false;

  function look(): void {
    const suspects: Watched[] = [];
    for (const one of watched) {
      const before = one.bytes;
      if (hasMoved(one)) {
        if (one.bytes !== before && !one.isAsked) one.onActivity('bytes');
        continue;
      }
      one.silentTicks++;
      const { client } = one;
      const socket = socketOf(client);
      if (socket.writableEnded) {
        if (one.silentTicks >= CLOSING_TICKS) socket.destroy();
      } else if (one.silentTicks >= TICKS) {
        if (isIdle(client)) sendHeartbeat(one);
        else suspects.push(one);
      }
    }
    if (suspects.length === 0 || asking) return;
    asking = true;
    ask(suspects).finally(() => {
      asking = false;
    });
  }

  /** A living session answers at once, and its idle transaction is prolonged. In an aborted transaction this fails. */
  function sendHeartbeat(one: Watched): void {
    one.silentTicks = 0;
    one.isAsked = true;
    const answered = () => {
      hasMoved(one);
      one.isAsked = false;
    };
    one.client.query('SELECT 1').then(answered, answered);
    hasMoved(one);
  }

  /** Asks on a new connection whether the sessions of silent connections are working. */
  async function ask(suspects: readonly Watched[]): Promise<void> {
    const prober = new pg.Client({
      connectionString: url,
      application_name: 'longshore-watch',
      connectionTimeoutMillis: ANSWER_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
    });
    prober.on('error', ignore);
    try {
      await prober.connect();
      const working = await sessionsIn(prober, suspects);
      const lost = suspects.filter((one) => isLost(one, working));
      // Its locks are released at once, and not only when the database finds out.
      await endSessions(prober, lost);
      for (const one of lost) giveUp(one);
    } catch (error) {
      // Too many connections, for example: the database answers, and what it does is unknown.
      if (!impatient || error instanceof pg.DatabaseError) return;
      for (const one of suspects.filter((each) => isLost(each, new Set()))) giveUp(one);
    } finally {
      socketOf(prober).destroy();
    }
  }

  /** Others went silent with it, so they have to answer soon. */
  function giveUp(one: Watched): void {
    const { client } = one;
    socketOf(client).destroy(
      new SilentConnectionError('the connection to the database was silent and has been closed'),
    );
    for (const other of watched) {
      if (other === one || other.silentTicks === 0) continue;
      if (isIdle(other.client)) sendHeartbeat(other);
      other.silentTicks = TICKS - 1;
    }
  }

  return {
    add: async (client, settings = {}, onActivity = ignore) => {
      client.on('error', ignore);
      const socket = socketOf(client);
      const late = setTimeout(
        () => socket.destroy(new SilentConnectionError('a new connection to the database did not answer')),
        ANSWER_WITHIN_MS,
      );
      try {
        const { rows } = await client.query<Session>(statementOf({ ...limits, ...settings }));
        const session = rows.map(nameOf).join();
        const one = { client, session, onActivity, isAsked: false, bytes: 0, silentTicks: 0, strikes: 0 };
        // What this statement has moved is no activity.
        hasMoved(one);
        watched.add(one);
        timer ??= setInterval(look, silenceMs / TICKS).unref();
        socket.once('close', () => {
          watched.delete(one);
          if (watched.size > 0) return;
          clearInterval(timer);
          timer = undefined;
        });
      } catch (error) {
        socket.destroy();
        throw error;
      } finally {
        clearTimeout(late);
      }
    },
  };
}

interface Session {
  readonly pid: number;
  readonly started: string;
}

function nameOf({ pid, started }: Session): string {
  return `${pid} ${started}`;
}

function statementOf(settings: Readonly<Record<string, string>>): string {
  const limits = Object.entries(settings).map(
    ([name, value]) => `set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, false)`,
  );
  return `SELECT ${SESSION}, ${[...limits, CHECK_CLIENT].join(', ')} FROM pg_stat_activity WHERE pid = pg_backend_pid()`;
}

async function sessionsIn(prober: pg.Client, suspects: readonly Watched[]): Promise<ReadonlySet<string>> {
  const { rows } = await prober.query<Session>(
    `SELECT ${SESSION} FROM pg_stat_activity WHERE ${IS_WORKING} AND pid::text = ANY ($1)`,
    [suspects.map(({ session }) => session.split(' ')[0])],
  );
  return new Set(rows.map(nameOf));
}

async function endSessions(prober: pg.Client, lost: readonly Watched[]): Promise<void> {
  if (lost.length === 0) return;
  await prober.query(
    `SELECT pg_terminate_backend(pid) FROM (SELECT ${SESSION} FROM pg_stat_activity) session
     WHERE pid || ' ' || started = ANY ($1)`,
    [lost.map(({ session }) => session)],
  );
}

/** Records the result of a check. Returns whether two checks in a row found that the session does not work. */
function isLost(one: Watched, working: ReadonlySet<string>): boolean {
  if (hasMoved(one)) return false;
  if (working.has(one.session)) {
    one.silentTicks = 0;
    one.strikes = 0;
    one.onActivity('statement');
    return false;
  }
  one.strikes++;
  return one.strikes >= STRIKES;
}

/** Whether bytes have been sent or received since the last call, or received ones wait for a slow reader. */
function hasMoved(one: Watched): boolean {
  const { bytesRead, bytesWritten, readableLength } = socketOf(one.client);
  const bytes = bytesRead + bytesWritten;
  if (bytes === one.bytes && readableLength === 0) return false;
  one.bytes = bytes;
  one.silentTicks = 0;
  one.strikes = 0;
  return true;
}

/** Whether no statement is running on the connection. It may be in a transaction, or may listen. */
function isIdle(client: pg.ClientBase): boolean {
  return 'readyForQuery' in client && client.readyForQuery === true;
}

/** The socket, which is missing in pg's types; a TLS connection replaces it while it connects. */
function socketOf(client: pg.ClientBase): Socket {
  if ('connection' in client) {
    const { connection } = client;
    if (typeof connection === 'object' && connection !== null && 'stream' in connection) {
      const { stream } = connection;
      if (stream instanceof Socket) return stream;
    }
  }
  throw new TypeError('a connection of pg has no socket');
}

/** Those who use a connection get its errors from their statements. */
function ignore(): void {}

/**
 * Ends sessions in the middle of a statement whose client sends no more of it: a COPY, or values of which a part has
 * arrived. Their transactions keep locks, and no limit of Postgres ends them: they are not idle, and behind a proxy or a
 * pooler that lives on the network finds nothing wrong. The watch above ends those of a process that lives; these are
 * what a lost one has left.
 */
export class SilentSessions {
  readonly #limitMs: number;
  /** Since when each has stood still, in milliseconds of this process's clock, by session and progress. */
  #since = new Map<string, number>();

  /** @param silenceMs as the processes have it: a session may stand still for as long as a transaction may be idle */
  constructor(silenceMs: number) {
    this.#limitMs = IDLE_TRANSACTION_SILENCES * silenceMs;
  }

  /** Looks at all sessions of the database; to be called again and again. @returns how many were ended */
  async end(db: Knex): Promise<number> {
    const { rows } = await db.raw<{ rows: (Session & { place: string })[] }>(
      `SELECT pid, started, concat_ws(' ', query_start, bytes_processed) AS place
       FROM (SELECT ${SESSION}, query_start, state, wait_event, application_name, datname, xact_start
             FROM pg_stat_activity) AS session
       LEFT JOIN (SELECT pid, bytes_processed FROM pg_stat_progress_copy) AS copy USING (pid)
       WHERE datname = current_database() AND ${STANDS_STILL}`,
    );
    const now = performance.now();
    const seen = rows.map((row) => {
      const key = `${nameOf(row)} ${row.place}`;
      return { row, key, since: this.#since.get(key) ?? now };
    });
    this.#since = new Map(seen.map(({ key, since }) => [key, since]));
    const lost = seen.filter(({ since }) => now - since >= this.#limitMs).map(({ row }) => row);
    if (lost.length === 0) return 0;
    const ended = await db.raw<{ rows: unknown[] }>(
      `SELECT pg_terminate_backend(pid) FROM (SELECT ${SESSION}, state, wait_event, application_name, xact_start
                                              FROM pg_stat_activity) AS session
       WHERE pid || ' ' || started = ANY (?) AND ${STANDS_STILL}`,
      [lost.map(nameOf)],
    );
    return ended.rows.length;
  }
}

const STANDS_STILL = `state = 'active' AND wait_event = 'ClientRead' AND xact_start IS NOT NULL
  AND starts_with(application_name, 'longshore-')`;
