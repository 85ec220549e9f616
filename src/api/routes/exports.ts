/** The endpoints of exports: convert the body of a request into the specification of its job, and accept the job. */
import { z } from 'zod';
import type { Db } from '../../../db/connection.js';
import type { ItemTypeCode } from '../../../db/models/item.js';
import { runOnce } from '../../domain/access/accept-once.js';
import type { SiteContext } from '../../domain/access/site-context.js';
import { acceptExport } from '../../domain/exports/accept-export.js';
import type { ExportContent, ExportFormatting, ItemColumn } from '../../domain/exports/model/export-spec.js';
import { resolveColumns } from '../../domain/exports/resolve-columns.js';
import type { GivenItemMatch } from '../../domain/exports/resolve-match.js';
import {
  loadAttributes,
  resolveAttributeMatch,
  resolveCategoryMatch,
  resolveItemMatch,
} from '../../domain/exports/resolve-match.js';
import { newJobId } from '../../domain/jobs/accept-job.js';
import { findJob } from '../../domain/jobs/read-job.js';
import { DomainError } from '../../domain/kernel/errors.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { enqueueEntries } from '../../queues/outbox.js';
import { checkTargets } from '../check-targets.js';
import type { ApiRequest, ApiResponse, ResponseSpec, Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import {
  attributeFilterBody,
  categoryFilterBody,
  formattingOf,
  itemFilterBody,
  namedAttributesBody,
  namedCategoriesBody,
  namedItemsBody,
} from '../export-body.js';
import { exportResultSchema, presentExportResult } from '../presenters/present-job.js';
import type { ApiServices } from '../services.js';
import { requireRoomFor } from '../store-room.js';
import { waitingClient } from '../waiting-client.js';

// Converts the checked body of a request for an export into the specification that its job stores.

type ItemEntity = 'product' | 'bundle';

const OWN_TYPE: Readonly<Record<ItemEntity, ItemTypeCode>> = { product: 'I', bundle: 'B' };
const TYPES: Readonly<Record<'ITEM' | 'BUNDLE', ItemTypeCode>> = { ITEM: 'I', BUNDLE: 'B' };

/** @throws DomainError invalid */
function namedItemsExport(
  db: Db,
  siteId: number,
  entity: ItemEntity,
  { ids, skus, ...rest }: z.output<typeof namedItemsBody>,
): Promise<RequestedExport> {
  const named = new Set(ids ?? skus).size;
  return itemsExport(db, siteId, entity, { id: ids, sku: skus, types: [OWN_TYPE[entity]] }, rest, named);
}

/** @throws DomainError invalid */
function filteredItemsExport(
  db: Db,
  siteId: number,
  entity: ItemEntity,
  { match: { type, status, ...match }, ...rest }: z.output<typeof itemFilterBody>,
): Promise<RequestedExport> {
  const types = type === undefined ? [OWN_TYPE[entity]] : [...new Set(type.map((one) => TYPES[one]))];
  const code = status === undefined ? undefined : status === 'LIVE' ? 'L' : 'D';
  return itemsExport(db, siteId, entity, { ...match, types, status: code }, rest, null);
}

async function itemsExport(
  db: Db,
  siteId: number,
  entity: ItemEntity,
  match: GivenItemMatch,
  { columns, ...formatting }: Pick<z.output<typeof itemFilterBody>, 'columns'> & Parameters<typeof formattingOf>[0],
  named: number | null,
): Promise<RequestedExport> {
  const attributes = await loadAttributes(db, siteId);
  const content = {
    entity,
    match: await resolveItemMatch(db, siteId, match, attributes),
    columns: columns === undefined ? null : requireColumns(resolveColumns(columns, attributes)),
  };
  return { content, formatting: formattingOf(formatting), named };
}

function requireColumns(resolved: ReturnType<typeof resolveColumns>): ItemColumn[] {
  if (Array.isArray(resolved)) return resolved;
  const { index, message } = resolved;
  const problems = [{ path: `columns.${index}`, code: 'COLUMN_NOT_FOUND', message }];
  throw new DomainError('invalid', 'COLUMN_NOT_FOUND', message, { problems });
}

/** @throws DomainError invalid */
async function attributesExport(
  db: Db,
  siteId: number,
  given: z.output<typeof namedAttributesBody> | z.output<typeof attributeFilterBody>,
): Promise<RequestedExport> {
  const attributes = await loadAttributes(db, siteId);
  const byName = 'match' in given ? given.match : { id: given.ids, name: given.names };
  return {
    content: { entity: 'attribute', match: resolveAttributeMatch(byName, attributes) },
    formatting: formattingOf(given),
    named: 'match' in given ? null : new Set(given.ids ?? given.names).size,
  };
}

/** @throws DomainError invalid */
async function categoriesExport(
  db: Db,
  siteId: number,
  given: z.output<typeof namedCategoriesBody> | z.output<typeof categoryFilterBody>,
): Promise<RequestedExport> {
  const { type, status, ...match } = 'match' in given ? given.match : { id: given.ids ?? given.nodeIds };
  const active = status === undefined ? undefined : status === 'ACTIVE';
  return {
    content: { entity: 'category', match: await resolveCategoryMatch(db, siteId, { ...match, tree: type, active }) },
    formatting: formattingOf(given),
    // Categories that do not exist were refused.
    named: null,
  };
}

// Acceptance of an export as a job

interface RequestedExport {
  readonly content: ExportContent;
  readonly formatting: ExportFormatting;
  /** How many records the request named; null if it did not name single records. */
  readonly named: number | null;
}

/** Commits and enqueues the job. Answers 202, or with `Prefer: wait` 200 with the file's id if the job ends in time. */
async function acceptExportRequest(
  request: ApiRequest<unknown, unknown, { readonly callbackUrl?: string | null | undefined }, true>,
  services: ApiServices,
  resolve: (db: Db, site: SiteContext) => Promise<RequestedExport>,
): Promise<ApiResponse> {
  const { site, idempotency, requestId } = request;
  const { db, producer, logger, jobEnds } = services;
  const callbackUrl = request.body.callbackUrl ?? undefined;
  await checkTargets(services.targets, { callbackUrl });
  let outboxEntries: OutboxEntry[] = [];
  const { answer } = await runOnce(db, idempotency, async (trx) => {
    // Within: an answer that was given already is given again, and spends nothing.
    await requireRoomFor(request, services);
    const { content, formatting, named } = await resolve(trx, site);
    const spec = { ...content, formatting, named, date: site.date?.toISOString() ?? null, callbackUrl };
    const id = newJobId();
    await request.audit.record(trx, `job/${id}`);
    outboxEntries = await acceptExport(trx, { id, site, requestId, spec });
    return { status: 202, body: { jobId: id, status: 'SCHEDULED' }, jobId: id };
  });
  await enqueueEntries(producer, outboxEntries, logger);
  const jobId = answer.jobId ?? '';
  if (await jobEnds.wait(jobId, waitingClient(request, services))) {
    return { status: 200, body: presentExportResult(await findJob(db, site.siteId, jobId)) };
  }
  return { status: 202, body: answer.body, headers: { Location: `/jobs/${jobId}` } };
}

const exportResponses: Readonly<Record<number, ResponseSpec>> = {
  200: { description: 'With `Prefer: wait`: the export has ended', schema: exportResultSchema },
  202: {
    description: 'Accepted; Location is the address of the job',
    schema: z.object({ jobId: z.string(), status: z.literal('SCHEDULED') }).meta({ id: 'AcceptedExport' }),
  },
};

const exportNamedItemsRoute = defineRoute({
  method: 'POST',
  path: '/jobs/product/actions/export',
  operationId: 'exportItems',
  family: 'files',
  tag: 'Exports',
  summary: 'Export items by id or SKU',
  description: 'Items are ordered by SKU in byte order, and written in the columns that an import reads.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: namedItemsBody, example: { skus: ['DISK-1'] } },
  responses: exportResponses,
  audit: 'EXPORT_REQUESTED',
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => namedItemsExport(db, siteId, 'product', request.body)),
});

