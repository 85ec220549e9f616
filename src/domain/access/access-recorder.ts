/**
 * Records which tokens were used and which requests were refused: in memory, and with one statement a minute in the
 * database, so that neither a busy client nor an attacker makes each request a write.
 */
import type { Db } from '../../../db/connection.js';
import type { Logger } from '../../platform/logger.js';
import { logOutage } from '../../platform/outage-log.js';
import { type AuditEntry, recordAudit } from './audit.js';

const WRITE_EVERY_MS = 60_000;
/** Different refusals of one account in a minute that are recorded one by one; of all requests without a token. */
const MAX_REFUSALS = 50;
/** Different refusals of all accounts together. */
const MAX_ALL_REFUSALS = 5_000;
/** More are never used in a minute; those that are not remembered are written when they are used again. */
const MAX_USED = 50_000;

interface Refusal {
  readonly entry: AuditEntry;
  times: number;
}

export class AccessRecorder {
  #used = new Set<string>();
  #usedSessions = new Set<string>();
  #refusals = new Map<string, Refusal>();
  #refusalsOf = new Map<string | null, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly db: Db,
    private readonly logger: Logger,
  ) {}

  /** Begins to write once a minute. */
  start(): void {
    this.#timer = setInterval(() => void this.#writeLogged(), WRITE_EVERY_MS);
    this.#timer.unref();
  }

  /** Notes that a request was accepted with this token, and in this session if it was one. */
  used(tokenId: string, sessionId?: string): void {
    if (this.#used.size < MAX_USED) this.#used.add(tokenId);
    if (sessionId !== undefined && this.#usedSessions.size < MAX_USED) this.#usedSessions.add(sessionId);
  }

  /** Notes that a request was refused. Equal refusals are counted, and so are those beyond what one account may fill. */
  refused(entry: AuditEntry): void {
    const key = keyOf(entry);
    const known = this.#refusals.get(key);
    if (known !== undefined) {
      known.times++;
      return;
    }
    const count = this.#refusalsOf.get(entry.accountId) ?? 0;
    if (this.#refusals.size >= MAX_ALL_REFUSALS && count > 0) return;
    if (count < MAX_REFUSALS) {
      this.#refusalsOf.set(entry.accountId, count + 1);
      this.#refusals.set(key, { entry, times: 1 });
      return;
    }
    const others = { ...entry, stage: null, target: null, result: 'OTHERS' };
    const summary = { ...others, actor: { ...entry.actor, kind: 'anonymous', id: null, address: null } } as const;
    const summarized = this.#refusals.get(keyOf(summary));
    if (summarized === undefined) this.#refusals.set(keyOf(summary), { entry: summary, times: 1 });
    else summarized.times++;
  }

  /** Writes what was noted since the last time. @throws the error of the database; what was noted is then kept */
  async write(): Promise<void> {
    const [used, refusals, refusalsOf] = [this.#used, this.#refusals, this.#refusalsOf];
    const sessions = this.#usedSessions;
    this.#used = new Set();
    this.#usedSessions = new Set();
    this.#refusals = new Map();
    this.#refusalsOf = new Map();
    try {
      if (used.size > 0) await this.db.raw(NOTE_USE, [[...used]]);
      used.clear();
      if (sessions.size > 0) await this.db.raw(NOTE_USE_OF_SESSIONS, [[...sessions]]);
      sessions.clear();
      await recordAudit(
        this.db,
        [...refusals.values()].map(({ entry, times }) => ({ ...entry, times })),
      );
    } catch (error) {
      for (const id of used) this.used(id);
      for (const id of sessions) this.#usedSessions.add(id);
      if (this.#refusals.size === 0) [this.#refusals, this.#refusalsOf] = [refusals, refusalsOf];
      throw error;
    }
  }

  /** Writes for the last time. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writeLogged();
  }

  async #writeLogged(): Promise<void> {
    try {
      await this.write();
    } catch (error) {
      logOutage(this.logger, 'database', error, 'could not record which tokens were used; it is tried again');
    }
  }
}

/** The action and the reason, not the request: its id differs each time. */
function keyOf({ actor, accountId, action, stage, target, result }: AuditEntry): string {
  return JSON.stringify([accountId, actor.kind, actor.id, actor.address, action, stage, target, result]);
}

/**
 * Other processes write the same rows: rows that one of them is writing are left to it, and those that one of them has
 * written within the minute stay. A token that was granted to an OAuth client counts for the client, too.
 */
const NOTE_USE = `
  WITH due AS (
    SELECT id FROM access_token
    WHERE id = ANY (?::text[]) AND (last_used_at IS NULL OR last_used_at < now() - interval '50 seconds')
    ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
  ), used AS (
    UPDATE access_token SET last_used_at = now() FROM due WHERE access_token.id = due.id
    RETURNING access_token.account_id, access_token.name
  ), due_client AS (
    SELECT id FROM oauth_client
    WHERE id IN (SELECT substr(name, length('oauth client ') + 1) FROM used WHERE name LIKE 'oauth client %')
      AND account_id IN (SELECT account_id FROM used)
      AND (last_used_at IS NULL OR last_used_at < now() - interval '50 seconds')
    ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
  )
  UPDATE oauth_client SET last_used_at = now() FROM due_client WHERE oauth_client.id = due_client.id`;

/** As above. A session that has ended or expired meanwhile stays as it is. */
const NOTE_USE_OF_SESSIONS = `
  WITH due AS (
    SELECT id FROM session
    WHERE id = ANY (?::text[]) AND last_used_at < now() - interval '50 seconds' AND ended_at IS NULL
    ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
  )
  UPDATE session SET last_used_at = now() FROM due WHERE session.id = due.id`;
