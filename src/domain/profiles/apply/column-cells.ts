/** Makes the cells of one column of ours from the cells of the source, by its rule. */
import { TEXT_COLUMN, type WorkbookColumn } from '../../formats/model/workbook-column.js';
import { markedCell, shownText } from '../../formats/xlsx/rows/marked-cell.js';
import { WHOLE } from '../../formats/xlsx/rows/sheet-cells.js';
import type { ColumnRule } from '../model/column-rule.js';
import { writerOf } from './byte-cells.js';
import type { WriteCell } from './cell-writer.js';
import { remembered } from './remembered.js';
import { isFilled, joinerOf, sourceTextOf } from './source-text.js';
import { type Meaning, StepChain } from './step-chain.js';
import { ambiguousIn, refusedCell, stepFailedCell, textCell, valueCell } from './written-cell.js';

/** What the types of a table's cells mean; texts and marked cells are not among them. */
const MEANINGS: Readonly<Record<string, Meaning | undefined>> = { n: 'number', d: 'date', i: 'date', b: 'boolean' };
const MARKED = '!';

export interface ColumnCells {
  /** The column of the source, if the rule reads a single one whole; -1: `of` makes the cell of the whole row. */
  readonly single: number;
  /** The columns of the source that the rule reads. */
  readonly sources: readonly number[];
  /** Writes the cell made of the bytes of the single column. */
  readonly write: WriteCell;
  /** Whether an empty cell of the source may get a value. */
  readonly fillsEmpty: boolean;
  /** The cell made of the text of that column. */
  readonly ofText: (text: string) => string;
  /** The cell made of a cell of that column, which has a type: see TableRow. */
  readonly ofTyped: (text: string, type: string) => string;
  /** The cell made of a row. @param types null: all cells are texts */
  readonly of: (cells: readonly string[], types: string | null) => string;
  /** What a row of the source holds for the column, before any step. */
  readonly textOf: (cells: readonly string[]) => string;
}

interface Source {
  /** Indexes of the columns of the source. */
  readonly at: readonly number[];
  /** What messages call these. */
  readonly name: string;
}

/** @param column how the reader of our column reads cells; undefined: as texts */
export function columnCells(rule: ColumnRule, source: Source, column: WorkbookColumn = TEXT_COLUMN): ColumnCells {
  const to = rule.to ?? '';
  const chain = new StepChain(rule.steps, to);
  const ambiguous = ambiguousIn(column);
  const convert = (text: string, meaning: Meaning): string => {
    const made = chain.run(text, meaning);
    if (typeof made !== 'string') return stepFailedCell(made, source.name, text);
    if (chain.meaning === 'text') return textCell(made, ambiguous);
    const isGiven = chain.meaning === meaning && made === text && !chain.reads.has(meaning as never);
    return isGiven ? givenCell(text, meaning, column) : valueCell(made, chain.meaning, column);
  };
  const ofText =
    rule.steps.length === 0
      ? (text: string) => textCell(text, ambiguous)
      : remembered((text: string) => convert(text, 'text'));
  const ofTyped = (text: string, type: string): string => {
    if (type === MARKED) return refusedCell(text);
    const meaning = MEANINGS[type];
    return meaning === undefined ? ofText(text) : convert(text, meaning);
  };
  const joinWith = joinerOf(rule);
  const textOf = sourceTextOf(rule, source.at);
  const write = writerOf(rule.steps, column, ofText);
  const { fillsEmpty } = chain;
  // Each as one literal, so that all columns have the same hidden class: of spreads, each would have its own.
  const cells = (single: number, of: ColumnCells['of']): ColumnCells => {
    return { single, sources: source.at, write, fillsEmpty, ofText, ofTyped, of, textOf };
  };
  const { constant } = rule;
  if (constant !== undefined) {
    const written = ofText(constant);
    return cells(-1, () => written);
  }
  const [first = -1, ...others] = source.at;
  if (others.length === 0 && rule.split === undefined) {
    const of = (row: readonly string[], types: string | null) => {
      const text = row[first] ?? '';
      return types === null ? ofText(text) : ofTyped(text, types.charAt(first));
    };
    return cells(first, of);
  }
  const part = partOf(rule);
  const of = (row: readonly string[], types: string | null): string => {
    const at = joinWith === null ? source.at.find((index) => isFilled(row[index])) : first;
    if (types !== null) {
      const marked = source.at.find((index) => types.charAt(index) === MARKED);
      if (marked !== undefined && (joinWith !== null || marked === at)) return refusedCell(row[marked] ?? '');
      if (joinWith === null && part === null) return ofTyped(row[at ?? first] ?? '', types.charAt(at ?? first));
    }
    const text = joinWith === null ? (row[at ?? first] ?? '') : textOf(row);
    return ofText(part === null ? text : part(text));
  };
  return cells(-1, of);
}

/** The part of a cell that a rule reads; null: all of it. */
function partOf({ split }: ColumnRule): ((text: string) => string) | null {
  if (split === undefined) return null;
  const { separator, part = 1, start = 1, end } = split;
  if (separator !== undefined) return (text) => text.split(separator)[part - 1]?.trim() ?? '';
  return (text) =>
    [...text]
      .slice(start - 1, end)
      .join('')
      .trim();
}

/** A cell of a workbook that no step has read: as the cells of a workbook without a profile. */
function givenCell(text: string, meaning: Meaning, column: WorkbookColumn): string {
  if (meaning === 'number' && column.kind === 'text' && !WHOLE.test(text)) return markedCell('n', text);
  if (meaning === 'date' && column.writeDate === null) return refusedCell(markedCell('d', shownText(text)));
  return meaning === 'text' ? textCell(text, null) : valueCell(text, meaning, column);
}
