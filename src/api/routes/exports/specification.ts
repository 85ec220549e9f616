/** Converts the checked body of a request for an export into the specification that its job stores. */
import type { z } from 'zod';
import type { Db } from '../../../../db/connection.js';
import type { ItemTypeCode } from '../../../../db/models/item.js';
import { presentCursor } from '../../../domain/changes/feed.js';
import type { FeedPlace } from '../../../domain/changes/feed-cursor.js';
import { type GivenSince, resolveSince } from '../../../domain/changes/resolve-since.js';
import type {
  ExportContent,
  ExportFormatting,
  ExportProfile,
  ExportSpec,
  ItemColumn,
} from '../../../domain/exports/model/export-spec.js';
import { resolveColumns } from '../../../domain/exports/resolve-columns.js';
import type { GivenItemMatch } from '../../../domain/exports/resolve-match.js';
import {
  loadAttributes,
  resolveAttributeMatch,
  resolveCategoryMatch,
  resolveItemMatch,
} from '../../../domain/exports/resolve-match.js';
import { resolveExportProfile } from '../../../domain/exports/resolve-profile.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import {
  type attributeFilterBody,
  type categoryFilterBody,
  type DestinationExport,
  formattingOf,
  type itemFilterBody,
  type namedAttributesBody,
  type namedCategoriesBody,
  type namedItemsBody,
} from '../../export-body.js';
import { givenMatch } from '../../export-match.js';

type ItemEntity = 'product' | 'bundle';

/** Of a body, what says what is written. */
type Written<Body> = Body extends unknown ? Omit<Body, 'callbackUrl' | 'publishAs' | 'since'> : never;

const OWN_TYPE: Readonly<Record<ItemEntity, ItemTypeCode>> = { product: 'I', bundle: 'B' };

/** @throws DomainError invalid */
export function namedItemsExport(
  db: Db,
  siteId: number,
  entity: ItemEntity,
  { ids, skus, ...rest }: z.output<typeof namedItemsBody>,
): Promise<RequestedExport> {
  const named = new Set(ids ?? skus).size;
  return itemsExport(db, siteId, entity, { id: ids, sku: skus, types: [OWN_TYPE[entity]] }, rest, named);
}

/** @throws DomainError invalid */
export function filteredItemsExport(
  db: Db,
  siteId: number,
  entity: ItemEntity,
  { match, ...rest }: Written<z.output<typeof itemFilterBody>>,
  changes: Partial<WantedChanges>,
): Promise<RequestedExport> {
  return itemsExport(db, siteId, entity, givenMatch(match, [OWN_TYPE[entity]]), rest, null, changes);
}

/** Since when changes are wanted, and where a later export goes on. */
export interface WantedChanges {
  readonly since: FeedPlace | undefined;
  readonly cursor: string;
}

/** @throws DomainError as resolveSince */
export async function wantedChanges(db: Db, siteId: number, since: GivenSince | undefined): Promise<WantedChanges> {
  return {
    since: since === undefined ? undefined : await resolveSince(db, siteId, since),
    // Taken before the export reads: what is changed meanwhile may be in both, and is missing in neither.
    cursor: await presentCursor(db, siteId),
  };
}

async function itemsExport(
  db: Db,
  siteId: number,
  entity: ItemEntity,
  match: GivenItemMatch,
  {
    columns,
    profile,
    ...given
  }: Pick<z.output<typeof itemFilterBody>, 'columns' | 'profile'> & Parameters<typeof formattingOf>[0],
  named: number | null,
  changes: Partial<WantedChanges> = {},
): Promise<RequestedExport> {
  const attributes = await loadAttributes(db, siteId);
  const formatting = formattingOf(given);
  const written = await resolveExportProfile(db, siteId, { entity, given: profile, formatting, attributes });
  const content = {
    entity,
    profile: written,
    ...changes,
    match: await resolveItemMatch(db, siteId, match, attributes),
    columns: columns === undefined ? null : requireColumns(resolveColumns(columns, attributes)),
  };
  return { content, formatting: inFormOf(written, formatting), named };
}

function inFormOf(written: ExportProfile | undefined, formatting: ExportFormatting): ExportFormatting {
  return { ...formatting, delimiter: written?.document.format.delimiter ?? formatting.delimiter };
}

function requireColumns(resolved: ReturnType<typeof resolveColumns>): ItemColumn[] {
  if (Array.isArray(resolved)) return resolved;
  const { index, message } = resolved;
  const problems = [{ path: `columns.${index}`, code: 'COLUMN_NOT_FOUND', message }];
  throw new DomainError('invalid', 'COLUMN_NOT_FOUND', message, { problems });
}

/** @throws DomainError invalid */
export async function attributesExport(
  db: Db,
  siteId: number,
  given: Written<z.output<typeof namedAttributesBody> | z.output<typeof attributeFilterBody>>,
  changes: Partial<WantedChanges> = {},
): Promise<RequestedExport> {
  const attributes = await loadAttributes(db, siteId);
  const byName = 'match' in given ? given.match : { id: given.ids, name: given.names };
  const formatting = formattingOf(given);
  const profile = await resolveExportProfile(db, siteId, { entity: 'attribute', given: given.profile, formatting });
  return {
    content: { entity: 'attribute', profile, ...changes, match: resolveAttributeMatch(byName, attributes) },
    formatting: inFormOf(profile, formatting),
    named: 'match' in given ? null : new Set(given.ids ?? given.names).size,
  };
}

/** @throws DomainError invalid */
export async function categoriesExport(
  db: Db,
  siteId: number,
  given: Written<z.output<typeof namedCategoriesBody> | z.output<typeof categoryFilterBody>>,
  changes: Partial<WantedChanges> = {},
): Promise<RequestedExport> {
  const { type, status, ...match } = 'match' in given ? given.match : { id: given.ids ?? given.nodeIds };
  const active = status === undefined ? undefined : status === 'ACTIVE';
  const formatting = formattingOf(given);
  const profile = await resolveExportProfile(db, siteId, { entity: 'category', given: given.profile, formatting });
  const wanted = await resolveCategoryMatch(db, siteId, { ...match, tree: type, active });
  return {
    content: { entity: 'category', profile, ...changes, match: wanted },
    formatting: inFormOf(profile, formatting),
    // Categories that do not exist were refused.
    named: null,
  };
}

export interface RequestedExport {
  readonly content: ExportContent;
  readonly formatting: ExportFormatting;
  /** How many records the request named; null if it did not name single records. */
  readonly named: number | null;
}

/** What a destination of feeds exports, as it is stored. @throws DomainError invalid */
export async function destinationSpec(db: Db, siteId: number, given: DestinationExport): Promise<ExportSpec> {
  const { content, formatting, named } = await requestedBy(db, siteId, given);
  return { ...content, formatting, named, date: null };
}

function requestedBy(db: Db, siteId: number, given: DestinationExport): Promise<RequestedExport> {
  switch (given.type) {
    case 'ITEM_EXPORT':
      return filteredItemsExport(db, siteId, 'product', given, {});
    case 'BUNDLE_EXPORT':
      return filteredItemsExport(db, siteId, 'bundle', given, {});
    case 'ATTRIBUTE_EXPORT':
      return attributesExport(db, siteId, given);
    case 'CATEGORY_EXPORT':
      return categoriesExport(db, siteId, given);
  }
}
