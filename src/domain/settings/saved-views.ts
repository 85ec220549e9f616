/** Views that people have saved of a stage, for themselves or for everybody of the account. */
import type { Knex } from 'knex';
import pg from 'pg';
import type { Db } from '../../../db/connection.js';
import { attributeKey } from '../kernel/attribute-key.js';
import { DomainError } from '../kernel/errors.js';
import { isId, newId } from '../kernel/identifier.js';
import type { Page, PageRequest } from '../kernel/paging.js';
import { quoted } from '../kernel/value-problem.js';

/** What a view shows: a table of items, or an export that is written again. */
export const VIEW_KINDS = ['ITEMS', 'EXPORT'] as const;
type ViewKind = (typeof VIEW_KINDS)[number];

/** Of one person, in one stage: a list of them can still be read. */
const MAX_OWN_VIEWS = 200;
/** Filters with many conditions and 200 columns are a tenth of it. */
const MAX_CONTENT_BYTES = 32 * 1024;
const UNIQUE_VIOLATION = '23505';

export interface SavedView {
  readonly id: string;
  readonly kind: ViewKind;
  readonly name: string;
  readonly isShared: boolean;
  readonly version: number;
  readonly content: object;
  /** Whether it is the caller's. */
  readonly isOwn: boolean;
  /** The name of the token or client that has saved it; null: it is no longer there. */
  readonly ownerName: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Who asks. */
export interface Viewer {
  readonly siteId: number;
  /** The id of the token, or of the client to which it was granted. */
  readonly ownerId: string;
  /** Whether what everybody sees may be changed. */
  readonly mayShare: boolean;
}

interface ViewInput {
  readonly name: string;
  readonly isShared: boolean;
  readonly content: object;
}

const COLUMNS = `id, kind, name, is_shared AS "isShared", version, content, owner_id = :ownerId AS "isOwn",
  coalesce((SELECT name FROM access_token WHERE access_token.id = owner_id),
    (SELECT name FROM oauth_client WHERE oauth_client.id = owner_id)) AS "ownerName",
  created_at AS "createdAt", updated_at AS "updatedAt"`;
const VISIBLE = '(owner_id = :ownerId OR is_shared)';

/** The caller's views and those that are shared, by name. */
export async function listViews(
  db: Db,
  { siteId, ownerId }: Viewer,
  kind: ViewKind | undefined,
  { offset, limit }: PageRequest,
): Promise<Page<SavedView>> {
  const asked = { siteId, ownerId, offset, limit, ...(kind === undefined ? {} : { kind }) };
  const where = `WHERE site_id = :siteId AND ${VISIBLE} ${kind === undefined ? '' : 'AND kind = :kind'}`;
  const [counted, found] = await Promise.all([
    db.raw<{ rows: { count: number }[] }>(`SELECT count(*)::integer AS count FROM saved_view ${where}`, asked),
    db.raw<{ rows: SavedView[] }>(
      `SELECT ${COLUMNS} FROM saved_view ${where} ORDER BY name_key, id OFFSET :offset LIMIT :limit`,
      asked,
    ),
  ]);
  return { rows: found.rows, count: counted.rows[0]?.count ?? 0 };
}

/** @throws DomainError not-found when there is none that the caller may see */
export async function findView(db: Db, { siteId, ownerId }: Viewer, id: string): Promise<SavedView> {
  const { rows } = isId(id)
    ? await db.raw<{ rows: SavedView[] }>(
        `SELECT ${COLUMNS} FROM saved_view WHERE id = :id AND site_id = :siteId AND ${VISIBLE}`,
        { id, siteId, ownerId },
      )
    : { rows: [] };
  const [view] = rows;
  if (view !== undefined) return view;
  throw new DomainError('not-found', 'VIEW_NOT_FOUND', `there is no saved view ${id.slice(0, 60)} that you may see`);
}

/** @throws DomainError conflict VIEW_EXISTS, VIEW_LIMIT; forbidden; invalid when the content is too large */
export async function createView(
  trx: Knex.Transaction,
  viewer: Viewer,
  kind: ViewKind,
  { name, isShared, content }: ViewInput,
): Promise<SavedView> {
  if (isShared) requireSharing(viewer);
  const { siteId, ownerId } = viewer;
  // Of two at the same time, the second counts the first.
  await trx('site').where({ id: siteId }).forNoKeyUpdate().first('id');
  const [{ count = 0 } = {}] = await trx('saved_view')
    .where({ site_id: siteId, owner_id: ownerId })
    .count<{ count: number }[]>('* as count');
  if (Number(count) >= MAX_OWN_VIEWS) {
    const message = `you have saved ${count} views in this stage, which is the limit: delete those that you do not use`;
    throw new DomainError('conflict', 'VIEW_LIMIT', message);
  }
  const id = newId();
  const [row] = await trx('saved_view')
    .insert({
      ...{ id, site_id: siteId, owner_id: ownerId, kind, name, name_key: attributeKey(name) },
      ...{ is_shared: isShared, version: 1, content: textOf(content) },
    })
    .onConflict(['site_id', 'owner_id', 'kind', 'name_key'])
    .ignore()
    .returning('id');
  if (row === undefined) throw viewExists(name);
  return findView(trx, viewer, id);
}

/**
 * @param expected the version that the client has read; null: whichever there is
 * @throws DomainError not-found; forbidden; conflict VIEW_CHANGED, VIEW_EXISTS; invalid when the content is too large
 */
export async function updateView(
  trx: Knex.Transaction,
  viewer: Viewer,
  id: string,
  { name, isShared, content }: ViewInput,
  expected: number | null,
): Promise<SavedView> {
  const before = await lockView(trx, viewer, id);
  if (isShared || before.isShared) requireSharing(viewer);
  if (!isShared && !before.isOwn) {
    throw new DomainError('forbidden', 'FORBIDDEN', 'only who has saved a view takes it back from the others');
  }
  if (expected !== null && expected !== before.version) {
    const message = `the view ${quoted(before.name)} was changed meanwhile: you sent version ${expected}, and its newest is ${before.version}. Read it again`;
    throw new DomainError('conflict', 'VIEW_CHANGED', message);
  }
  try {
    await trx('saved_view')
      .where({ id })
      .update({
        ...{ name, name_key: attributeKey(name), is_shared: isShared, content: textOf(content) },
        ...{ version: before.version + 1, updated_at: trx.fn.now() },
      });
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) throw viewExists(name);
    throw error;
  }
  return findView(trx, viewer, id);
}

