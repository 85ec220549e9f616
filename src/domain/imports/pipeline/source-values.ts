/** Makes what is reported about a file with a profile quote what its source holds, and not what was made of it. */
import { csvRows, parseCsvChunk } from '../../formats/csv/parse-csv-chunk.js';
import { WORKBOOK_DELIMITER } from '../../formats/model/workbook-column.js';
import { isMarked } from '../../formats/xlsx/rows/marked-cell.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { quoted } from '../../kernel/value-problem.js';
import type { ChunkResult } from '../../outcomes/model/chunk-result.js';
import type { Warnings } from '../../outcomes/model/warnings.js';
import type { KeptProfile } from '../../profiles/model/kept-profile.js';
import { sourceTexts } from '../../profiles/source-texts.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';
import type { InputPlan } from '../rows/input-plan.js';
import type { ChunkSource } from './chunk-source.js';

/** The result of a chunk, whose failures and warnings quote the source. @param source null: there is no other */
export function quotingSource<Result extends Pick<ChunkResult, 'failures' | 'warnings'>>(
  source: ChunkSource | null,
  job: ImportJob,
  plan: InputPlan,
  result: Result,
): Result {
  const { profile }: Partial<ImportOptions> = job.options;
  const { originals, sourceNames } = plan;
  if (source === null || !profile || originals === undefined || sourceNames === undefined) return result;
  const { failures } = result;
  const warnings = result.warnings === undefined ? undefined : withShownExamples(result.warnings);
  const quotes = [
    ...failures.flatMap(({ row, problems }) => (problems.some(isOfValue) ? [row] : [])),
    ...(warnings?.noted.flatMap(({ examples }) => examples.map(([row]) => row)) ?? []),
  ];
  if (quotes.length === 0) return result;
  const rowOf = readRows(source, profile.document, originals, new Set(quotes), sourceNames);
  return {
    ...result,
    failures: failures.map((failure) => {
      const row = rowOf(failure.row);
      return { ...failure, problems: failure.problems.map((problem) => withSourceValue(problem, row)) };
    }),
    ...(warnings === undefined ? {} : { warnings: withSourceExamples(warnings, rowOf) }),
  };
}

/** A row, in the columns of ours. */
interface MappedRow {
  /** The cells that the import has read. */
  readonly cells: readonly string[];
  /** What the source holds for each of them. */
  readonly sources: readonly string[];
  /** What the source of each column is called, as what is reported names it. */
  readonly names: readonly string[];
}

function readRows(
  source: ChunkSource,
  document: KeptProfile['document'],
  originals: NonNullable<InputPlan['originals']>,
  wanted: ReadonlySet<number>,
  names: readonly string[],
): (row: number) => MappedRow {
  const sources = readSources(source, document, originals, wanted);
  const cells = new Map<number, readonly string[]>();
  const options = { delimiter: WORKBOOK_DELIMITER, columns: names.length, firstRow: source.firstRow };
  for (const row of csvRows(source.lines, { ...options, keepMarked: true })) {
    if (wanted.has(row.row)) cells.set(row.row, row.cells);
    if (cells.size === wanted.size) break;
  }
  return (row) => ({ cells: cells.get(row) ?? [], sources: sources.get(row) ?? [], names });
}

/** What the source holds for each column of ours, in some of its rows. */
function readSources(
  source: ChunkSource,
  { columns: rules }: KeptProfile['document'],
  { delimiter, quote, columns }: NonNullable<InputPlan['originals']>,
  wanted: ReadonlySet<number>,
): ReadonlyMap<number, readonly string[]> {
  const textsOf = sourceTexts(rules, columns);
  const sources = new Map<number, readonly string[]>();
  for (const { row, bytes } of source.originals()) {
    if (!wanted.has(row)) continue;
    if (delimiter === null) sources.set(row, JSON.parse(bytes.toString('utf8')));
    else {
      const [parsed] = parseCsvChunk(bytes, { delimiter, quote, columns: -1, firstRow: row });
      sources.set(row, textsOf(parsed?.cells ?? []));
    }
  }
  return sources;
}

function isOfValue({ code, value = '' }: RowProblem): boolean {
  return value !== '' && code !== 'PROFILE_STEP_FAILED';
}

function withSourceValue(problem: RowProblem, row: MappedRow): RowProblem {
  const { column, value = '', message } = problem;
  if (!isOfValue(problem) || column === null) return problem;
  const found = findSource(row, column, (cell) => isValueOf(value, cell.trim()));
  if (found === undefined) return problem;
  let restated = message;
  for (const written of new Set([found.cell, found.cell.trim(), value]))
    restated = restated.replaceAll(quoted(written), () => quoted(found.source));
  return { ...problem, message: restated, value: found.source };
}

/** Of each line the example that is shown: that of the first of its rows that has one. */
function withShownExamples(warnings: Warnings): Warnings {
  const noted = warnings.noted.map((line) => {
    const rows = new Set(line.rows);
    return { ...line, examples: line.examples.filter(([row]) => rows.has(row)).slice(0, 1) };
  });
  return { ...warnings, noted };
}

/** An example begins with the value that it is about. */
function withSourceExamples(warnings: Warnings, rowOf: (row: number) => MappedRow): Warnings {
  const restated = (column: string, row: number, text: string): string => {
    const found = findSource(rowOf(row), column, (cell) => writtenIn(text, cell) !== undefined);
    if (found === undefined) return text;
    return `${quoted(found.source)}${text.slice(writtenIn(text, found.cell)?.length ?? 0)}`;
  };
  const noted = warnings.noted.map((line) => ({
    ...line,
    examples: line.examples.map(([row, text]) => [row, restated(line.column, row, text)] as const),
  }));
  return { ...warnings, noted };
}

/** How the cell is quoted at the beginning of a text. */
function writtenIn(text: string, cell: string): string | undefined {
  return [cell, cell.trim()].map(quoted).find((written) => text.startsWith(written));
}

/** @returns undefined also if the source holds what was made of it */
function findSource(
  { cells, sources, names }: MappedRow,
  column: string,
  isMeant: (cell: string) => boolean,
): { readonly cell: string; readonly source: string } | undefined {
  const at = cells.findIndex((cell, index) => names[index] === column && !isMarked(cell) && isMeant(cell));
  const cell = cells[at];
  const source = sources[at];
  return cell === undefined || source === undefined || source === '' || source === cell ? undefined : { cell, source };
}

/** Values are cut. */
function isValueOf(value: string, cell: string): boolean {
  const trimmed = value.trim();
  return cell === trimmed || (trimmed.length >= MIN_CUT && cell.startsWith(trimmed.slice(0, MIN_CUT)));
}

const MIN_CUT = 150;
