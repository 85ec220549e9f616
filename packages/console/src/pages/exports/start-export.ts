/** Asks for an export of what the page says. */
import type { LongshoreClient, schemas } from '@longshore/client';
import { type ItemFilter, matchOf } from '../catalog/item-search.js';
import type { What } from './export-job.js';

const PAGE = 200;
/** An export names so many items at most. */
export const MOST_NAMED = 10_000;

export interface ExportForm {
  readonly what: What;
  readonly format: 'CSV' | 'XLSX' | 'JSONL';
  /** Of CSV: for a spreadsheet in German, or as other programs write it. */
  readonly csv: 'standard' | 'semicolon';
  /** The name of a profile; undefined: our own columns. */
  readonly profile?: string;
  /** Undefined: all. */
  readonly columns?: readonly string[];
  readonly since?: { readonly jobId: string } | { readonly time: string };
  /** The name of the published file at whose address it is found; undefined: at none. */
  readonly publishAs?: string;
}

/** Found by words, and not by conditions of an export. */
export class TooManyFound extends Error {
  override readonly name = 'TooManyFound';
}

/** @returns the id of the job @throws LongshoreError @throws TooManyFound */
export async function startExport(
  api: LongshoreClient,
  form: ExportForm,
  filter: ItemFilter,
  signal: AbortSignal,
): Promise<string> {
  const { what, format, csv, profile, columns, since, publishAs } = form;
  const isPlain = profile === undefined;
  const forms = isPlain && format === 'CSV' && csv === 'semicolon';
  const shape = {
    format,
    ...(forms ? { delimiter: ';' as const, decimalSeparator: ',' as const, bom: true } : {}),
    ...(isPlain ? {} : { profile }),
    // An address always has a whole export.
    ...(publishAs === undefined || since !== undefined ? {} : { publishAs }),
  };
  if (what === 'attributes')
    return idOf(await api.exportMatchingAttributes({ body: { ...shape, match: {} } as never }));
  if (what === 'categories')
    return idOf(await api.exportMatchingCategories({ body: { ...shape, match: {} } as never }));
  const { type: _, ...others } = matchOf(filter);
  const sku = await namedBySearch(api, filter, signal);
  const body: schemas.ExportMatchingItemsRequest = {
    ...shape,
    match: { ...others, ...(sku === undefined ? {} : { sku }) },
    ...(columns === undefined || !isPlain ? {} : { columns: [...columns] }),
    ...(since === undefined ? {} : { since }),
  };
  return idOf(what === 'bundles' ? await api.exportMatchingBundles({ body }) : await api.exportMatchingItems({ body }));
}

/** An export has no search for words: the items that the search finds are named. @returns undefined: all */
async function namedBySearch(
  api: LongshoreClient,
  filter: ItemFilter,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const { q, sku } = filter;
  if (q === undefined && sku === undefined) return undefined;
  const asked = { match: matchOf(filter), ...(q && { q }), ...(sku && { skuPrefix: sku }), limit: PAGE };
  const found: string[] = [];
  for (let next: schemas.ItemSearchNext = {}; next !== null; ) {
    const page: schemas.FoundItems = await api.searchItems({ body: { ...asked, ...next } }, { signal });
    found.push(...page.items.map((item) => item.sku));
    if (found.length > MOST_NAMED) throw new TooManyFound();
    next = page.next;
  }
  return found;
}

function idOf(answer: { readonly jobId: string }): string {
  return answer.jobId;
}
