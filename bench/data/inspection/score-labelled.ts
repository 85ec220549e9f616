/** Compares what an inspection answers with what it should. */
import type { Answer } from '../../../src/domain/inspection/model/answer.js';
import type { Inspection } from '../../../src/domain/inspection/model/inspection.js';
import { decodeText } from './decode-text.js';
import type { LabelledFile } from './labelled-files.js';

interface QuestionScore {
  right: number;
  all: number;
  /** Answers that were certain and wrong. */
  certainAndWrong: number;
  /** Which files were answered wrongly, and how. */
  readonly wrong: string[];
}

export type Scores = Map<string, QuestionScore>;

const PRICE = 2;
const AVAILABLE = 4;
const DATE = 5;
const CATEGORY = 6;
const COLOURS = 7;
const WIDTH = 8;

export async function scoreFile(scores: Scores, file: LabelledFile, inspection: Inspection): Promise<void> {
  for (const [question, answer] of Object.entries(await answersIn(inspection, file))) {
    const expected = question === 'encoding' ? 'right' : file.answers[question];
    if (expected === undefined) continue;
    const isOpen = answer.verdict === 'ambiguous';
    const isRight = expected === 'ambiguous' ? isOpen : !isOpen && answer.value === expected;
    const score = scores.get(question) ?? { right: 0, all: 0, certainAndWrong: 0, wrong: [] };
    scores.set(question, score);
    score.all += 1;
    if (isRight) score.right += 1;
    else score.wrong.push(`${file.name}: ${answer.value} (${answer.verdict}) instead of ${expected}: ${answer.reason}`);
    if (!isRight && answer.verdict === 'certain') score.certainAndWrong += 1;
  }
}

type Plain = Pick<Answer<string>, 'value' | 'verdict' | 'reason'>;

async function answersIn({ format, kind, columns }: Inspection, file: LabelledFile): Promise<Record<string, Plain>> {
  const price = columns[PRICE]?.number;
  const words = columns[AVAILABLE]?.boolean;
  const certainly = (value: string): Plain => ({ value, verdict: 'certain', reason: '' });
  const optional = (answer: Answer<unknown> | null | undefined): Plain =>
    answer === null || answer === undefined
      ? certainly('none')
      : { value: answer.value === null ? null : String(answer.value), verdict: answer.verdict, reason: answer.reason };
  const encoding = format.encoding.value ?? '';
  const isRead = (await decodeText(file.bytes, encoding)) === (await decodeText(file.bytes, file.encoding));
  return {
    encoding: { ...format.encoding, value: isRead ? 'right' : encoding },
    delimiter: optional(format.delimiter),
    headerRow: optional(format.headerRow),
    lastRows: certainly(String(format.lastRows)),
    kind: optional(kind),
    decimal: optional(price?.decimal),
    thousands: optional(price?.thousands),
    currency: certainly(price?.currency.join(' ') ?? 'none'),
    date: optional(columns[DATE]?.date?.formats),
    boolean: certainly(words === null || words === undefined ? 'none' : `${words.true}/${words.false}`),
    list: optional(columns[COLOURS]?.list),
    path: optional(columns[CATEGORY]?.path),
    unit: certainly(columns[WIDTH]?.number?.units.join(' ') ?? 'none'),
    types: typesOf(columns),
  };
}

function typesOf(columns: Inspection['columns']): Plain {
  const value = `${columns.map(({ type }) => type.value).join(' ')} (${columns.length})`;
  const isCertain = columns.every(({ type }) => type.verdict === 'certain');
  return { value, verdict: isCertain ? 'certain' : 'likely', reason: columns.map(({ type }) => type.reason).join(' ') };
}

/** A line for each question. */
export function scoreLines(scores: Scores): string[] {
  return [...scores].map(
    ([question, { right, all, certainAndWrong }]) =>
      `${question}: ${right} of ${all} right, ${certainAndWrong} certain and wrong`,
  );
}
