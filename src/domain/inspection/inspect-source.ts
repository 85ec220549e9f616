/** Inspects a client's own file. */
import { EventLoopPacer } from '../../platform/event-loop-pacer.js';
import { FILE_FORMATS } from '../formats/file-format.js';
import { writtenNames } from '../formats/table/header-groups.js';
import { openTable } from '../formats/table/open-table.js';
import type { OpenTable, TableInput } from '../formats/table/table.js';
import { ApartRowsFinder } from './apart-rows.js';
import { ColumnFacts } from './columns/column-facts.js';
import { noteOf } from './columns/column-note.js';
import { localesOf } from './columns/header-locale.js';
import { judgeValues } from './columns/judge-column.js';
import { KeptRoom, KeptValues } from './columns/kept-values.js';
import { HashRoom } from './columns/unique-values.js';
import { type AskedForm, type DetectedFormat, detectTextFormat } from './detect-format.js';
import { detectNestedFormat } from './detect-nested.js';
import { detectSheetFormat } from './detect-sheet.js';
import { judgeKind } from './kind/judge-kind.js';
import { levelColumns } from './kind/level-columns.js';
import { judgeNestedKind } from './kind/nested-columns.js';
import type { Column } from './model/column.js';
import type { ColumnNote, KeptColumn, StoredInspection } from './model/inspection.js';
import { TableFacts } from './table-facts.js';

/** Hashes of values of which none was found twice, in memory: 16 MB. */
const HASHES_IN_MEMORY = 2_000_000;
const SAMPLED_VALUES = 40_000;
const MOST_SAMPLED = 200;
const LEAST_SAMPLED = 20;
/** Values that are no texts, such as numbers, are options only if there are few. */
const MOST_OPTIONS = 200;

/**
 * Reads all rows of a source once, after a look at its bytes, and says how it is written and what its columns are. Nothing
 * is written anywhere but to scratch files.
 * @param report is called now and then with the number of rows read
 * @param asked what is known of its form besides the options of the input, which name an encoding, a delimiter or a sheet
 * @throws RejectedInput when the source cannot be read as a table; the signal's reason when it is aborted
 */
export async function inspectSource(
  input: TableInput,
  report?: (rows: number) => void,
  asked: AskedForm = {},
): Promise<StoredInspection> {
  const detected = await detect(input, asked);
  const table = await openTable(input, detected.options);
  const columns = table.names.length;
  const room = new HashRoom(HASHES_IN_MEMORY, columns, () => input.createScratch());
  try {
    const sampled = Math.max(LEAST_SAMPLED, Math.min(MOST_SAMPLED, Math.floor(SAMPLED_VALUES / columns)));
    const keptRoom = new KeptRoom();
    const levels = levelColumns(table.names);
    const facts = new TableFacts(
      table.names.map(() => new ColumnFacts(room, keptRoom, sampled)),
      table.format.rowPath === null,
      table.format.rowPath === null ? new ApartRowsFinder(writtenNames(table)) : null,
      levels === null ? null : { columns: levels, kept: new KeptValues(keptRoom) },
    );
    const pacer = new EventLoopPacer(input.signal);
    for await (const batch of table.batches) {
      await room.prepare(batch.length, columns);
      for (const [index, row] of batch.entries()) {
        facts.add(row);
        if (index % 64 === 63) await pacer.pause();
      }
      report?.(facts.rows);
    }
    facts.finish();
    report?.(facts.rows);
    return await inspectionOf(table, detected, facts, pacer);
  } finally {
    await table.batches.return();
    room.close();
  }
}

function detect(input: TableInput, asked: AskedForm): Promise<DetectedFormat> {
  const { reads, rows } = FILE_FORMATS[input.format];
  if (rows !== 'table') return detectNestedFormat(input, asked);
  return reads === 'text' ? detectTextFormat(input, asked) : detectSheetFormat(input, asked);
}

async function inspectionOf(
  table: OpenTable,
  { answers, notes: said = [] }: DetectedFormat,
  facts: TableFacts,
  pacer: EventLoopPacer,
): Promise<StoredInspection> {
  const { rowPath } = table.format;
  const locales = localesOf(table.names);
  const written = writtenNames(table);
  const seen = new Set<string>();
  const columns: Column[] = [];
  const kept: KeptColumn[] = [];
  const notes: ColumnNote[] = [];
  for (const [index, name] of table.names.entries()) {
    const column = facts.columns[index] as ColumnFacts;
    const { isUnique } = await column.finish(() => pacer.pause());
    const header = (written[index] ?? '').trim().normalize('NFC').toLowerCase();
    columns.push({
      ...{ index, name, locale: locales[index] ?? null },
      ...{ isBlank: header === '', isRepeated: header !== '' && seen.has(header) },
      ...{ filled: column.filled, longest: column.longest, examples: [...column.examples] },
      ...{ isUnique: isUnique && column.filled > 0, ...countOf(column, isUnique) },
      values: column.values === null ? null : [...column.values],
      ...judgeValues(column, facts.rows, name),
    });
    kept.push(...keptOf(column, columns.at(-1) as Column));
    const note = noteOf(index, column.signatures, column.filled);
    if (note !== null) notes.push(note);
    seen.add(header);
    await pacer.pause();
  }
  return {
    kind: rowPath === null ? judgeKind(columns) : judgeNestedKind(columns, rowPath),
    format: {
      ...answers,
      titleLines: [...table.titleLines],
      ...{ lastRows: facts.lastRows, sheet: table.format.sheet, notes: [...said] },
    },
    rows: facts.rows,
    sample: [...facts.sample],
    columns,
    ...{ kept, notes },
    ...levelsOf(facts),
    ...apartOf(facts),
  };
}

function apartOf({ apart, columns, rows, raggedRows }: TableFacts): Pick<StoredInspection, 'apart'> {
  const found = apart?.found(columns, rows - raggedRows) ?? null;
  return found === null ? {} : { apart: found };
}

function levelsOf({ levels }: TableFacts): Pick<StoredInspection, 'levels'> {
  if (levels === null) return {};
  const { columns, kept } = levels;
  return { levels: { columns: [...columns], values: [...(kept.values ?? [])], isComplete: kept.isComplete } };
}

/** The values of columns that may be options or categories: incomplete lists only of paths. */
function keptOf({ kept: { values, isComplete } }: ColumnFacts, { index, type, path, distinct, isUnique }: Column) {
  if (values === null || values.length === 0) return [];
  const isWanted =
    path !== null || (isComplete && (type.value === 'text' || distinct <= MOST_OPTIONS) && !(isUnique && distinct > 1));
  return isWanted ? [{ index, values: [...values], isComplete }] : [];
}

/** If no value occurs twice, there are as many as cells. */
function countOf(
  { filled, distinct, repeated }: ColumnFacts,
  isUnique: boolean,
): Pick<Column, 'distinct' | 'distinctIsExact' | 'duplicates'> {
  if (isUnique) {
    return { distinct: filled, distinctIsExact: true, duplicates: { count: 0, isExact: true, examples: [] } };
  }
  const { isExact } = distinct;
  const found = Math.min(distinct.count(), filled);
  // What was found twice is known, whatever the estimate says; that some value is, the hashes say.
  const count = isExact ? filled - found : Math.max(filled - found, repeated.count, 1);
  return { distinct: found, distinctIsExact: isExact, duplicates: { count, isExact, examples: repeated.examples() } };
}
