/** What is shown to people: colours and bars on a terminal only, tables, numbers and times. */
import { stripVTControlCharacters, styleText } from 'node:util';
import { type Params, SingleBar } from 'cli-progress';
import { whenInterrupted } from './interrupts.js';

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

type Format = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
type Style = Readonly<Record<Format, (text: string) => string>>;

/** Colours for an output; without a terminal, with NO_COLOR or with TERM=dumb the texts stay as they are. */
export function style(output: Output): Style {
  const isColoured = output.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  const format = (name: Format) => (text: string) =>
    isColoured ? styleText(name, text, { validateStream: false }) : text;
  return {
    bold: format('bold'),
    dim: format('dim'),
    red: format('red'),
    green: format('green'),
    yellow: format('yellow'),
    cyan: format('cyan'),
  };
}

/** Writes a line to standard output. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** Writes a line to standard error: what is not the result. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** How this program is called here: the commands that it suggests can be typed as they stand. */
const OWN_NAME = process.env.npm_lifecycle_event === 'longshore' ? 'npm run longshore --' : 'longshore';
const NEEDS_NO_QUOTES = /^[\p{L}\p{M}\p{N}@%+=:,./_-]+$/u;

/** The options by which the present command names its system and its data set. */
let placeOptions: readonly string[] = [];

/** Has the commands that are suggested go to the same system and data set as the present one. */
export function suggestFor(options: readonly string[]): void {
  placeOptions = options;
}

/** A command of this program that can be typed as it stands, also with file names that contain blanks. */
export function commandLine(...words: readonly string[]): string {
  // A login is for all data sets of an account.
  const at = placeOptions.findIndex((option) => option === '--stage' || option === '--channel');
  const place = words[0] === 'login' && at >= 0 ? placeOptions.slice(0, at) : placeOptions;
  return [OWN_NAME, asTyped(...words, ...place)].join(' ');
}

/** Words as a shell takes them. */
export function asTyped(...words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

function quoted(word: string): string {
  if (NEEDS_NO_QUOTES.test(word)) return word;
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The help, with the name by which the program is called here. What other programs read has no lines of npm in it. */
export function withOwnName(help: string): string {
  return help.replace(/^(Usage:| ) longshore (.*)$/gm, (line, before: string, rest: string) => {
    if (OWN_NAME === 'longshore') return line;
    const isRead = /--json|-o -|\|/.test(rest);
    return `${before} ${isRead ? OWN_NAME.replace('run', 'run -s') : OWN_NAME} ${rest}`;
  });
}

/** Writes a value as one JSON document. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Of a terminal that does not say how wide it is. */
const UNKNOWN_WIDTH = 160;
const GAP = 2;
const LEAST_LAST_COLUMN = 20;

/**
 * Prints columns without lines between them. On a terminal the last one is cut at its width; in a pipe nothing is cut. On a
 * terminal on which they have no room, each row is a paragraph with a line for each column.
 * @param head the titles
 * @param spare how many of the last columns are left out first
 */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[], spare = 0): void {
  const { bold } = style(process.stdout);
  const widths = head.map((title, column) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[column] ?? '')), widthOf(title)),
  );
  const last = widths.pop() ?? 0;
  const width = process.stdout.isTTY ? (process.stdout.columns ?? UNKNOWN_WIDTH) : Number.POSITIVE_INFINITY;
  const left = width - widths.reduce((sum, one) => sum + one + GAP, 0) - 1;
  if (process.stdout.isTTY && left < Math.min(last, LEAST_LAST_COLUMN)) {
    if (spare === 0) return printParagraphs(head, rows);
    const rest = rows.map((row) => row.slice(0, head.length - 1));
    return printTable(head.slice(0, -1), rest, spare - 1);
  }
  const room = Math.max(left, LEAST_LAST_COLUMN);
  const line = (cells: readonly string[]) =>
    print(
      cells
        .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell) + GAP)))
        .join('')
        .trimEnd(),
    );
  line(head.map((title) => bold(title)));
  for (const row of rows)
    linesOf(row.map((cell, column) => (column === head.length - 1 ? cut(cell, room) : cell))).forEach(line);
}

/** A row with line breaks in its cells has several lines. */
function linesOf(row: readonly string[]): string[][] {
  const parts = row.map((cell) => cell.split('\n'));
  const height = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) => parts.map((lines) => lines[at] ?? ''));
}

