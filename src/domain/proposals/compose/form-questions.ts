/**
 * The questions about how a file is written: encoding, delimiter, header, sheet and row path. Another reading than the one
 * of the proposal makes other columns, or other names and values of them, which only another inspection tells.
 */
import type { Answer } from '../../inspection/model/answer.js';
import { quoted } from '../../kernel/value-problem.js';
import type { OpenAnswer } from '../../profiles/model/open-question.js';
import type { InspectedRows } from '../model/inspection-job.js';
import type { Draft } from './draft.js';

type About = 'encoding' | 'delimiter' | 'headerRow' | 'sheet' | 'rowPath';

const MOST_OFFERED = 6;
const MAX_EXAMPLE = 200;

/** @param asked what was asked for, and is no question */
export function askAboutForm(draft: Draft, asked: InspectedRows): void {
  const { encoding, delimiter, headerRow, sheetChoice, rowPath } = draft.inspection.format;
  const header = draft.header();
  const open = <Value>(about: About, answer: Answer<Value> | null): answer is Answer<Value> =>
    answer !== null && asked[about] === undefined && isOpen(about, answer);
  if (open('encoding', encoding)) {
    const label = (value: string) => `the text is ${value}`;
    ask(draft, 'encoding', `Which encoding does the file have? ${encoding.reason}`, encoding, label, header);
  }
  if (open('delimiter', delimiter)) {
    const label = (value: string) => `the cells are divided by ${value === '\t' ? 'a tab' : quoted(value)}`;
    ask(draft, 'delimiter', `Which is the delimiter? ${delimiter.reason}`, delimiter, label, header);
  }
  if (open('sheet', sheetChoice)) {
    const label = (value: string) => `the rows are in the sheet ${quoted(value)}`;
    ask(draft, 'sheet', `Which sheet has the rows? ${sheetChoice.reason}`, sheetChoice, label, header);
  }
  if (open('rowPath', rowPath)) {
    const label = (value: string) => `the rows are at ${quoted(value)}`;
    ask(draft, 'rowPath', `Which are the rows? ${rowPath.reason}`, rowPath, label, header);
  }
  if (!draft.isNested && open('headerRow', headerRow)) {
    const label = (row: number) => `row ${row} has the names of the columns`;
    const question = `Which row names the columns? ${headerRow.reason}`;
    ask(draft, 'headerRow', question, headerRow, label, header, (row) => ({ row, example: textOfRow(draft, row) }));
  }
}

/** A header without which nothing is known is asked about, and one that another row may be as well. */
function isOpen(about: About, { verdict, value, rivals }: Answer<unknown>): boolean {
  if (verdict === 'ambiguous') return true;
  return about === 'headerRow' && verdict === 'likely' && (value === null || rivals.length > 0);
}

/** @param shownBy a row that shows another reading; without it, none does */
function ask<Value extends string | number>(
  draft: Draft,
  about: About,
  question: string,
  { value, rivals }: Answer<Value>,
  labelOf: (value: Value) => string,
  header: Pick<OpenAnswer, 'row' | 'example'>,
  shownBy?: (value: Value) => Pick<OpenAnswer, 'row' | 'example'>,
): void {
  const readings = [...(value === null ? [] : [value]), ...rivals].slice(0, MOST_OFFERED);
  const answers = readings.map((reading, index): OpenAnswer => {
    const format = { [about]: reading };
    // The first is the one of this proposal, if the file has one.
    if (index === 0) {
      return { value: String(reading), label: `${labelOf(reading)}, as in this proposal`, ...header, format };
    }
    const label = `${labelOf(reading)}, for which another proposal has to be made`;
    return { value: String(reading), label, ...(shownBy?.(reading) ?? { row: header.row, example: '' }), format };
  });
  if (answers.length > 0) draft.questions.push({ about, column: null, question, readings: answers });
}

/** What a row has, as far as the inspection keeps it. */
function textOfRow({ inspection: { format, sample } }: Draft, row: number): string {
  const above = format.titleLines[row - 1];
  const text = above ?? sample.find((each) => each.row === row)?.cells.join(', ') ?? '';
  return text.slice(0, MAX_EXAMPLE);
}
