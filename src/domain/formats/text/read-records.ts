/** Passes a stream of UTF-8 blocks to a reader, which consumes complete records. */
import type { EventLoopPacer } from '../../../platform/event-loop-pacer.js';
import { RecordWindow } from './record-window.js';

export interface RecordReader {
  /**
   * Consumes the complete records of the window by moving its start past them.
   * @param final whether the text ends with the window.
   */
  read(window: RecordWindow, final: boolean): void | Promise<void>;
}

/** @param base offset of the stream's first byte in the file that ranges refer to. */
export async function readRecords(
  blocks: AsyncIterable<Buffer>,
  reader: RecordReader,
  base: number,
  pacer: EventLoopPacer,
): Promise<void> {
  const window = new RecordWindow(base);
  for await (const block of blocks) {
    window.append(block);
    if (window.worthReading) {
      await reader.read(window, false);
      window.markRead();
    }
    await pacer.pause();
  }
  window.close();
  await reader.read(window, true);
}
