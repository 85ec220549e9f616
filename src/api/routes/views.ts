/** The endpoints of saved views: tables of items and exports under a name. */
import { z } from 'zod';
import type { Principal } from '../../domain/access/principals.js';
import type { SiteContext } from '../../domain/access/site-context.js';
import { isStorable } from '../../domain/kernel/characters.js';
import {
  createView,
  deleteView,
  findView,
  listViews,
  type SavedView,
  updateView,
  VIEW_KINDS,
  type Viewer,
} from '../../domain/settings/saved-views.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { pageParameters } from '../list-query.js';
import { pageSchema, presentPage } from '../presenters/present-page.js';
import { requireAccountPrincipal } from '../require-account-principal.js';

const common = { family: 'catalog', tag: 'Saved views', siteContext: true, auth: { scope: 'catalog:read' } } as const;

const kind = z.enum(VIEW_KINDS).meta({ description: 'A table of items, or an export' });
const content = z.record(z.string(), z.unknown()).meta({
  description:
    'Whatever the client needs to show it again, up to 32 KiB of JSON. The API does not interpret it: the console keeps filters, columns and the form of the file',
});
const shared = z.boolean().meta({
  description: 'Whether everybody of the account sees it. Sharing, and changing what is shared, needs catalog:write',
});

const viewSchema = z
  .object({
    id: z.string(),
    kind,
    name: z.string(),
    shared,
    version: z.int().meta({ description: 'Every change makes a version; the first is 1' }),
    content,
    own: z.boolean().meta({ description: 'Whether the caller has saved it' }),
    ownerName: z.string().nullable().meta({ description: 'Who has saved it; null: that token is no longer there' }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'SavedView' });

/** A name stands in no address, and may be any line of text. */
const viewName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine((name) => isStorable(name) && !/\p{Cc}/u.test(name), 'contains a control character');

const viewParams = z.object({ viewId: z.string() });
const EXAMPLE = { name: 'Drafts without a price', content: { status: 'DRAFT' } } as const;

const listViewsRoute = defineRoute({
  ...common,
  method: 'GET',
  path: '/views',
  operationId: 'listViews',
  summary: 'List saved views by name',
  description: 'Those that the caller has saved in this stage, and those that others share.',
  query: z.strictObject({ kind: kind.optional(), ...pageParameters }),
  responses: { 200: { description: 'The views', schema: pageSchema(viewSchema) } },
  async handle({ query: { kind: asked, offset, limit }, site, principal }, { db }) {
    const page = await listViews(db, viewerOf(site, principal), asked, { offset, limit });
    return { status: 200, body: presentPage(page, { offset, limit }, present) };
  },
});

const readViewRoute = defineRoute({
  ...common,
  method: 'GET',
  path: '/views/:viewId',
  operationId: 'getView',
  summary: 'Read a saved view',
  description: 'One that the caller has saved in this stage, or that others share.',
  params: viewParams,
  responses: { 200: { description: 'The view', schema: viewSchema } },
  async handle({ params: { viewId }, site, principal }, { db }) {
    return { status: 200, body: present(await findView(db, viewerOf(site, principal), viewId)) };
  },
});

const createViewRoute = defineRoute({
  ...common,
  method: 'POST',
  path: '/views',
  operationId: 'createView',
  summary: 'Save a view',
  description: 'It belongs to the token, or to the client to which the token was granted. At most 200 in a stage.',
  body: {
    schema: z.strictObject({ kind, name: viewName, content, shared: shared.default(false) }),
    example: { kind: 'ITEMS', ...EXAMPLE },
  },
  refusals: { 409: 'The caller has a view of this kind and name, or too many views' },
  responses: { 200: { description: 'The view', schema: viewSchema } },
  audit: 'VIEW_CREATED',
  async handle({ body: { kind: of, name, content: kept, shared: isShared }, site, principal, audit }, { db }) {
    const input = { name, content: kept, isShared };
    const viewer = viewerOf(site, principal);
    const created = await audit.change(db, (trx) => createView(trx, viewer, of, input), targetOf);
    return { status: 200, body: present(created) };
  },
});

const updateViewRoute = defineRoute({
  ...common,
  method: 'PUT',
  path: '/views/:viewId',
  operationId: 'updateView',
  summary: 'Change a saved view',
  description: 'A shared view may be changed by everybody who may share; only who has saved it ends the sharing.',
  params: viewParams,
  body: {
    schema: z.strictObject({
      name: viewName,
      content,
      shared: shared.default(false),
      version: z.int().min(1).optional().meta({
        description: 'The version that you have read: if another one is the newest by now, the answer is 409',
      }),
    }),
    example: EXAMPLE,
  },
  refusals: {
    409: 'It was changed since the version that the body names, or the caller has another view of this name',
  },
  responses: { 200: { description: 'The view', schema: viewSchema } },
  audit: 'VIEW_UPDATED',
  async handle({ params: { viewId }, body, site, principal, audit }, { db }) {
    const input = { name: body.name, content: body.content, isShared: body.shared };
    const viewer = viewerOf(site, principal);
    const change = audit.change(db, (trx) => updateView(trx, viewer, viewId, input, body.version ?? null), targetOf);
    return { status: 200, body: present(await change) };
  },
});

const deleteViewRoute = defineRoute({
  ...common,
  method: 'DELETE',
  path: '/views/:viewId',
  operationId: 'deleteView',
  summary: 'Delete a saved view',
  description: 'A shared view may be deleted by everybody who may share. What it shows is not touched.',
  params: viewParams,
  responses: { 200: { description: 'The view that was deleted', schema: viewSchema } },
  audit: 'VIEW_DELETED',
  async handle({ params: { viewId }, site, principal, audit }, { db }) {
    const viewer = viewerOf(site, principal);
    return { status: 200, body: present(await audit.change(db, (trx) => deleteView(trx, viewer, viewId), targetOf)) };
  },
});

function viewerOf({ siteId }: SiteContext, principal: Principal): Viewer {
  const { tokenId, clientId, scopes } = requireAccountPrincipal(principal);
  // A client gets another token every hour.
  return { siteId, ownerId: clientId ?? tokenId, mayShare: scopes.includes('catalog:write') };
}

function targetOf({ id, version }: SavedView): string {
  return `view/${id}/${version}`;
}

function present({ isShared, isOwn, createdAt, updatedAt, ...view }: SavedView): z.input<typeof viewSchema> {
  const { id, name, version, ownerName, kind: of } = view;
  return {
    ...{ id, kind: of, name, shared: isShared, version, content: view.content as Record<string, unknown> },
    ...{ own: isOwn, ownerName, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
  };
}

export const viewRoutes: readonly Route[] = [
  listViewsRoute,
  readViewRoute,
  createViewRoute,
  updateViewRoute,
  deleteViewRoute,
];