const exportFilteredItemsRoute = defineRoute({
  method: 'POST',
  path: '/jobs/product/actions/filter-export',
  operationId: 'exportMatchingItems',
  family: 'files',
  tag: 'Exports',
  summary: 'Export the items that match',
  description: 'Items are ordered by SKU in byte order, and written in the columns that an import reads.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: itemFilterBody, example: { match: { status: 'LIVE' }, format: 'JSONL' } },
  responses: exportResponses,
  audit: 'EXPORT_REQUESTED',
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) =>
      filteredItemsExport(db, siteId, 'product', request.body),
    ),
});

const exportNamedBundlesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/bundle/actions/export',
  operationId: 'exportBundles',
  family: 'files',
  tag: 'Exports',
  summary: 'Export bundles by id or SKU',
  description: 'Bundles are ordered by SKU in byte order, and written with their items.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: namedItemsBody, example: { skus: ['SET-1'] } },
  responses: exportResponses,
  audit: 'EXPORT_REQUESTED',
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => namedItemsExport(db, siteId, 'bundle', request.body)),
});

const exportFilteredBundlesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/bundle/actions/filter-export',
  operationId: 'exportMatchingBundles',
  family: 'files',
  tag: 'Exports',
  summary: 'Export the bundles that match',
  description: 'Bundles are ordered by SKU in byte order, and written with their items.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: itemFilterBody, example: { match: { status: 'LIVE' } } },
  responses: exportResponses,
  audit: 'EXPORT_REQUESTED',
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => filteredItemsExport(db, siteId, 'bundle', request.body)),
});

const exportNamedAttributesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/attribute/actions/export',
  operationId: 'exportAttributes',
  family: 'files',
  tag: 'Exports',
  summary: 'Export attributes by id or name',
  description: 'Attributes are ordered by position, and written with their whole definition.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: namedAttributesBody, example: { names: ['Title', 'Price'] } },
  responses: exportResponses,
  audit: 'EXPORT_REQUESTED',
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => attributesExport(db, siteId, request.body)),
});

const exportFilteredAttributesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/attribute/actions/filter-export',
  operationId: 'exportMatchingAttributes',
  family: 'files',
  tag: 'Exports',
  summary: 'Export the attributes that match',
  description: 'Attributes are ordered by position, and written with their whole definition.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: attributeFilterBody, example: { match: { type: ['TEXT', 'DECIMAL'] } } },
  responses: exportResponses,
  audit: 'EXPORT_REQUESTED',
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => attributesExport(db, siteId, request.body)),
});

const exportNamedCategoriesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/category/actions/export',
  operationId: 'exportCategories',
  family: 'files',
  tag: 'Exports',
  summary: 'Export categories by id or node id',
  description: 'Parents come first. Each category is written with the attributes that it assigns itself.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: namedCategoriesBody, example: { nodeIds: [4] } },
  responses: exportResponses,
  audit: 'EXPORT_REQUESTED',
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => categoriesExport(db, siteId, request.body)),
});

const exportFilteredCategoriesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/category/actions/filter-export',
  operationId: 'exportMatchingCategories',
  family: 'files',
  tag: 'Exports',
  summary: 'Export the categories that match',
  description: 'Parents come first. Each category is written with the attributes that it assigns itself.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: categoryFilterBody, example: { match: { type: 'PRIMARY' } } },
  responses: exportResponses,
  audit: 'EXPORT_REQUESTED',
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => categoriesExport(db, siteId, request.body)),
});

export const exportRoutes: readonly Route[] = [
  exportNamedItemsRoute,
  exportFilteredItemsRoute,
  exportNamedBundlesRoute,
  exportFilteredBundlesRoute,
  exportNamedAttributesRoute,
  exportFilteredAttributesRoute,
  exportNamedCategoriesRoute,
  exportFilteredCategoriesRoute,
];
