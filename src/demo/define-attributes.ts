/** Steps 3 and 4: the attributes, in one bulk request, and which of them are SKU, title, image and active flag. */
import { randomUUID } from 'node:crypto';
import type { ApiClient } from './api-client.js';
import { expectEqual } from './expect-equal.js';
import type { SampleCatalog } from './sample-catalog.js';
import type { Screen } from './screen.js';
import { sendBulk } from './send-bulk.js';

interface AttributeResult {
  readonly attributes: { readonly success: readonly unknown[]; readonly failed: readonly unknown[] };
}

export async function defineAttributes(api: ApiClient, catalog: SampleCatalog, screen: Screen): Promise<void> {
  const path = '/api-product/v1/product/attribute/bulk';
  const { attributes } = await sendBulk<AttributeResult>(api, path, catalog.attributes, randomUUID());
  expectEqual('attributes that were refused', attributes.failed, []);
  screen.step('Attributes', `${attributes.success.length} created in one bulk request`);
}

export async function mapAttributes(api: ApiClient, catalog: SampleCatalog, screen: Screen): Promise<void> {
  const path = '/api-product/v1/product/attribute/mapping';
  const { body } = await api.post<{ mappings: { attribute: string; mapping: string }[] }>(path, catalog.mapping);
  expectEqual('attributes mapped', body.mappings.length, catalog.mapping.mappings.length);
  screen.step('Mapping', body.mappings.map(({ attribute, mapping }) => `${attribute} → ${mapping}`).join(', '));
}
