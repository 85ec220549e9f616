/** Step 7: items as JSON, several requests, each answered with what became of every row. */
import { randomUUID } from 'node:crypto';
import type { ApiClient } from './api-client.js';
import { expectEqual } from './expect-equal.js';
import type { SampleCatalog } from './sample-catalog.js';
import { count, type Screen } from './screen.js';
import { sendBulk } from './send-bulk.js';

const INSERT = '/api-product/v1/product/bulk/insert';
/** The API takes 10,000. This is what one page of a job's result holds, for when a request is not waited for to its end. */
const ROWS_A_REQUEST = 1_000;

interface InsertResult {
  readonly success: readonly unknown[];
  readonly failed: readonly {
    readonly sku: string;
    readonly code: string;
    readonly message: string;
  }[];
}

export async function insertItems(api: ApiClient, { items, expected }: SampleCatalog, screen: Screen): Promise<void> {
  const results: InsertResult[] = [];
  for (let start = 0; start < items.length; start += ROWS_A_REQUEST) {
    const rows = items.slice(start, start + ROWS_A_REQUEST);
    const key = randomUUID();
    const result = await sendBulk<InsertResult>(api, INSERT, rows, key);
    results.push(result);
    if (start > 0) continue;
    // A client that got no answer sends the same again: that is the same job, not a second one.
    const again = await sendBulk<InsertResult>(api, INSERT, rows, key);
    expectEqual('job of a request sent again with its Idempotency-Key', again.jobId, result.jobId);
  }
  const failed = results.flatMap((result) => result.failed);
  const created = results.reduce((sum, { success }) => sum + success.length, 0);
  screen.step('Items as JSON', `${count(created)} of ${count(items.length)} created in ${results.length} requests`);
  screen.table(failed.map(({ sku, code, message }) => [sku, code, message]));
  expectEqual('items created from JSON', created, expected.jsonInsert.created);
  expectEqual(
    'items refused from JSON',
    failed.map(({ sku, code }) => ({ sku, code })),
    expected.jsonInsert.failed,
  );
}
