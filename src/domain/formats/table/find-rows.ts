/** Finds out where the rows of JSON and XML files are. */
import { EventLoopPacer } from '../../../platform/event-loop-pacer.js';
import { ReadMeter } from '../text/upload-blocks.js';
import { structureOf } from './nested/nested-source.js';
import { rowPathsOf } from './nested/row-paths.js';
import type { RowPath } from './row-path.js';
import type { TableInput } from './table.js';

/** The paths that may be those of the rows, the most plausible first. It reads the whole source. @throws RejectedInput */
export async function findRows(input: TableInput): Promise<RowPath[]> {
  const source = { input, meter: new ReadMeter(input), pacer: new EventLoopPacer(input.signal) };
  return rowPathsOf(await structureOf(source));
}
