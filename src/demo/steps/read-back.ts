/** The last step: reads the totals from the API and compares them with what is expected. */
import type { InputOf, LongshoreClient } from '@longshore/client';
import { expectEqual } from '../expect-equal.js';
import type { SampleCatalog, Totals } from '../sample-catalog.js';
import type { CreatedCategory } from './create-categories.js';

/** The totals that the API reports. */
export interface ReadBack extends Totals {
  readonly attributes: number;
  readonly categories: number;
  readonly jobs: number;
  /** The rows of items in all jobs. */
  readonly rows: number;
  readonly onSale: number;
}

/** @throws Mismatch when a total differs from examples/expected.json */
export async function readBack(
  api: LongshoreClient,
  catalog: SampleCatalog,
  tops: readonly CreatedCategory[],
  saleNodeIds: readonly number[],
): Promise<ReadBack> {
  const { expected, categories } = catalog;
  const totals = await readTotals(api);
  const { byCategory, ...expectedTotals } = expected.afterCorrection;
  expectEqual('items after the correction', totals, expectedTotals);
  for (const { nodeId, node } of tops) {
    expectEqual(`items in ${node.name}`, await countOf(api, { nodeId }), byCategory[node.name]);
  }
  let onSale = 0;
  for (const [index, { name, skus }] of categories.alternate.children.entries()) {
    const found = await countOf(api, { nodeId: saleNodeIds[index] ?? 0 });
    expectEqual(`items in "${name}"`, found, skus.length);
    onSale += found;
  }
  await checkShowcase(api, catalog);
  const attributes = (await api.listAttributes({ limit: 1 })).count;
  expectEqual('attributes', attributes, expected.attributes);
  const inTree = (await api.listCategories({ type: 'PRIMARY', limit: 1 })).count;
  expectEqual('categories of the primary tree', inTree, expected.categories);
  return { ...totals, onSale, attributes, categories: inTree, ...(await readJobs(api)) };
}

export async function readTotals(api: LongshoreClient): Promise<Totals> {
  return {
    items: await countOf(api),
    live: await countOf(api, { status: 'LIVE' }),
    draft: await countOf(api, { status: 'DRAFT' }),
  };
}

/** Checks an item whose values are easily damaged on their way. */
async function checkShowcase(api: LongshoreClient, { expected: { showcase } }: SampleCatalog): Promise<void> {
  const item = await api.getItem({ sku: showcase.sku });
  for (const [name, value] of Object.entries(showcase.attributes)) {
    expectEqual(`${name} of ${showcase.sku}`, item.attributes[name], value);
  }
}

async function readJobs(api: LongshoreClient): Promise<Pick<ReadBack, 'jobs' | 'rows'>> {
  const { data, count } = await api.listJobs({ limit: 100 });
  const items = data.filter(({ type }) => type.startsWith('ITEM') && type !== 'ITEM_EXPORT');
  return { jobs: count, rows: items.reduce((sum, job) => sum + (job.progressTracker.totalCount ?? 0), 0) };
}

/** The number of items. */
async function countOf(api: LongshoreClient, query: InputOf<'listItems'> = {}): Promise<number> {
  return (await api.listItems({ ...query, limit: 1 })).count;
}
