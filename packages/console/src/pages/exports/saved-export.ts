/** An export that is saved under a name: what it keeps, and how it is run again. */
import type { LongshoreClient } from '@longshore/client';
import { type ItemFilter, readItemFilter } from '../catalog/item-search.js';
import { bodyOf, type Content, type View } from '../views/use-views.js';
import { WHAT } from './export-job.js';
import { type ExportForm, startExport } from './start-export.js';

export interface SavedExport {
  readonly form: ExportForm;
  readonly filter: ItemFilter;
  /** Whether each run writes only what has changed since the one before. */
  readonly isDelta: boolean;
  /** The last run, and the last one before it that wrote its file. */
  readonly lastJobId?: string;
  readonly baseJobId?: string;
}

export function contentOf(saved: SavedExport): Content {
  return { ...saved };
}

/** Reads what some other program may have stored. */
export function savedExportOf(content: Content): SavedExport {
  const { what, format, csv, profile, columns, publishAs, channel, upTo } = Object(content.form) as Record<
    string,
    unknown
  >;
  const form: ExportForm = {
    what: WHAT.find((one) => one === what) ?? 'items',
    format: format === 'XLSX' || format === 'JSONL' ? format : 'CSV',
    csv: csv === 'semicolon' ? csv : 'standard',
    ...(typeof profile === 'string' ? { profile } : {}),
    ...(Array.isArray(columns) ? { columns: columns.map(String) } : {}),
    ...(typeof publishAs === 'string' ? { publishAs } : {}),
    ...(typeof channel === 'number' ? { channel } : {}),
    ...(typeof upTo === 'string' ? { upTo } : {}),
  };
  return {
    form,
    filter: readItemFilter(Object(content.filter) as Record<string, unknown>),
    isDelta: content.isDelta === true,
    ...(typeof content.lastJobId === 'string' ? { lastJobId: content.lastJobId } : {}),
    ...(typeof content.baseJobId === 'string' ? { baseJobId: content.baseJobId } : {}),
  };
}

/** @returns the id of the job @throws LongshoreError */
export async function runSaved(api: LongshoreClient, view: View, mayNote: boolean): Promise<string> {
  const saved = savedExportOf(view.content);
  const { form, filter, isDelta } = saved;
  const isOfItems = form.what === 'items' || form.what === 'bundles';
  const baseJobId = isDelta && isOfItems ? await baseOf(api, saved) : undefined;
  const asked = baseJobId === undefined ? form : { ...form, since: { jobId: baseJobId } };
  const ofKind = isOfItems
    ? { ...filter, type: form.what === 'bundles' ? ('BUNDLE' as const) : ('ITEM' as const) }
    : filter;
  const jobId = await startExport(api, asked, ofKind);
  if (isDelta && mayNote) {
    const { baseJobId: _, ...others } = saved;
    const content = contentOf({ ...others, lastJobId: jobId, ...(baseJobId === undefined ? {} : { baseJobId }) });
    // Where somebody else has changed it meanwhile, the next run writes a little more than it would have to.
    await api.updateView({ viewId: view.id, body: { ...bodyOf(view), content } }).catch(() => undefined);
  }
  return jobId;
}

/** The run since which changes are written: the last one, or where that wrote no file, the one before. */
async function baseOf(api: LongshoreClient, { lastJobId, baseJobId }: SavedExport): Promise<string | undefined> {
  if (lastJobId === undefined) return undefined;
  const last = await api.getJob({ id: lastJobId });
  return last.status === 'COMPLETED' ? lastJobId : baseJobId;
}
