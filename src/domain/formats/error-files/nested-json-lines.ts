/** The text of an error file of JSON whose rows are at a path: its elements as they are written, at the same path. */
import type { RowProblem } from '../../kernel/row-problem.js';
import { JOB_COLUMN } from '../model/added-columns.js';
import { rowSteps } from '../table/nested/nested-path.js';
import type { TableRow } from '../table/table.js';
import { jsonErrorLine } from './json-error-line.js';

interface NestedForm {
  readonly rowPath: string;
  /** Whether it is JSON Lines. */
  readonly isLines: boolean;
  readonly job: string;
}

/** @param rows with their texts; without problems, they are written as they are */
export async function* nestedJsonLines(
  rows: AsyncIterable<{ readonly source: TableRow; readonly problems: readonly RowProblem[] }>,
  { rowPath, isLines, job }: NestedForm,
): AsyncGenerator<string> {
  const steps = rowSteps(rowPath);
  const opening = steps.map((name) => `{${JSON.stringify(name)}:`).join('');
  const closing = '}'.repeat(steps.length);
  // A line is read as one of our own form first, which names its job at the top.
  const named = `{${JSON.stringify(JOB_COLUMN)}:${JSON.stringify(job)},`;
  if (!isLines) yield `${opening}[`;
  let separator = '\n';
  for await (const { source, problems } of rows) {
    const { row, text = '', problem } = source;
    const element = problems.length === 0 ? text.trim() : jsonErrorLine(row, oneLine(text), problems, job);
    if (isLines) {
      // Of a line that cannot be read, it is not known what its rows are.
      const isRow = steps.length > 0 && problem?.code !== 'ROW_NOT_OBJECT' && problem?.code !== 'DUPLICATE_MEMBER';
      yield isRow ? `${named}${opening.slice(1)}[${element}]${closing}\n` : `${element}\n`;
      continue;
    }
    yield separator + element;
    separator = ',\n';
  }
  if (!isLines) yield `\n]${closing}\n`;
}

/** Line ends between the members of an element say nothing, and those in its texts are escaped. */
function oneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n]\s*/g, ' ');
}