/** @throws DomainError not-found; forbidden */
export async function deleteView(trx: Knex.Transaction, viewer: Viewer, id: string): Promise<SavedView> {
  const view = await lockView(trx, viewer, id);
  if (view.isShared) requireSharing(viewer);
  await trx('saved_view').where({ id }).delete();
  return view;
}

/** Deletes views that nobody can see any more: their owner is gone, and they were not shared. */
export async function pruneViews(db: Db): Promise<void> {
  await db.raw(
    `DELETE FROM saved_view WHERE NOT is_shared
       AND NOT EXISTS (SELECT FROM access_token WHERE access_token.id = owner_id)
       AND NOT EXISTS (SELECT FROM oauth_client WHERE oauth_client.id = owner_id)`,
  );
}

async function lockView(trx: Knex.Transaction, viewer: Viewer, id: string): Promise<SavedView> {
  await findView(trx, viewer, id);
  await trx('saved_view').where({ id }).forUpdate().first('id');
  // As it is now that nobody else changes it.
  return findView(trx, viewer, id);
}

function requireSharing({ mayShare }: Viewer): void {
  if (mayShare) return;
  const message = 'this token does not have the scope catalog:write, which views need that everybody sees';
  throw new DomainError('forbidden', 'FORBIDDEN', message);
}

function viewExists(name: string): DomainError {
  const message = `you have a view ${quoted(name)} already: change it, or choose another name`;
  return new DomainError('conflict', 'VIEW_EXISTS', message);
}

/** @throws DomainError invalid */
function textOf(content: object): string {
  const text = JSON.stringify(content);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_CONTENT_BYTES) return text;
  const message = `content: has ${bytes} bytes; at most ${MAX_CONTENT_BYTES} are kept: take away conditions or columns`;
  throw new DomainError('invalid', 'REQUEST_INVALID', message, {
    problems: [{ path: 'content', code: 'FIELD_INVALID', message }],
  });
}
