/** Writes the attributes, roles, series and categories of an archive, by the code that executes requests for them. */
import type { Knex } from 'knex';
import { bumpDefinitions } from '../../catalog/definitions-version.js';
import type { JsonRow } from '../../formats/json/json-rows.js';
import { mappingLine, serialLine } from '../../formats/site-archive.js';
import type { ArchiveReport } from '../../job-model/archive-report.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { OUTCOME } from '../../outcomes/model/chunk-result.js';
import { attributeApplier } from '../attributes/attribute-applier.js';
import { categoryApplier } from '../categories/category-applier.js';
import { applyElements, DEFINITION_REQUEST } from '../pipeline/apply-elements.js';
import type { RowApplier } from '../rows/row-applier.js';
import { parsedLines, refuseFailures, rowsOf } from './archive-lines.js';
import type { SiteArchive } from './read-archive.js';

interface SiteJob {
  readonly jobId: string;
  readonly siteId: number;
  readonly actor: string | null;
}

/** Each attribute gets the whole definition of its line, and they get their order. @throws RejectedInput */
export async function importAttributes(
  trx: Knex.Transaction,
  job: SiteJob,
  archive: SiteArchive,
): Promise<ArchiveReport['attributes']> {
  const rows = rowsOf('attributes', await archive.text('attributes'));
  const names = rows.map(({ element }) => nameOf(element));
  const report = await applyLines(trx, 'attributes', attributeApplier(requestOf(job), null), rows, job);
  await putInOrder(trx, job.siteId, names);
  await importRoles(trx, job.siteId, archive);
  await importSeries(trx, job.siteId, archive);
  return { ...report, notInArchive: await countBesides(trx, 'attribute', job.siteId, names.length) };
}

/** @throws RejectedInput */
export async function importCategories(
  trx: Knex.Transaction,
  job: SiteJob,
  archive: SiteArchive,
): Promise<ArchiveReport['attributes']> {
  const rows = rowsOf('categories', await archive.text('categories'));
  const report = await applyLines(trx, 'categories', categoryApplier(requestOf(job), null), rows, job);
  return { ...report, notInArchive: await countBesides(trx, 'category', job.siteId, rows.length) };
}

function requestOf({ siteId, actor }: SiteJob) {
  return { siteId, actor, options: DEFINITION_REQUEST, fromFile: false };
}

async function applyLines<Read>(
  trx: Knex.Transaction,
  kind: 'attributes' | 'categories',
  applier: RowApplier<Read>,
  rows: readonly JsonRow[],
  { jobId }: SiteJob,
): Promise<Omit<ArchiveReport['attributes'], 'notInArchive'>> {
  if (rows.length === 0) return { created: 0, updated: 0, unchanged: 0 };
  const { outcomes, failures } = await applyElements(trx, applier, rows, jobId);
  refuseFailures(kind, failures);
  const counted = (wanted: string) => outcomes.filter((outcome) => outcome === wanted).length;
  return {
    created: counted(OUTCOME.created),
    updated: counted(OUTCOME.updated),
    unchanged: counted(OUTCOME.unchanged),
  };
}

function nameOf(element: unknown): string {
  const { name }: { readonly name?: unknown } = Object(element);
  return attributeKey(typeof name === 'string' ? name : '');
}

/** The attributes of the archive in its order, and after them those that it does not have. */
async function putInOrder(trx: Knex.Transaction, siteId: number, names: readonly string[]): Promise<void> {
  const { rowCount } = await trx.raw(
    `WITH wanted AS (
       SELECT attribute.id, row_number() OVER (ORDER BY given.nth, attribute.position, attribute.id) AS position
       FROM attribute LEFT JOIN jsonb_array_elements_text(:names::jsonb) WITH ORDINALITY AS given (name, nth)
         ON attribute.name_key = given.name COLLATE "C"
       WHERE attribute.site_id = :siteId)
     UPDATE attribute SET position = wanted.position, updated_at = now() FROM wanted
     WHERE attribute.id = wanted.id AND attribute.position <> wanted.position`,
    { names: JSON.stringify(names), siteId },
  );
  if (rowCount > 0) await bumpDefinitions(trx, siteId);
}

/** Attributes have brought their roles; whether a role is required stands in a file of its own. */
async function importRoles(trx: Knex.Transaction, siteId: number, archive: SiteArchive): Promise<void> {
  const lines = parsedLines('mappings', await archive.text('mappings'), mappingLine);
  if (lines.length === 0) return;
  const { rowCount } = await trx.raw(
    `UPDATE attribute_mapping AS held SET required = given.required, updated_at = now()
     FROM jsonb_to_recordset(:lines::jsonb) AS given (mapping text, required boolean)
     WHERE held.site_id = :siteId AND held.mapping = given.mapping AND held.required <> given.required`,
    { siteId, lines: JSON.stringify(lines.map(({ value }) => value)) },
  );
  if (rowCount > 0) await bumpDefinitions(trx, siteId);
}

/** A number that was given is not given again, here or where the archive comes from. */
async function importSeries(trx: Knex.Transaction, siteId: number, archive: SiteArchive): Promise<void> {
  const lines = parsedLines('serials', await archive.text('serials'), serialLine);
  await trx.raw(
    `UPDATE attribute SET serial_next = given.next
     FROM jsonb_to_recordset(:lines::jsonb) AS given (name text, next bigint)
     WHERE site_id = :siteId AND name_key = given.name COLLATE "C" AND serial_next < given.next`,
    { siteId, lines: JSON.stringify(lines.map(({ value: { name, next } }) => ({ name: attributeKey(name), next }))) },
  );
}

async function countBesides(
  trx: Knex.Transaction,
  table: 'attribute' | 'category',
  siteId: number,
  inArchive: number,
): Promise<number> {
  const [{ count } = { count: 0 }] = await trx(table).where({ site_id: siteId }).count<{ count: string | number }[]>();
  return Math.max(0, Number(count) - inArchive);
}
