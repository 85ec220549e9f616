/** Steps 3 and 4: the attributes, in one bulk request, and their mapping to SKU, title, image and active flag. */
import type { LongshoreClient } from '@longshore/client';
import { expectEqual } from '../expect-equal.js';
import type { SampleCatalog } from '../sample-catalog.js';
import type { Screen } from '../screen.js';

export async function defineAttributes(api: LongshoreClient, catalog: SampleCatalog, screen: Screen): Promise<void> {
  const { rows, failed } = await api.bulk('createAttributes', catalog.attributes);
  expectEqual('attributes that were refused', failed, []);
  screen.step('Attributes', `${rows} created in one bulk request`);
}

export async function mapAttributes(api: LongshoreClient, catalog: SampleCatalog, screen: Screen): Promise<void> {
  const { mappings } = await api.setAttributeMapping({ body: catalog.mapping });
  expectEqual('attributes mapped', mappings.length, catalog.mapping.mappings.length);
  screen.step('Mapping', mappings.map(({ attribute, mapping }) => `${attribute} → ${mapping}`).join(', '));
}
