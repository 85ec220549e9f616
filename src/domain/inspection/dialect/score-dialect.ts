/**
 * Scores a delimiter and a quote by the table that they make of a sample: rows of one length, and columns of one kind
 * (as the paper on CleverCSV proposes: van den Burg, Nazábal and Sutton, 2019).
 */
import { type CellKind, CellKinds, likeness } from './cell-likeness.js';
import { type Dialect, type ParsedSample, parseSample } from './parse-sample.js';

/** The kinds of more cells say nothing new. */
const MAX_CELLS = 3_000;
/** What a text that is not divided at all scores, however much it is one; days and addresses say that they are whole. */
const ONE_COLUMN = 0.12;
const ONE_COLUMN_OF_WHOLES = 0.5;
/** So many of its cells. */
const LEAST_WHOLES = 0.9;

export interface ScoredDialect extends Dialect {
  readonly score: number;
  readonly parsed: ParsedSample;
  /** The length that most rows have. */
  readonly width: number;
}

/** Delimiters that are rare need clearer evidence; those that stand within days, addresses and names, the clearest. */
const WEIGHT: Readonly<Record<string, number>> = {
  ',': 1,
  ';': 1,
  '\t': 1,
  '|': 1,
  '^': 0.9,
  '~': 0.9,
  ':': 0.7,
  ' ': 0.6,
  '\u001f': 0.9,
  '\u0001': 0.9,
  '/': 0.35,
  _: 0.35,
};
const OTHER_WEIGHT = 0.6;

export function scoreDialect(text: string, dialect: Dialect, isWhole: boolean): ScoredDialect {
  const { delimiter } = dialect;
  const parsed = parseSample(text, dialect, isWhole);
  const width = widthOf(parsed);
  const rows = parsed.rows.filter(({ cells }) => cells.length === width);
  const regular = parsed.rows.length === 0 ? 0 : rows.length / tableRows(parsed, width);
  const { like, steady, whole } = judgeCells(
    rows.map(({ cells }) => cells),
    width,
    delimiter,
  );
  const oneColumn = whole >= LEAST_WHOLES ? ONE_COLUMN_OF_WHOLES : ONE_COLUMN;
  const divided = width > 1 ? (width - 1) / width : oneColumn;
  const strayShare = parsed.stray / Math.max(1, parsed.quoted + parsed.stray);
  const weight = width > 1 ? (WEIGHT[delimiter] ?? OTHER_WEIGHT) : 1;
  const score = divided * regular ** 2 * like ** 2 * (0.5 + 0.5 * steady) * (1 - 0.7 * strayShare) * weight;
  return { ...dialect, score, parsed, width };
}

/** The length that most rows have; rows of one cell are titles if others are longer. */
function widthOf({ rows }: ParsedSample): number {
  const counts = new Map<number, number>();
  for (const { cells } of rows) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const [most = [1, 0]] = [...counts].sort(([a, m], [b, n]) => n - m || b - a);
  return most[0];
}

/** The rows from the first to the last of the usual length: title lines above and notes below do not count. */
function tableRows({ rows }: ParsedSample, width: number): number {
  const isUsual = ({ cells }: { cells: readonly string[] }) => cells.length === width;
  const first = rows.findIndex(isUsual);
  const last = rows.findLastIndex(isUsual);
  const outside = rows.length - (last - first + 1);
  // What is left out must be less than the table.
  return last - first + 1 + Math.max(0, outside - Math.min(12, (last - first + 1) / 2));
}

function judgeCells(
  rows: readonly (readonly string[])[],
  width: number,
  delimiter: string,
): { like: number; steady: number; whole: number } {
  const kinds = new CellKinds();
  const used = rows.slice(0, Math.max(10, Math.floor(MAX_CELLS / Math.max(1, width))));
  let like = 0;
  let cells = 0;
  let steady = 0;
  let wholes = 0;
  let allFilled = 0;
  for (let column = 0; column < width; column += 1) {
    const counts = new Map<CellKind, number>();
    for (const [index, row] of used.entries()) {
      const cell = row[column] ?? '';
      const kind = kinds.of(cell);
      like += likeness(cell, kind, delimiter);
      cells += 1;
      // The header is of another kind than its column.
      if (index > 0 && kind !== 'empty') counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    const filled = [...counts.values()].reduce((sum, count) => sum + count, 0);
    steady += filled === 0 ? 1 : Math.max(...counts.values()) / filled;
    wholes += (counts.get('date') ?? 0) + (counts.get('url') ?? 0);
    allFilled += filled;
  }
  return {
    like: cells === 0 ? 0 : like / cells,
    steady: width === 0 ? 0 : steady / width,
    whole: allFilled === 0 ? 0 : wholes / allFilled,
  };
}
