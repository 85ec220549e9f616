/** Asks for an export of what the page says. */
import type { LongshoreClient, schemas } from '@longshore/client';
import { type ItemFilter, matchOf } from '../catalog/item-search.js';
import type { What } from './export-job.js';

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
  /** Only what this channel shows; undefined: all. */
  readonly channel?: number;
  /** Only what was changed up to this time, in ISO 8601; undefined: everything. */
  readonly upTo?: string;
}

/** What a request says beside its body: the part of the stage that it sees. */
export function siteOf({ channel, upTo }: Pick<ExportForm, 'channel' | 'upTo'>) {
  return { ...(channel === undefined ? {} : { channel }), ...(upTo === undefined ? {} : { date: upTo }) };
}

/** @returns the id of the job @throws LongshoreError */
export async function startExport(api: LongshoreClient, form: ExportForm, filter: ItemFilter): Promise<string> {
  const { what, format, csv, profile, columns, since, publishAs } = form;
  const options = { site: siteOf(form) };
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
    return idOf(await api.exportMatchingAttributes({ body: { ...shape, match: {} } as never }, options));
  if (what === 'categories')
    return idOf(await api.exportMatchingCategories({ body: { ...shape, match: {} } as never }, options));
  const { type: _, ...others } = matchOf(filter);
  const { q, sku } = filter;
  const body: schemas.ExportMatchingItemsRequest = {
    ...shape,
    match: { ...others, ...(q && { q }), ...(sku && { skuPrefix: sku }) },
    ...(columns === undefined || !isPlain ? {} : { columns: [...columns] }),
    ...(since === undefined ? {} : { since }),
  };
  return idOf(
    what === 'bundles'
      ? await api.exportMatchingBundles({ body }, options)
      : await api.exportMatchingItems({ body }, options),
  );
}

function idOf(answer: { readonly jobId: string }): string {
  return answer.jobId;
}
