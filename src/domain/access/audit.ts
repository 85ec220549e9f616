/**
 * The audit log: who did what, from where, and with what result. Entries are added in the transaction of the change and
 * never changed; the database refuses that. They are deleted when their time of retention is over.
 */
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';
import { DomainError } from '../kernel/errors.js';

/** The acts that are recorded: those that administer or secure a system, and neither rows nor events. */
export const AUDIT_ACTIONS = [
  'ACCOUNT_AFTER_FAILURE_CHANGED',
  'ACCOUNT_CREATED',
  'ACCOUNT_QUOTAS_CHANGED',
  'ACCOUNT_SECRET_ROTATED',
  'ACCOUNT_SECRET_SHOWN',
  'ATTRIBUTES_CHANGED',
  'ATTRIBUTE_MAPPING_CHANGED',
  'BACKUP_CREATED',
  'BACKUP_RESTORED',
  'CATEGORIES_CHANGED',
  'CATEGORY_ATTRIBUTES_CHANGED',
  'CATEGORY_CREATED',
  'CATEGORY_DELETED',
  'CATEGORY_UPDATED',
  'CLIENT_CREATED',
  'CLIENT_REVOKED',
  'DOCUMENT_ERASED',
  'EVENTS_REPLAYED',
  'EXPORT_REQUESTED',
  'FEED_CREATED',
  'FEED_DELETED',
  'FEED_RUN_REQUESTED',
  'FEED_TRIGGER_DELETED',
  'FEED_TRIGGER_RENEWED',
  'FEED_UPDATED',
  'HELD_FILE_IMPORTED',
  'IMPORT_PROFILE_CREATED',
  'IMPORT_PROFILE_DELETED',
  'IMPORT_PROFILE_UPDATED',
  'JOBS_RESUMED',
  'JOB_APPROVED',
  'JOB_CANCELLED',
  'JOB_REJECTED',
  'JOB_RETRIED',
  'JOB_REVERTED',
  'LOGIN_LINK_CREATED',
  'OPERATOR_ACTION_STARTED',
  'OPERATOR_ACTION_STOPPED',
  'PERSON_ADMITTED',
  'PERSON_CHANGED',
  'PERSON_INVITED',
  'PERSON_READMITTED',
  'PERSON_REMOVED',
  'QUEUES_CHANGED',
  'RECEIVER_LINK_CREATED',
  'RECEIVER_LINK_REVOKED',
  'SECRETS_RESEALED',
  'SESSION_ENDED',
  'SESSION_STARTED',
  'SITE_SETTINGS_CHANGED',
  'STAGE_COMPARED',
  'STAGE_PROMOTED',
  'STAGE_CREATED',
  'TOKEN_CREATED',
  'TOKEN_GRANTED',
  'TOKEN_REFUSED',
  'TOKEN_REVOKED',
  'UPLOAD_ANNOUNCED',
  'PUBLISHED_FILE_CREATED',
  'PUBLISHED_FILE_RENEWED',
  'PUBLISHED_FILE_DELETED',
  'VIEW_CREATED',
  'VIEW_DELETED',
  'VIEW_UPDATED',
  'WEBHOOK_CREATED',
  'WEBHOOK_DELETED',
  'WEBHOOK_DISABLED',
  'WEBHOOK_ENABLED',
  'WEBHOOK_RESUMED',
  'WEBHOOK_SECRET_ROTATED',
  'WEBHOOK_TESTED',
  'WEBHOOK_UPDATED',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Who acts. */
export interface Actor {
  readonly kind: 'token' | 'client' | 'operator' | 'admin' | 'anonymous';
  /** The id of the token or of the OAuth client; the user of the machine for a command; null: not known. */
  readonly id: string | null;
  readonly address: string | null;
  readonly requestId: string | null;
}

export interface AuditEntry {
  readonly actor: Actor;
  /** The account that the act concerns; null: none. */
  readonly accountId: string | null;
  readonly action: AuditAction;
  readonly stage?: string | null;
  /** What the act concerns: a type and an id, `webhook/5f…`. */
  readonly target: string | null;
  /** Default: DONE. Otherwise the code of the refusal. */
  readonly result?: string;
  /** How often the same was refused. Default: once. */
  readonly times?: number;
}

const DONE = 'DONE';
/** Clients choose some of the targets. */
const MAX_TARGET_CHARACTERS = 300;

/** Adds entries with one statement. Pass the transaction of the change. */
export async function recordAudit(db: Db, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await db('audit_entry').insert(
    entries.map(({ actor, accountId, action, stage, target, result, times }) => ({
      account_id: accountId,
      actor_kind: actor.kind,
      actor_id: actor.id,
      action,
      stage: stage ?? null,
      target: target?.slice(0, MAX_TARGET_CHARACTERS) ?? null,
      address: actor.address,
      request_id: actor.requestId,
      result: result ?? DONE,
      times: times ?? 1,
    })),
  );
}

interface AuditRow {
  readonly id: number;
  readonly at: Date;
  readonly account_id: string | null;
  readonly actor_kind: Actor['kind'];
  readonly actor_id: string | null;
  readonly action: string;
  readonly stage: string | null;
  readonly target: string | null;
  readonly address: string | null;
  readonly request_id: string | null;
  readonly result: string;
  readonly times: number;
}

interface AuditFilter {
  readonly since?: Date | undefined;
  /** Only entries before this time. */
  readonly until?: Date | undefined;
  readonly action?: AuditAction | undefined;
  /** The id of a token or of an OAuth client. */
  readonly actorId?: string | undefined;
}

interface AuditPage {
  readonly rows: readonly AuditRow[];
  /** The value of `after` for the next page; null: this is the last one. */
  readonly next: string | null;
}

/** The form of a cursor: the time and the id of the last entry of a page. */
export const AUDIT_CURSOR = /^([0-9]{1,15})-([0-9]{1,18})$/;

/**
 * The newest entries first.
 * @param accountId null: entries that concern no account
 * @param after the `next` of the previous page @throws DomainError invalid when it is not
 */
export async function pageAudit(
  db: Db,
  accountId: string | null,
  { since, until, action, actorId }: AuditFilter,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<AuditPage> {
  const query = db<AuditRow>('audit_entry').where({ account_id: accountId });
  if (since !== undefined) query.where('at', '>=', since);
  if (until !== undefined) query.where('at', '<', until);
  if (action !== undefined) query.where({ action });
  if (actorId !== undefined) query.where({ actor_id: actorId });
  if (after !== undefined) {
    const [, at, id] = AUDIT_CURSOR.exec(after) ?? [];
    if (at === undefined || id === undefined)
      throw new DomainError('invalid', 'CURSOR', 'after is not the `next` of a page');
    query.whereRaw('(at, id) < (?, ?)', [new Date(Number(at)), id]);
  }
  const rows = await query
    .orderBy([
      { column: 'at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(limit + 1);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? `${last.at.getTime()}-${last.id}` : null;
  return { rows: shown, next };
}

/** Deletes the entries whose time of retention is over, and returns how many. */
export function pruneAudit(db: Db, retentionDays: number): Promise<number> {
  return inBatches((limit) =>
    db.transaction(async (trx) => {
      await trx.raw("SELECT set_config('longshore.prunes_audit', 'yes', true)");
      const { rowCount } = await trx.raw<{ rowCount: number }>(
        `DELETE FROM audit_entry WHERE id IN (
           SELECT id FROM audit_entry WHERE at < now() - ? * interval '1 day' ORDER BY at LIMIT ?)`,
        [retentionDays, limit],
      );
      return rowCount;
    }),
  );
}
