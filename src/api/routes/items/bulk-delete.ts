/** The endpoint that deletes items in bulk. */
import { z } from 'zod';
import { IMPORT_JOBS } from '../../../domain/imports/model/import-jobs.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import { acceptRows, BULK_MAX_ELEMENTS, ofBulk } from '../../accept-bulk.js';
import { bulkOptions } from '../../bulk-query.js';
import { checkTargets } from '../../check-targets.js';
import { defineRoute } from '../../define-route.js';
import { BULK_RESPONSES } from '../../presenters/result-schemas.js';

/** 10,000 of the longest SKUs. */
const MAX_BYTES = 12 * 1024 * 1024;

export const bulkDeleteItemsRoute = defineRoute({
  ...ofBulk,
  path: '/api-product/v1/product/bulk/delete',
  operationId: 'deleteItems',
  tag: 'Items',
  summary: 'Delete items in bulk',
  description:
    'Deletes items and bundles permanently, in every channel. A SKU that is not visible in the site context fails its row. An item that has variants or is part of a bundle fails its row too, unless the same request deletes those.',
  body: {
    schema: z.strictObject({ skus: z.array(z.string()).min(1).meta({ description: '1 to 10,000 SKUs' }) }),
    maxBytes: MAX_BYTES,
    example: { skus: ['DISK-2'] },
  },
  responses: BULK_RESPONSES.items,
  async handle(request, services) {
    await checkTargets(services.targets, { callbackUrl: request.query.callbackUrl });
    const { skus } = request.body;
    if (skus.length > BULK_MAX_ELEMENTS) {
      const message = `"skus" has ${skus.length} entries; at most ${BULK_MAX_ELEMENTS} are allowed in one request`;
      throw new DomainError('too-large', 'TOO_MANY_ROWS', message);
    }
    const lines = Buffer.from(skus.map((sku) => JSON.stringify({ sku })).join('\n'));
    // Existing items are changed, as by an update, so the job is exclusive on its site.
    const job = {
      type: 'ITEM_BULK_DELETE',
      jobType: IMPORT_JOBS.item,
      options: bulkOptions('update', request.query),
    } as const;
    return acceptRows(request, services, job, { lines, rowCount: skus.length });
  },
});
