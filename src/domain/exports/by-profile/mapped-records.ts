/** Opens the rows of an export of attributes or categories that is written in the form of a profile. */
import { resolveAttributeHeader } from '../../catalog/attributes/attribute-columns.js';
import { parseAttributeRow } from '../../catalog/attributes/parse-attribute-row.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { writtenFormat } from '../model/export-format.js';
import type { ExportFormatting, ExportProfile } from '../model/export-spec.js';
import type { MappedRecordsBody, RecordsBody } from '../write/export-body.js';
import { hasStep, withoutRoot } from './mapped-rows.js';
import { type FilledRule, ProfileRows, type WrittenRecords } from './profile-rows.js';
import { WriteLosses } from './write-losses.js';

/** The column that identifies each kind of record. */
const KEYS = { attribute: 'attribute title', category: 'category path' } as const;

/** @param body the records in our own columns; cells with decimals have a point */
export function openMappedRecords(
  noun: keyof typeof KEYS,
  { header, records }: RecordsBody,
  { document }: Pick<ExportProfile, 'document'>,
  { format }: Pick<ExportFormatting, 'format'>,
): MappedRecordsBody {
  const places = new Map(header.map((column, index) => [columnKey(column), index]));
  const filled = document.columns.flatMap((rule): (FilledRule & { readonly at: number })[] => {
    if (rule.to === null) return [];
    const key = columnKey(rule.to);
    const asMade = key === KEYS.category && hasStep(rule, 'path') ? withoutRoot : (cell: string) => cell;
    return [{ rule, at: places.get(key) ?? -1, isKey: key === KEYS[noun], clears: false, asMade }];
  });
  const columns = filled.map(({ rule }) => rule.to ?? '');
  // The records are written one after the other: it is the one that is converted now.
  let current: readonly string[] = [];
  const standAlone = noun === 'attribute' ? attributeTest(header, columns) : categoryTest(columns);
  const written: WrittenRecords = {
    noun,
    standAlone: (read) => standAlone(read, current, places),
    isText: writtenFormat(format).exports === 'table',
  };
  async function* batches(): AsyncGenerator<(readonly string[])[]> {
    for await (const record of records) {
      current = record;
      yield [filled.map(({ at }) => record[at] ?? '')];
    }
  }
  return { rows: new ProfileRows(document, filled, new WriteLosses(), written), batches: batches() };
}

function columnKey(name: string): string {
  return attributeKey(name).replace(/\s+/g, ' ');
}

type StandAlone = (read: readonly string[], record: readonly string[], places: ReadonlyMap<string, number>) => boolean;

/** Without a part of its options, or without what completes its type, a row would define another attribute. */
function attributeTest(header: readonly string[], columns: readonly string[]): StandAlone {
  const whole = resolveAttributeHeader(header);
  const own = resolveAttributeHeader(columns);
  return (read, record) => {
    const part = parseAttributeRow(own, read, 'UPSERT');
    const all = parseAttributeRow(whole, record, 'UPSERT');
    if (Array.isArray(part) || Array.isArray(all)) return false;
    const { possibleTypes = [], mappings, draft } = part;
    const { type, ...others } = draft;
    const known = all.draft.type;
    const isType = type === undefined || type === known || (known !== undefined && possibleTypes.includes(known));
    return isType && isPartOf(mappings, all.mappings) && isPartOf(others, all.draft);
  };
}

/** Without its tree, a row of an alternate tree would be a category of the primary one. */
function categoryTest(columns: readonly string[]): StandAlone {
  const at = columns.findIndex((column) => columnKey(column) === 'type');
  return (read, record, places) => {
    const tree = record[places.get('type') ?? -1] ?? '';
    return tree === 'PRIMARY' || read[at] === tree;
  };
}

/** Whether everything that is said in one is said in the same way in the other; what is undefined says nothing. */
function isPartOf(part: unknown, whole: unknown): boolean {
  if (part === undefined) return true;
  if (typeof part !== 'object' || part === null || Array.isArray(part)) {
    return JSON.stringify(part) === JSON.stringify(whole);
  }
  return Object.entries(part).every(([name, value]) => isPartOf(value, Object(whole)[name]));
}
