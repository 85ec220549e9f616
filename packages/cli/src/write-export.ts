/** Writes what is exported to a file or to the standard output, and shows the progress. */
import { createWriteStream } from 'node:fs';
import { Writable } from 'node:stream';
import type { ExportResult, LongshoreClient } from '@longshore/client';
import { progressBar, ROWS } from './terminal.js';
import { complete, keptOpen } from './write-file.js';

type Destination = Parameters<LongshoreClient['exportStage']>[0];
type Waiting = Parameters<LongshoreClient['exportStage']>[1];

/**
 * @param path `-`: the standard output
 * @param isShown whether the progress is
 */
export async function writeExport(
  path: string,
  isShown: boolean,
  run: (destination: Destination, waiting: Waiting) => Promise<ExportResult>,
): Promise<ExportResult> {
  const into = async (target: Writable): Promise<ExportResult> => {
    const bar = progressBar(isShown);
    try {
      return await run(Writable.toWeb(target) as Destination, {
        onProgress: ({ progressTracker: { processedCount, totalCount } }) =>
          bar.show('Exporting', processedCount, totalCount, ROWS),
      });
    } catch (error) {
      target.destroy();
      throw error;
    } finally {
      bar.end();
    }
  };
  if (path === '-') return into(keptOpen(process.stdout));
  return complete(path, (draft) => into(createWriteStream(draft)));
}
