/** Reads nested sources as tables, in two passes: the first finds the columns, the second reads the rows. */
import type { EventLoopPacer } from '../../../../platform/event-loop-pacer.js';
import { nearestName } from '../../../kernel/nearest-name.js';
import { RejectedInput } from '../../model/rejected-input.js';
import { ReadMeter } from '../../text/upload-blocks.js';
import { charactersOf, KeptRows } from '../kept-rows.js';
import type { OnTableHead, TableBatches, TableInput, TableOptions } from '../table.js';
import { ColumnPaths } from './column-paths.js';
import { ColumnValues } from './column-values.js';
import { rowSteps } from './nested-path.js';
import { type NestedInput, nestedRows, structureOf } from './nested-source.js';
import { rowPathsOf } from './row-paths.js';

const MOST_SHOWN = 5;
const NO_TEXT = {};

/** @throws RejectedInput */
export async function* readNestedTable(
  input: TableInput,
  options: TableOptions,
  pacer: EventLoopPacer,
  onHead: OnTableHead,
): TableBatches {
  let encoding = 'utf-8';
  const source: NestedInput = {
    ...{ input, meter: new ReadMeter(input), pacer, withText: options.withText === true },
    onEncoding: (found) => {
      encoding = found;
    },
  };
  const rowPath = options.rowPath ?? (await detectedPath(source));
  const steps = rowSteps(rowPath);
  const wanted = options.columns?.paths ?? [];
  const found = options.columns?.others === false ? [] : await columnsOf(source, rowPath, steps);
  const known = new Set(found);
  const header = [...found, ...wanted.filter((path) => !known.has(path))];
  const values = new ColumnValues(header, input.limits.maxCellBytes);
  onHead({ header, titleLines: [], format: { encoding, delimiter: null, headerRow: 0, sheet: null, rowPath } });
  yield [];
  const rows = new KeptRows(options, input.limits, 0, charactersOf);
  let count = 0;
  for await (const batch of nestedRows(source, steps)) {
    for (const { row, value, problem, text } of batch) {
      count += 1;
      if (problem !== null) {
        rows.add({ row, cells: header.map(() => ''), types: null, problem, ...written(text) });
        continue;
      }
      const read = values.read(row, value);
      if (!read.isEmpty)
        rows.add({ row, cells: read.cells, types: read.types, problem: read.problem, ...written(text) });
    }
    const complete = rows.take();
    if (complete.length > 0) yield complete;
    await pacer.pause();
  }
  if (count === 0) throw await nothingAt(source, rowPath);
  yield rows.take();
}

/** The text of a row, if it was asked for. */
function written(text: string | undefined): { readonly text?: string } {
  return text === undefined ? NO_TEXT : { text };
}

/** The columns of all rows. */
async function columnsOf(source: NestedInput, rowPath: string, steps: readonly string[]): Promise<string[]> {
  const columns = new ColumnPaths();
  let count = 0;
  let problem = '';
  for await (const batch of nestedRows(source, steps)) {
    for (const row of batch) {
      count += 1;
      if (row.problem === null) columns.add(row.value);
      else if (problem === '') problem = row.problem.message;
    }
    await source.pacer.pause();
  }
  if (count === 0) throw await nothingAt(source, rowPath);
  const paths = columns.paths();
  if (paths.length > 0) return paths;
  const message = `The rows at "${rowPath}" have no values. ${problem === '' ? 'Name other rows.' : problem}`;
  throw new RejectedInput('ROW_PATH_NOT_FOUND', message);
}

async function detectedPath(source: NestedInput): Promise<string> {
  const [found] = rowPathsOf(await structureOf(source));
  if (found !== undefined) return found.path;
  const message =
    'The file has no rows: there is no object or element with values in it. Check that it was exported whole.';
  throw new RejectedInput('NO_ROWS', message);
}

/** The error for a path that selects nothing. It names paths that select something. */
async function nothingAt(source: NestedInput, rowPath: string): Promise<RejectedInput> {
  const paths = rowPathsOf(await structureOf(source)).map(({ path }) => path);
  const near = nearestName(rowPath, paths, (path) => path);
  const others = paths.slice(0, MOST_SHOWN).map((path) => `"${path}"`);
  const hint =
    near === undefined
      ? others.length === 0
        ? 'There is no object or element with values in the file.'
        : `Rows may be at ${others.join(', ')}.`
      : `Perhaps "${near}" is meant.`;
  return new RejectedInput('ROW_PATH_NOT_FOUND', `There are no rows at "${rowPath}". ${hint}`);
}
