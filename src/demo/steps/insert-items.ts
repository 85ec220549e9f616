/** Step 7: items as JSON, in several requests that answer the outcome of each row. */
import { randomUUID } from 'node:crypto';
import type { LongshoreClient } from '@longshore/client';
import { expectEqual } from '../expect-equal.js';
import type { SampleCatalog } from '../sample-catalog.js';
import { count, type Screen } from '../screen.js';

export async function insertItems(
  api: LongshoreClient,
  { items, expected }: SampleCatalog,
  screen: Screen,
): Promise<void> {
  const key = { idempotencyKey: randomUUID() };
  const { jobIds, rows, failed } = await api.bulk('insertItems', items, key);
  // A client that got no answer sends the same rows again, and gets the same jobs.
  const again = await api.bulk('insertItems', items, key);
  expectEqual('jobs of rows sent again with their idempotency key', again.jobIds, jobIds);
  const created = rows - failed.length;
  screen.step(
    'Items as JSON',
    `${count(created)} of ${count(items.length)} created in ${jobIds.length === 1 ? 'one request' : `${jobIds.length} requests`}`,
  );
  screen.table(failed.map(({ key: sku, errors: [first] }) => [sku ?? '', first?.code ?? '', first?.message ?? '']));
  expectEqual('items created from JSON', created, expected.jsonInsert.created);
  expectEqual(
    'items refused from JSON',
    failed.map(({ key: sku, errors: [first] }) => ({ sku, code: first?.code })),
    expected.jsonInsert.failed,
  );
}
