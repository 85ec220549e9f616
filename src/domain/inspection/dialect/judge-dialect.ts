/** Judges by which delimiter and quote a text is divided. */
import type { EventLoopPacer } from '../../../platform/event-loop-pacer.js';
import { SEPARATOR_LINE } from '../../formats/csv/csv-header.js';
import type { CsvEscape } from '../../formats/csv/escaped-quotes.js';
import { quoted } from '../columns/sentences.js';
import { type Answer, ambiguous, certain, likely } from '../model/answer.js';
import { type Dialect, MAX_ROWS, type ParsedSample, type Quote } from './parse-sample.js';
import { mayBeOneColumn, USUAL_DELIMITERS, withoutRefuted } from './refuted-readings.js';
import { type ScoredDialect, scoreDialect } from './score-dialect.js';

const DELIMITERS = [',', ';', '\t', '|', ':', '^', '~', ' ', '#', '!', '*', '&', '_', '/', '\u001f', '\u0001'];
/** More characters say nothing new. */
const MAX_CHARACTERS = 48 * 1024;
const MAX_LINES = 200;
/** Another delimiter that scores so much of the best is a rival. */
const RIVAL = 0.85;
const LIKELY_RIVAL = 0.6;

export interface JudgedDialect {
  readonly delimiter: Answer<string>;
  readonly quote: Answer<string>;
  /** What stands before a quote within a cell; null: such a quote is doubled. */
  readonly escape: CsvEscape | null;
  readonly parsed: ParsedSample;
  /** Whether these are all rows of the file. */
  readonly isAll: boolean;
}

export interface GivenDialect {
  /** Null: it is to be judged. */
  readonly delimiter: string | null;
  readonly why: string;
}

/** @param given a delimiter that the format or the options name */
export async function judgeDialect(
  text: string,
  isWhole: boolean,
  given: GivenDialect,
  pacer: EventLoopPacer,
): Promise<JudgedDialect> {
  const sample = text.slice(0, MAX_CHARACTERS);
  const whole = isWhole && sample.length === text.length;
  const [, named] = SEPARATOR_LINE.exec(sample) ?? [];
  const fixed = given.delimiter ?? named ?? null;
  const scored: ScoredDialect[] = [];
  for (const dialect of candidates(sample, fixed)) {
    scored.push(scoreDialect(sample, dialect, whole));
    await pacer.pause();
  }
  // Of equals, the first: it is more usual.
  const all = scored.toSorted((a, b) => b.score - a.score);
  const ordered = withoutRefuted(all);
  const [best] = ordered as [ScoredDialect];
  // What makes a better table of the cells, and contradicts the header, is named.
  const refuted = all
    .slice(0, all.indexOf(best))
    .filter(({ width }) => width > 1)
    .map((each) => each.delimiter);
  const delimiter =
    fixed === null
      ? delimiterAnswer(best, ordered, refuted)
      : certain(
          fixed,
          given.delimiter === null ? `The first line of the file names the delimiter: ${quoted(fixed)}.` : given.why,
        );
  return {
    delimiter,
    quote: quoteAnswer(best, scored),
    escape: best.escape,
    parsed: best.parsed,
    isAll: whole && best.parsed.rows.length < MAX_ROWS,
  };
}

function candidates(sample: string, fixed: string | null): Dialect[] {
  const delimiters = fixed === null ? delimitersIn(sample) : [fixed];
  // Without any, the text has one column: that is compared as well, since "/" divides days, and "_" names.
  if (fixed === null && !delimiters.includes(',')) delimiters.push(',');
  const quotes: Quote[] = ['"'];
  if (/(?:^|[^\w])'|'(?:[^\w]|$)/m.test(sample)) quotes.push("'");
  if (sample.includes('"')) quotes.push('');
  const forms = quotes.flatMap((quote): Omit<Dialect, 'delimiter'>[] => {
    const doubled = { quote, escape: null };
    return quote !== '' && sample.includes(`\\${quote}`) ? [doubled, { quote, escape: '\\' }] : [doubled];
  });
  return delimiters.flatMap((delimiter) => forms.map((form) => ({ delimiter, ...form })));
}

/** Unusual ones must be in every other line at least: most lines of a table have a delimiter. */
function delimitersIn(sample: string): string[] {
  const lines = sample.split(/[\r\n]+/, MAX_LINES).filter((line) => line !== '');
  return DELIMITERS.filter((delimiter) =>
    USUAL_DELIMITERS.includes(delimiter)
      ? sample.includes(delimiter)
      : lines.filter((line) => line.includes(delimiter)).length * 2 >= lines.length,
  );
}

function delimiterAnswer(
  best: ScoredDialect,
  ordered: readonly ScoredDialect[],
  refuted: readonly string[],
): Answer<string> {
  const others = new Map<string, number>();
  for (const { delimiter, score, width } of ordered) {
    if (delimiter !== best.delimiter && width > 1 && !others.has(delimiter)) others.set(delimiter, score);
  }
  const within = (share: number) =>
    [...others].filter(([, score]) => score >= best.score * share).map(([sign]) => sign);
  if (best.width === 1)
    return likely(best.delimiter, 'No delimiter divides the rows: the file has one column.', within(RIVAL));
  const reason = `${quoted(best.delimiter)} divides ${best.parsed.rows.length} rows of the sample into ${best.width} cells each, with columns of one kind.`;
  const rivals = within(RIVAL);
  if (rivals.length > 0)
    return ambiguous(best.delimiter, `${reason} ${rivals.map(quoted).join(' and ')} may divide them as well.`, rivals);
  if (mayBeOneColumn(best)) {
    const isAbsent = (sign: string) => best.parsed.rows.every(({ cells }) => !cells.join('').includes(sign));
    const whole = DELIMITERS.find((sign) => sign !== best.delimiter && isAbsent(sign));
    const message = `${reason} It does not divide ${quoted(best.parsed.rows[0]?.cells[0] ?? '')} above them, which may be the name of one column: then name a delimiter that the file does not have.`;
    return ambiguous(best.delimiter, message, whole === undefined ? [] : [whole]);
  }
  const weak = [...new Set([...refuted, ...within(LIKELY_RIVAL)])].filter((sign) => sign !== best.delimiter);
  return weak.length > 0 ? likely(best.delimiter, reason, weak) : certain(best.delimiter, reason);
}

function quoteAnswer(best: ScoredDialect, scored: readonly ScoredDialect[]): Answer<string> {
  const { quote, escape: mark, parsed, delimiter, score } = best;
  if (quote === '') return likely('', 'Quotes stand within the cells and have no meaning.', ['"']);
  if (parsed.quoted === 0) return certain(quote, 'No cell of the sample is in quotes.');
  const within = mark === null ? '' : ' A backslash stands before quotes within them.';
  const reason = `${parsed.quoted} cells of the sample are in quotes (${quote}).${within}`;
  const rival = scored.find(
    (other) =>
      other.delimiter === delimiter && (other.quote !== quote || other.escape !== mark) && other.score >= score * 0.98,
  );
  if (rival === undefined) return certain(quote, reason);
  return likely(quote, reason, rival.quote === '' || rival.quote === quote ? [] : [rival.quote]);
}
