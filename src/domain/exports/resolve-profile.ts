/** Resolves the profile of a request for an export: it is kept with the job, which later changes do not concern. */
import type { Db } from '../../../db/connection.js';
import { AttributeMapping } from '../../../db/models/attribute-mapping.js';
import { resolveAttributeHeader } from '../catalog/attributes/attribute-columns.js';
import { resolveCategoryHeader } from '../catalog/categories/category-columns.js';
import type { AttributeDefinition } from '../catalog/model/attribute-definition.js';
import { RejectedInput } from '../formats/model/rejected-input.js';
import { detectEncoding } from '../formats/text/detect-encoding.js';
import { isEncodable } from '../formats/text/text-encoding.js';
import { DomainError } from '../kernel/errors.js';
import { quoted } from '../kernel/value-problem.js';
import { sourcesOf } from '../profiles/model/column-rule.js';
import { columnsOfContinuation } from '../profiles/model/continued-rows.js';
import type { Profile } from '../profiles/model/profile.js';
import { findProfile } from '../profiles/profiles.js';
import { writtenFormat } from './model/export-format.js';
import type { ExportFormatting, ExportProfile, ItemColumn } from './model/export-spec.js';
import { resolveTarget } from './resolve-columns.js';

const FILE_TYPES = {
  product: 'ITEM_IMPORT',
  bundle: 'BUNDLE_IMPORT',
  attribute: 'ATTRIBUTE_IMPORT',
  category: 'CATEGORY_IMPORT',
} as const;

interface ProfileRequest {
  readonly entity: keyof typeof FILE_TYPES;
  /** A name, or the profile itself. */
  readonly given: string | Profile | undefined;
  readonly formatting: ExportFormatting;
  /** Those of items; of other records, the columns are those of their files. */
  readonly attributes?: readonly AttributeDefinition[];
}

/** @throws DomainError not-found PROFILE_NOT_FOUND; invalid PROFILE_NOT_WRITABLE when no file can be written by it */
export async function resolveExportProfile(
  db: Db,
  siteId: number,
  { entity, given, formatting, attributes = [] }: ProfileRequest,
): Promise<ExportProfile | undefined> {
  if (given === undefined) return undefined;
  const found =
    typeof given === 'string' ? await findProfile(db, siteId, given) : { name: null, version: null, profile: given };
  const { name, version, profile: document } = found;
  const isOfItems = entity === 'product' || entity === 'bundle';
  const columns = document.columns.map(({ to }) => (to === null || !isOfItems ? null : resolveTarget(to, attributes)));
  const problem =
    problemOf(document, entity, formatting) ??
    (isOfItems ? await keyProblem(db, siteId, columns) : headerProblem(document, entity));
  if (problem !== null) {
    const problems = [{ path: 'profile', code: 'PROFILE_NOT_WRITABLE', message: problem }];
    throw new DomainError('invalid', 'PROFILE_NOT_WRITABLE', `profile: ${problem}`, { problems });
  }
  return { name, version, document, columns };
}

async function keyProblem(db: Db, siteId: number, columns: readonly (ItemColumn | null)[]): Promise<string | null> {
  const mapped = await AttributeMapping.query(db).findOne({ site_id: siteId, mapping: 'sku' });
  const isKey = (column: ItemColumn | null) =>
    column?.kind === 'sku' || (column?.kind === 'attribute' && column.attributeId === mapped?.attribute_id);
  return columns.some(isKey) ? null : NO_KEY;
}

/** What is wrong with the columns that a profile fills of attributes or categories, as their import would say it. */
function headerProblem({ columns }: Profile, entity: 'attribute' | 'category'): string | null {
  const targets = columns.flatMap(({ to }) => to ?? []);
  try {
    if (entity === 'attribute') resolveAttributeHeader(targets);
    else resolveCategoryHeader(targets);
    return null;
  } catch (error) {
    if (!(error instanceof RejectedInput)) throw error;
    return `of the columns that the profile fills: ${error.message}`;
  }
}

const NO_KEY = 'no rule of the profile fills the SKU, which identifies the rows: add a rule with "to": "SKU"';

function problemOf(
  { fileType, format, columns, skipRowsWhen, continuationRows }: Profile,
  entity: ProfileRequest['entity'],
  { format: written, bom }: ExportFormatting,
): string | null {
  if (fileType !== FILE_TYPES[entity]) {
    return `the profile reads files of the type ${fileType}, and this export writes ${FILE_TYPES[entity]}: name a profile of that type`;
  }
  if (format.rowPath !== undefined) {
    return 'the profile reads nested files (rowPath), which exports cannot write: name a profile of a table';
  }
  if (writtenFormat(written).exports !== 'table') return null;
  const { encoding } = detectEncoding(Buffer.alloc(0), format.encoding);
  if (bom && !encoding.startsWith('utf-')) {
    return `the profile says ${encoding}, which has no byte order mark: leave out "bom"`;
  }
  const joined = continuationRows === undefined ? [] : columnsOfContinuation(continuationRows);
  const named = [...columns.flatMap(sourcesOf), ...skipRowsWhen.map(({ column }) => column), ...joined];
  const unwritable = named.find((column) => !isEncodable(column, encoding));
  if (unwritable !== undefined) return `the column ${quoted(unwritable)} cannot be written in ${encoding}`;
  const delimiter = format.delimiter ?? ',';
  const divided = format.quote === '' ? named.find((column) => column.includes(delimiter)) : undefined;
  if (divided === undefined) return null;
  return `the column ${quoted(divided)} has the delimiter in its name, and the profile has no quotes`;
}
