/** Step 12: exports all items to a file and imports it again, which changes nothing. */
import type { LongshoreClient } from '@longshore/client';
import { expectEqual } from '../expect-equal.js';
import type { Totals } from '../sample-catalog.js';
import { count, type Screen } from '../screen.js';
import { importFile, showEnd } from './import-file.js';

export async function exportItems(api: LongshoreClient, { items }: Totals, screen: Screen): Promise<void> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const [{ rows }, text] = await Promise.all([
    api.exportTo({ what: 'items', match: {}, format: 'CSV' }, writable),
    new Response(readable).text(),
  ]);
  expectEqual('items in the export', rows, items);
  screen.step(
    'Export',
    `${count(items)} items as CSV, ${(Buffer.byteLength(text) / 1_000_000).toFixed(1)} MB, imported again`,
  );
  const again = await importFile(api, 'items-exported.csv', text, screen);
  showEnd(again, screen);
  expectEqual('items that their own export leaves unchanged', again.progressTracker.unchangedCount, items);
}
