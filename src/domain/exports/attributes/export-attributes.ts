/** Exports attributes to a file that an attribute import reads: by position, with full definitions, without ids. */
import type { QueryBuilder } from 'objection';
import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import { AttributeMapping } from '../../../../db/models/attribute-mapping.js';
import { definitionFromColumns } from '../../catalog/attribute-record.js';
import { attributeExportHeader } from '../../catalog/attributes/attribute-columns.js';
import { attributeToCells, valueColumnsOf } from '../../catalog/attributes/attribute-to-cells.js';
import { decimalCells } from '../../catalog/attributes/decimal-cells.js';
import type { AttributeDefinition, AttributeMapping as MappingName } from '../../catalog/model/attribute-definition.js';
import { ATTRIBUTE_MAPPINGS } from '../../catalog/model/attribute-definition.js';
import { attributesChangedSince } from '../../changes/definitions-since.js';
import type { FeedPlace } from '../../changes/feed-cursor.js';
import type { Cell } from '../../formats/xlsx/cell.js';
import { decimalCell } from '../../formats/xlsx/decimal-cell.js';
import { writtenFormat } from '../model/export-format.js';
import type { AttributeMatch, ExportFormatting } from '../model/export-spec.js';
import type { LinesBody, RecordsBody } from '../write/export-body.js';
import { whereChanged } from '../write/where-changed.js';
import { withOperation } from '../write/with-operation.js';
import { leftAttributes } from './left-attributes.js';

const ROWS_A_QUERY = 500;
/** The number of value columns in the template. */
const LEAST_VALUE_COLUMNS = 5;

interface AttributeScope {
  readonly siteId: number;
  /** Only attributes changed up to this instant; null: all. */
  readonly date: string | null;
  readonly match: AttributeMatch;
  /** Only attributes changed after this place in the feed of changes, and those that are gone or left the filter since. */
  readonly since?: FeedPlace | undefined;
}

export async function attributeExport(
  trx: Db,
  scope: AttributeScope,
  formatting: ExportFormatting,
): Promise<LinesBody | RecordsBody> {
  const matching = matchingAttributes(trx, scope);
  if (scope.since === undefined) return attributeBody(trx, scope.siteId, matching, formatting);
  const changed = await attributesChangedSince(trx, scope.siteId, scope.since);
  const left = await leftAttributes(trx, scope, changed, matching);
  const ids = [...new Set(changed.map(({ id }) => id))];
  return withOperation(
    await attributeBody(trx, scope.siteId, matching.clone().whereRaw('id = ANY (?)', [ids]), formatting),
    left,
  );
}

async function attributeBody(
  trx: Db,
  siteId: number,
  matching: QueryBuilder<Attribute>,
  formatting: ExportFormatting,
): Promise<LinesBody | RecordsBody> {
  const mappings = await loadMappings(trx, siteId);
  if (writtenFormat(formatting.format).exports === 'lines') return { lines: jsonLines(matching, mappings) };
  let valueColumns = LEAST_VALUE_COLUMNS;
  let withMappings = false;
  for await (const definition of definitions(matching)) {
    valueColumns = Math.max(valueColumns, valueColumnsOf(definition));
    withMappings ||= mappings.has(definition.id);
  }
  const header = attributeExportHeader(valueColumns, withMappings);
  return {
    header,
    cellsOf: (record) => {
      const cells: Cell[] = [...record];
      for (const { index, text } of decimalCells(header, record)) cells[index] = decimalCell(text);
      return cells;
    },
    records: records(matching, { valueColumns, mappings: withMappings ? mappings : null }, formatting),
  };
}

function matchingAttributes(
  trx: Db,
  { siteId, date, match: { ids, nameKeys, types, createdAt, updatedAt } }: AttributeScope,
): QueryBuilder<Attribute> {
  const query = Attribute.query(trx).where({ site_id: siteId });
  whereChanged(query, { date, createdAt, updatedAt });
  if (ids !== undefined) query.whereIn('id', [...ids]);
  if (nameKeys !== undefined) query.whereIn('name_key', [...nameKeys]);
  if (types !== undefined) query.whereIn('type', [...types]);
  return query;
}

async function* definitions(matching: QueryBuilder<Attribute>): AsyncGenerator<AttributeDefinition> {
  for (let offset = 0; ; offset += ROWS_A_QUERY) {
    const rows = await matching.clone().orderBy(['position', 'id']).offset(offset).limit(ROWS_A_QUERY);
    for (const row of rows) yield definitionFromColumns(row);
    if (rows.length < ROWS_A_QUERY) return;
  }
}

async function* records(
  matching: QueryBuilder<Attribute>,
  { valueColumns, mappings }: { readonly valueColumns: number; readonly mappings: MappingsById | null },
  { decimalSeparator }: ExportFormatting,
): AsyncGenerator<string[]> {
  for await (const definition of definitions(matching)) {
    const own = mappings === null ? null : (mappings.get(definition.id) ?? []);
    yield attributeToCells(definition, valueColumns, decimalSeparator, own);
  }
}

/** Yields the attributes as elements that a bulk request accepts. */
async function* jsonLines(matching: QueryBuilder<Attribute>, mappings: MappingsById): AsyncGenerator<string> {
  for await (const { id, position: _, name, type, ...rest } of definitions(matching)) {
    const own = mappings.get(id);
    const mapping = own?.length === 1 ? own[0] : own;
    yield `${JSON.stringify({ name, type, ...rest, ...(mapping === undefined ? {} : { mapping }) })}\n`;
  }
}

/** Attribute id → the mappings that name it. */
type MappingsById = ReadonlyMap<string, readonly MappingName[]>;

async function loadMappings(trx: Db, siteId: number): Promise<MappingsById> {
  const rows = await AttributeMapping.query(trx).where({ site_id: siteId });
  const mappings = new Map<string, MappingName[]>();
  for (const name of ATTRIBUTE_MAPPINGS) {
    const id = rows.find(({ mapping }) => mapping === name)?.attribute_id;
    if (id !== undefined) mappings.set(id, [...(mappings.get(id) ?? []), name]);
  }
  return mappings;
}
