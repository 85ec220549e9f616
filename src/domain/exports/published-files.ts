/** Addresses of a stage at which the file of the last export is found: a client that has the address needs no token. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { findByDigest } from '../access/find-by-digest.js';
import type { SealedColumn } from '../access/reseal-secrets.js';
import { sealSecret, unlessLost, unsealSecret } from '../access/sealed-secret.js';
import { digestSecret, newSecret } from '../access/secret-digests.js';
import { attributeKey } from '../kernel/attribute-key.js';
import { DomainError } from '../kernel/errors.js';
import { isId, newId } from '../kernel/identifier.js';
import type { Page, PageRequest } from '../kernel/paging.js';

/** What becomes of an export without rows: its file replaces the last one, or the last one stays. */
export const WHEN_EMPTY = ['WRITE', 'SKIP'] as const;
type WhenEmpty = (typeof WHEN_EMPTY)[number];

/** Of a stage: one for each market, language and form is a tenth of it. */
const MAX_PUBLISHED_FILES = 100;

export interface PublishedFile {
  readonly id: string;
  readonly name: string;
  readonly whenEmpty: WhenEmpty;
  /** What its address ends with; null: no key of the system opens it any more, and the address cannot be shown. */
  readonly key: string | null;
  /** What is found there; null: nothing yet. */
  readonly present: PresentFile | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface PresentFile {
  readonly fileId: string;
  readonly jobId: string;
  readonly fileName: string;
  readonly bytes: number;
  readonly rowCount: number;
  readonly publishedAt: Date;
}

interface Row extends Omit<PublishedFile, 'key' | 'present'> {
  readonly sealedKey: string;
  readonly fileId: string | null;
  readonly jobId: string;
  readonly fileName: string;
  readonly bytes: string;
  readonly rowCount: string;
  readonly publishedAt: Date;
}

const SELECT = `SELECT published.id, published.name, when_empty AS "whenEmpty", sealed_key AS "sealedKey",
    file.id AS "fileId", published.job_id AS "jobId", file.name AS "fileName", file.bytes,
    row_count AS "rowCount", published_at AS "publishedAt",
    published.created_at AS "createdAt", published.updated_at AS "updatedAt"
  FROM published_file AS published LEFT JOIN file ON file.id = published.file_id
  WHERE published.site_id = :siteId`;

/** Those of a stage, by name. */
export async function listPublishedFiles(
  db: Db,
  siteId: number,
  secretsKeys: readonly string[],
  { offset, limit }: PageRequest,
): Promise<Page<PublishedFile>> {
  const [counted, found] = await Promise.all([
    db('published_file').where({ site_id: siteId }).count<{ count: string }[]>('* as count'),
    db.raw<{ rows: Row[] }>(`${SELECT} ORDER BY name_key OFFSET :offset LIMIT :limit`, { siteId, offset, limit }),
  ]);
  return { rows: found.rows.map((row) => fromRow(secretsKeys, row)), count: Number(counted[0]?.count ?? 0) };
}

/** @throws DomainError not-found */
export async function findPublishedFile(
  db: Db,
  siteId: number,
  secretsKeys: readonly string[],
  id: string,
): Promise<PublishedFile> {
  const { rows } = isId(id)
    ? await db.raw<{ rows: Row[] }>(`${SELECT} AND published.id = :id`, { siteId, id })
    : { rows: [] };
  const [row] = rows;
  if (row === undefined) throw noSuchFile(`${id.slice(0, 60)}`);
  return fromRow(secretsKeys, row);
}

/** The id of the one with this name. @throws DomainError not-found */
export async function requirePublishedFile(db: Db, siteId: number, name: string): Promise<string> {
  const row: { id: string } | undefined = await db('published_file')
    .where({ site_id: siteId, name_key: attributeKey(name) })
    .first('id');
  if (row === undefined) throw noSuchFile(`with the name "${name}"`);
  return row.id;
}

/** @throws DomainError conflict PUBLISHED_FILE_EXISTS, PUBLISHED_FILE_LIMIT */
export async function createPublishedFile(
  trx: Knex.Transaction,
  siteId: number,
  secretsKeys: readonly string[],
  { name, whenEmpty }: Pick<PublishedFile, 'name' | 'whenEmpty'>,
): Promise<PublishedFile> {
  // Of two at the same time, the second counts the first.
  await trx('site').where({ id: siteId }).forNoKeyUpdate().first('id');
  const { count } = await listPublishedFiles(trx, siteId, secretsKeys, { offset: 0, limit: 0 });
  if (count >= MAX_PUBLISHED_FILES) {
    const message = `this stage has ${count} published files, which is the limit: delete those that nobody fetches`;
    throw new DomainError('conflict', 'PUBLISHED_FILE_LIMIT', message);
  }
  const id = newId();
  const [row] = await trx('published_file')
    .insert({
      ...{ id, site_id: siteId, name, name_key: attributeKey(name), when_empty: whenEmpty },
      ...newKey(secretsKeys, id),
    })
    .onConflict(['site_id', 'name_key'])
    .ignore()
    .returning('id');
  if (row === undefined) {
    const message = `there is a published file with the name "${name}" already: choose another name, or use that one`;
    throw new DomainError('conflict', 'PUBLISHED_FILE_EXISTS', message);
  }
  return findPublishedFile(trx, siteId, secretsKeys, id);
}

/** Gives it another address; the one that it had is found no more. @throws DomainError not-found */
export async function renewAddress(
  trx: Knex.Transaction,
  siteId: number,
  secretsKeys: readonly string[],
  id: string,
): Promise<PublishedFile> {
  const { id: found } = await findPublishedFile(trx, siteId, secretsKeys, id);
  await trx('published_file')
    .where({ id: found })
    .update({ ...newKey(secretsKeys, found), updated_at: trx.fn.now() });
  return findPublishedFile(trx, siteId, secretsKeys, id);
}

/** Its address is found no more. The file stays as long as its export. @throws DomainError not-found */
export async function deletePublishedFile(
  trx: Knex.Transaction,
  siteId: number,
  secretsKeys: readonly string[],
  id: string,
): Promise<PublishedFile> {
  const found = await findPublishedFile(trx, siteId, secretsKeys, id);
  await trx('published_file').where({ id: found.id }).delete();
  return found;
}

interface FileAtAddress {
  readonly asked: Buffer;
  readonly id: string;
  readonly name: string;
  readonly contentType: string | null;
  readonly storageKey: string;
  readonly publishedAt: Date;
}

const AT_ADDRESSES = `
  SELECT key_digest AS asked, file.id, file.name, content_type AS "contentType", storage_key AS "storageKey",
    published_at AS "publishedAt"
  FROM published_file AS published JOIN file ON file.id = published.file_id
  WHERE key_digest = ANY (?::bytea[]) AND storage_key IS NOT NULL`;

/** The file that is found at an address; undefined: there is no such address, or nothing is found there yet. */
export function fileAtAddress(db: Db, key: string): Promise<FileAtAddress | undefined> {
  return findByDigest<FileAtAddress>(db, AT_ADDRESSES, digestSecret(key));
}

export const KEYS_OF_ADDRESSES: readonly SealedColumn[] = [
  { table: 'published_file', column: 'sealed_key', place: 'key' },
];

function newKey(secretsKeys: readonly string[], id: string): { key_digest: Buffer; sealed_key: string } {
  const key = newSecret('lsf');
  return { key_digest: digestSecret(key), sealed_key: sealSecret(secretsKeys, placeOf(id), key) };
}

/** For what the key is sealed. */
function placeOf(id: string): string {
  return `published_file ${id} key`;
}

function fromRow(secretsKeys: readonly string[], row: Row): PublishedFile {
  const { id, name, whenEmpty, sealedKey, fileId, jobId, fileName, publishedAt, createdAt, updatedAt } = row;
  const key = unlessLost(() => unsealSecret(secretsKeys, placeOf(id), sealedKey)) ?? null;
  const found = { jobId, fileName, bytes: Number(row.bytes), rowCount: Number(row.rowCount), publishedAt };
  return { id, name, whenEmpty, key, present: fileId === null ? null : { fileId, ...found }, createdAt, updatedAt };
}

function noSuchFile(which: string): DomainError {
  return new DomainError('not-found', 'PUBLISHED_FILE_NOT_FOUND', `there is no published file ${which} in this stage`);
}
