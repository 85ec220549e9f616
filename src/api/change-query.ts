/** The query parameters by which changes are chosen. */
import { z } from 'zod';
import type { Db } from '../../db/connection.js';
import type { Principal } from '../domain/access/principals.js';
import type { AccountScope } from '../domain/access/scopes.js';
import { changeFilterNames } from '../domain/catalog/items/change-filter-names.js';
import { normalizeSku } from '../domain/catalog/items/item-key.js';
import {
  CHANGE_KINDS,
  CHANGE_OPERATIONS,
  type ChangeFilter,
  JOB_CHANGE_KINDS,
} from '../domain/changes/change-entry.js';
import { JOB_CHANGE_CURSOR } from '../domain/changes/job-changes.js';
import { SURROUNDING_KINDS, type SurroundingKind } from '../domain/changes/model/surrounding-image.js';
import { isSurrounding } from '../domain/changes/surrounding-entries.js';
import { requireScopes } from './authorize.js';
import { asInteger, digits, knownList, searchText, textList } from './list-query.js';

const MAX_CHANGES_A_PAGE = 1_000;
const DEFAULT_CHANGES = 100;

export const changeLimit = digits(1, MAX_CHANGES_A_PAGE)
  .default(DEFAULT_CHANGES)
  .meta(
    asInteger(
      `How many changes to return (default ${DEFAULT_CHANGES}, at most ${MAX_CHANGES_A_PAGE})`,
      1,
      MAX_CHANGES_A_PAGE,
    ),
  );

/** The parameters of a page of changes, to be spread into a query schema. */
export const changePage = {
  limit: changeLimit,
  after: z
    .string()
    .regex(JOB_CHANGE_CURSOR, 'expected the `next` of the previous page')
    .optional()
    .meta({ description: 'The `next` of the previous page' }),
};

/** To be spread into a query schema. */
export const changeFilter = {
  types: knownList(CHANGE_KINDS)
    .optional()
    .meta({ description: 'Only changes of these: items, or kinds of definitions' }),
  operations: knownList(CHANGE_OPERATIONS).optional().meta({ description: 'Only these operations' }),
  attributes: textList.optional().meta({
    description:
      'Only changes of one of these attributes, by their names, or fields: nodeId, parentSku, channels, alternateCategories, bundleItems, status. Created items have none of them',
  }),
  sku: searchText.transform(normalizeSku).optional().meta({ description: 'Only changes of this item' }),
};

/** The same for the changes of a job, which may have changed what is around the catalog. */
export const jobChangeFilter = {
  ...changeFilter,
  types: knownList(JOB_CHANGE_KINDS).optional().meta({
    description:
      'Only changes of these: items, kinds of definitions, or import profiles, settings and webhook definitions. Settings need the scope catalog:admin, webhook definitions webhooks:read; without it, a list of all types leaves them out',
  }),
};

/** The same for those who follow a catalog: an item that they have never heard of has its values from the beginning. */
export const followedChanges = {
  ...changeFilter,
  attributes: textList.optional().meta({
    description:
      'Only updates of one of these attributes, by their names, or fields: nodeId, parentSku, channels, alternateCategories, bundleItems, status; besides all created and deleted items, since these get or lose all their values',
  }),
};

/** What the parameters choose. @throws DomainError invalid when they name an attribute that there is not and was not */
export async function chosenChanges(
  db: Db,
  siteId: number,
  { types, operations, attributes, sku }: z.output<z.ZodObject<typeof changeFilter>>,
): Promise<ChangeFilter> {
  const names = attributes === undefined ? undefined : await changeFilterNames(db, siteId, attributes, 'attributes');
  return { kinds: types, operations, attributes: names, sku };
}

/** What reading it needs besides. */
const NEEDED: Readonly<Record<SurroundingKind, readonly AccountScope[]>> = {
  profile: [],
  settings: ['catalog:admin'],
  webhook: ['webhooks:read'],
};

/** What is around the catalog and that the caller may read by other requests. */
export function readableSurroundings(principal: Principal): SurroundingKind[] {
  const scopes = principal.kind === 'account' ? principal.scopes : [];
  return SURROUNDING_KINDS.filter((kind) => NEEDED[kind].every((scope) => scopes.includes(scope)));
}

/** What the parameters choose of the changes of a job. @throws DomainError invalid; forbidden when they ask for what the caller may not read */
export async function chosenJobChanges(
  db: Db,
  { principal, site: { siteId } }: { readonly principal: Principal; readonly site: { readonly siteId: number } },
  { types, ...chosen }: z.output<z.ZodObject<typeof jobChangeFilter>>,
): Promise<ChangeFilter> {
  const asked = types?.filter(isSurrounding);
  for (const kind of asked ?? []) requireScopes(principal, NEEDED[kind]);
  const kinds = types?.filter((kind) => !isSurrounding(kind));
  const filter = await chosenChanges(db, siteId, { ...chosen, types: kinds });
  return { ...filter, surroundings: asked ?? readableSurroundings(principal) };
}
