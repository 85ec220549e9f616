/** What has changed of definitions after a place in the feed, and whether records are written otherwise though they did not change. */
import type { Db } from '../../../db/connection.js';
import { END_OF_SET, type FeedPlace } from './feed-cursor.js';

/** The definitions on which the rows of a file depend. */
export interface WrittenBy {
  /** Attributes whose names and values are written, by their ids; null: all, and the columns are those of today. */
  readonly attributes: readonly string[] | null;
  /** Whether the paths of categories are written, or decide what is written. */
  readonly categories: boolean;
}

/** SQL: sets that were committed after a place. One that was read in part counts as unread. */
const SINCE = 'set.site_id = :siteId AND NOT set.preview AND (set.position IS NULL OR set.position > :last)';

function bindingsOf(siteId: number, { position, n }: FeedPlace) {
  return { siteId, last: n === END_OF_SET ? position : position - 1 };
}

/** SQL: whether one of the members of an image differs. */
function differs(members: readonly string[]): string {
  const side = (image: string) => members.map((member) => `change.${image} #> '{${member}}'`).join(', ');
  return `(${side('before')}) IS DISTINCT FROM (${side('after')})`;
}

/**
 * New attributes and categories change no row that was written; neither do options, rules, the order and assignments. Names, types,
 * forms and places in a tree do, and so does what is mapped to the SKU.
 */
const REWRITES = `
  (:all AND change.kind = 'mapping' AND change.key = 'sku')
  OR (change.kind = 'attribute' AND (:all OR change.key = ANY (:attributes::text[])) AND (change.operation = 'D'
    OR (change.operation = 'U' AND ${differs(['name', 'type', 'definition,format', 'definition,optionsType'])})))
  OR (:categories AND change.kind = 'category' AND (change.operation = 'D'
    OR (change.operation = 'U' AND ${differs(['name', 'parentId', 'tree'])})))`;

/** Whether records that have not changed since are written otherwise now. */
export async function areRewrittenSince(
  db: Db,
  siteId: number,
  place: FeedPlace,
  { attributes, categories }: WrittenBy,
): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { found: boolean }[] }>(
    `SELECT EXISTS (
       SELECT FROM change_set AS set JOIN definition_change AS change ON change.set_id = set.id AND change.at = set.at
       WHERE ${SINCE} AND (${REWRITES})) AS found`,
    { ...bindingsOf(siteId, place), all: attributes === null, attributes: [...(attributes ?? [])], categories },
  );
  return rows[0]?.found ?? true;
}

/** Whether the names of attributes, or the names or places of categories, have changed. */
export async function areRenamedSince(db: Db, siteId: number, place: FeedPlace): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { found: boolean }[] }>(
    `SELECT EXISTS (
       SELECT FROM change_set AS set JOIN definition_change AS change ON change.set_id = set.id AND change.at = set.at
       WHERE ${SINCE} AND change.operation = 'U' AND (
         (change.kind = 'attribute' AND ${differs(['name'])})
         OR (change.kind = 'category' AND ${differs(['name', 'parentId', 'tree'])}))) AS found`,
    bindingsOf(siteId, place),
  );
  return rows[0]?.found ?? true;
}

/** An attribute that was created, changed or deleted, or whose roles were changed. */
export interface ChangedAttribute {
  readonly id: string;
  /** What it was at some time since; null: only its roles were changed. */
  readonly was: { readonly name: string; readonly type: string } | null;
}

export async function attributesChangedSince(db: Db, siteId: number, place: FeedPlace): Promise<ChangedAttribute[]> {
  const { rows } = await db.raw<{ rows: ChangedAttribute[] }>(
    `SELECT DISTINCT
       CASE change.kind WHEN 'attribute' THEN change.key ELSE side.image ->> 'attributeId' END AS id,
       CASE change.kind WHEN 'attribute' THEN
         jsonb_build_object('name', side.image -> 'name', 'type', side.image -> 'type') END AS was
     FROM change_set AS set JOIN definition_change AS change ON change.set_id = set.id AND change.at = set.at
     CROSS JOIN LATERAL (VALUES (change.before), (change.after)) AS side (image)
     WHERE ${SINCE} AND change.kind IN ('attribute', 'mapping') AND side.image IS NOT NULL`,
    bindingsOf(siteId, place),
  );
  return rows;
}

/** A category that was created, changed or deleted, or whose assignments were changed. */
export interface ChangedCategory {
  readonly id: string;
  /** What it was at some time since; null: only its assignments were changed. */
  readonly was: { readonly name: string; readonly parentId: string | null; readonly tree: string } | null;
}

export async function categoriesChangedSince(db: Db, siteId: number, place: FeedPlace): Promise<ChangedCategory[]> {
  const { rows } = await db.raw<{ rows: ChangedCategory[] }>(
    `SELECT DISTINCT
       CASE change.kind WHEN 'category' THEN change.key ELSE side.image ->> 'categoryId' END AS id,
       CASE change.kind WHEN 'category' THEN jsonb_build_object(
         'name', side.image -> 'name', 'parentId', side.image -> 'parentId', 'tree', side.image -> 'tree') END AS was
     FROM change_set AS set JOIN definition_change AS change ON change.set_id = set.id AND change.at = set.at
     CROSS JOIN LATERAL (VALUES (change.before), (change.after)) AS side (image)
     WHERE ${SINCE} AND change.kind IN ('category', 'assignment') AND side.image IS NOT NULL`,
    bindingsOf(siteId, place),
  );
  return rows;
}
