/** The output of the demo: steps, tables and a progress bar, or plain lines without a terminal. */

export interface Screen {
  line(text?: string): void;
  step(title: string, what: string): void;
  /** @param rows cells; columns are as wide as their widest cell, and lines are cut at the width of the screen */
  table(rows: readonly (readonly string[])[]): void;
  /** Shows the progress. */
  progress(done: number, total: number): void;
  /** Ends the display of progress. */
  progressEnded(): void;
}

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const TITLE_WIDTH = 17;
const BAR_WIDTH = 40;
const WIDTH_WITHOUT_TERMINAL = 160;
/** A narrower terminal wraps lines, because shorter messages would not be understood. */
const LEAST_WIDTH = 120;
/** Without a terminal, progress is written each time that it has grown by this. */
const STEP_PERCENT = 25;

export function createScreen(output: Output): Screen {
  const isTerminal = output.isTTY === true;
  let step = 0;
  let shown = '';
  const line = (text = ''): void => {
    output.write(`${text}\n`);
  };
  return {
    line,
    step: (title, what) => line(`${String(++step).padStart(2)}  ${title.padEnd(TITLE_WIDTH)}${what}`),
    table: (rows) => {
      const width = Math.max(output.columns ?? WIDTH_WITHOUT_TERMINAL, LEAST_WIDTH) - 1;
      for (const row of aligned(rows)) line(row.length > width ? `${row.slice(0, width - 1)}…` : row);
    },
    progress: (done, total) => {
      const text = isTerminal ? barOf(done, total) : percentOf(done, total);
      if (text === shown) return;
      shown = text;
      output.write(isTerminal ? `\r${text}` : `${text}\n`);
    },
    progressEnded: () => {
      if (isTerminal && shown !== '') line();
      shown = '';
    },
  };
}

/** A number with separators for people: 12,345. */
export function count(number: number): string {
  return number.toLocaleString('en-US');
}

const INDENT = ' '.repeat(4);

function barOf(done: number, total: number): string {
  const filled = total === 0 ? 0 : Math.round((done / total) * BAR_WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  return `${INDENT}${bar} ${count(done)} of ${count(total)} rows`;
}

function percentOf(done: number, total: number): string {
  const percent = total === 0 ? 0 : Math.floor((done / total) * 100);
  return `${INDENT}${percent - (percent % STEP_PERCENT)} %`;
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, index) =>
    Math.max(...rows.map((row) => (row[index] ?? '').length)),
  );
  return rows.map((row) =>
    `${INDENT}${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')}`.trimEnd(),
  );
}