function printParagraphs(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const { bold } = style(process.stdout);
  const titleWidth = Math.max(...head.map(widthOf)) + GAP;
  for (const [index, row] of rows.entries()) {
    if (index > 0) print();
    for (const [column, title] of head.entries()) {
      const cell = (row[column] ?? '').replace(/\s+/g, ' ');
      if (cell !== '') print(`${bold(title)}${' '.repeat(titleWidth - widthOf(title))}${cell}`);
    }
  }
}

const SEGMENTER = new Intl.Segmenter();

/** The characters as people count them: a letter and its accent are one. */
function charactersOf(text: string): string[] {
  return Array.from(SEGMENTER.segment(text), ({ segment }) => segment);
}

/** Characters that take the place of two. */
const WIDE =
  /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;

/** Of its widest line, on a terminal. */
function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  const lines = stripVTControlCharacters(text).split('\n');
  return Math.max(...lines.map((line) => charactersOf(line).reduce((sum, one) => sum + (WIDE.test(one) ? 2 : 1), 0)));
}

function cut(text: string, width: number): string {
  const line = text.replace(/\s+/g, ' ');
  const characters = charactersOf(line);
  return characters.length > width ? `${characters.slice(0, width - 1).join('')}…` : line;
}

/** 12345 → 12,345 */
export function count(number: number): string {
  return number.toLocaleString('en-US');
}

/** "1 row", "2 rows" */
export function plural(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** Bytes for people: 1.2 MB */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Seconds for people: "45 s", "3 min", "2 h 5 min" */
function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How figures of a kind are written: in front of another one, and by themselves. */
interface Unit {
  readonly first: (number: number) => string;
  readonly alone: (number: number) => string;
}

export const ROWS: Unit = { first: count, alone: (number) => plural(number, 'row') };
export const BYTES: Unit = { first: size, alone: size };

interface Progress {
  /** Shows how much is done; `total` null: it is not known yet. */
  show(title: string, done: number, total: number | null, unit: Unit): void;
  end(): void;
}

/** A bar on standard error, with the rate and the time left; nothing without a terminal. */
export function progressBar(isWanted: boolean): Progress {
  const isPossible = process.stderr.isTTY === true && process.env.TERM !== 'dumb';
  if (!isWanted || !isPossible) return { show: () => undefined, end: () => undefined };
  let keepTidy: (() => void) | undefined;
  let bar: SingleBar | undefined;
  let current = '';
  let begun = { at: 0, done: 0 };
  const end = () => {
    keepTidy?.();
    keepTidy = undefined;
    bar?.stop();
    bar = undefined;
    current = '';
  };
  return {
    end,
    show: (title, done, total, unit) => {
      if (current !== title) {
        end();
        current = title;
        begun = { at: performance.now(), done };
        const options = { format: barLine, hideCursor: true, stream: process.stderr, linewrap: null };
        bar = new SingleBar({ ...options, emptyOnZero: true });
        // The cursor is hidden while the bar is there.
        keepTidy = whenInterrupted(end);
        bar.start(1, 0, { title, figures: '' });
      }
      const figures = figuresOf(done, total, unit, begun);
      bar?.setTotal(Math.max(total ?? 1, 1));
      bar?.update(total === null ? 0 : total === 0 ? 1 : done, { figures });
    },
  };
}

const BAR_WIDTH = 24;
const LEAST_BAR = 5;
const TITLE_WIDTH = 9;

/** One line, whatever the width of the terminal: a bar that is redrawn over two lines would fill the screen. */
function barLine(_: object, { progress }: Params, { title, figures }: { title: string; figures: string }): string {
  const { cyan } = style(process.stderr);
  const width = (process.stderr.columns ?? UNKNOWN_WIDTH) - 1;
  const room = Math.min(BAR_WIDTH, width - TITLE_WIDTH - figures.length - 2);
  if (room < LEAST_BAR) return cut(`${title} ${figures}`, width);
  const done = Math.round(progress * room);
  return `${title.padEnd(TITLE_WIDTH)} ${cyan('█'.repeat(done) + '░'.repeat(room - done))} ${figures}`;
}

function figuresOf(
  done: number,
  total: number | null,
  unit: Unit,
  begun: { readonly at: number; readonly done: number },
): string {
  if (total === null) return 'waiting';
  const seconds = (performance.now() - begun.at) / 1000;
  const rate = seconds > 0.5 ? (done - begun.done) / seconds : 0;
  const speed =
    rate > 0 && done < total ? `  ${unit.alone(Math.round(rate))}/s  ${duration((total - done) / rate)} left` : '';
  return `${unit.first(done)} of ${unit.alone(total)}${speed}`;
}
