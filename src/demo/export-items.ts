/** Step 12: exports all items to a file and imports it again, which changes nothing. */
import { type ApiClient, download } from './api-client.js';
import { expectEqual } from './expect-equal.js';
import { importFile, showEnd } from './import-file.js';
import { waitForJob } from './jobs.js';
import type { Totals } from './sample-catalog.js';
import { count, type Screen } from './screen.js';

export async function exportItems(api: ApiClient, { items }: Totals, screen: Screen): Promise<void> {
  const { body } = await api.post<{ jobId: string }>('/jobs/product/actions/filter-export', {
    match: {},
    format: 'CSV',
  });
  const job = await waitForJob(api, body.jobId, () => undefined);
  expectEqual('status of the export', job.status, 'COMPLETED');
  expectEqual('items in the export', job.progressTracker.totalCount, items);
  const [fileId] = job.outputFiles;
  const { location } = await api.get<{ location: string }>(`/files/product/${fileId}/actions/download`);
  const text = await download(location);
  screen.step(
    'Export',
    `${count(items)} items as CSV, ${(Buffer.byteLength(text) / 1_000_000).toFixed(1)} MB, imported again`,
  );
  const again = await importFile(api, 'items-exported.csv', text, screen);
  showEnd(again, screen);
  expectEqual('items that their own export leaves unchanged', again.progressTracker.unchangedCount, items);
}
