/** What an earlier export was asked for, as the form of a new one has it. */
import type { Job } from '@longshore/client';
import { type ItemFilter, isDay, readItemFilter } from '../catalog/item-search.js';
import { whatOf } from './export-job.js';
import type { ExportForm } from './start-export.js';

type Members = Readonly<Record<string, unknown>>;

export interface AgainForm {
  readonly form: ExportForm;
  readonly filter: ItemFilter;
  /** The earlier export since which changes were written. */
  readonly since?: string;
  /** The day since which changes were written. */
  readonly day?: string;
}

/** What of a filter the fields and the conditions of the form say, and the names of what they do not. */
export function filterOf(match: Members): { readonly filter: ItemFilter; readonly left: readonly string[] } {
  const { status, categoryId, updatedAt, properties, q, skuPrefix, ...others } = match;
  const { op, value } = Object(updatedAt) as Members;
  const filter = readItemFilter({
    ...{ q, sku: skuPrefix, status, where: properties },
    ...(Array.isArray(categoryId) && categoryId.length === 1 ? { in: nodeIdOf(categoryId[0]) } : {}),
    ...(op === 'GTE' ? { changed: value } : {}),
  });
  const isSaid = (member: keyof ItemFilter, given: unknown) => given === undefined || filter[member] !== undefined;
  const allConditions = !Array.isArray(properties) || properties.length === (filter.where?.length ?? 0);
  const left = [
    ...(isSaid('q', q) ? [] : ['q']),
    ...(isSaid('sku', skuPrefix) ? [] : ['skuPrefix']),
    ...(isSaid('status', status) ? [] : ['status']),
    ...(isSaid('in', categoryId) ? [] : ['categoryId']),
    ...(isSaid('changed', updatedAt) ? [] : ['updatedAt']),
    ...(allConditions ? [] : ['properties']),
    ...Object.entries(others).flatMap(([name, given]) => (given === undefined ? [] : [name])),
  ];
  return { filter, left };
}

/**
 * The form that asks for the same; undefined: the form cannot say it, and would ask for something else.
 * @param mayPublish whether the person may have exports found at an address; what is asked for is not, otherwise
 */
export function againOf(job: Job, mayPublish: boolean): AgainForm | undefined {
  const { request, profile } = job;
  if (request?.match === undefined) return undefined;
  const { filter, left } = filterOf(request.match);
  const csv = csvOf(job);
  const { format } = job.options;
  const known = (['CSV', 'XLSX', 'JSONL'] as const).find((one) => one === format);
  if (left.length > 0 || csv === undefined || known === undefined || job.options.gzip === true) return undefined;
  if (profile !== null && profile.name === null) return undefined;
  const { columns, since, publishAs, channel, date } = request;
  // The form has days, of items and bundles alone.
  if (since?.cursor !== undefined || (since?.time !== undefined && !isBeginOfDay(since.time))) return undefined;
  const what = whatOf(job);
  const isOfItems = what === 'items' || what === 'bundles';
  if (!isOfItems && (since !== undefined || Object.keys(request.match).length > 0)) return undefined;
  return {
    form: {
      ...{ what, format: known, csv },
      ...(typeof profile?.name === 'string' ? { profile: profile.name } : {}),
      ...(columns === undefined ? {} : { columns }),
      ...(publishAs === undefined || !mayPublish ? {} : { publishAs }),
      ...(channel === undefined ? {} : { channel }),
      ...(date === undefined ? {} : { upTo: date }),
    },
    filter,
    ...(since?.jobId === undefined ? {} : { since: since.jobId }),
    ...(since?.time === undefined ? {} : { day: dayOf(since.time) }),
  };
}

/** Of CSV: one of the two forms that can be chosen; undefined: another one. */
function csvOf({ options, profile }: Job): ExportForm['csv'] | undefined {
  const { format, delimiter, decimalSeparator, bom, escapeFormulas } = options;
  if (escapeFormulas === true) return undefined;
  if (format !== 'CSV' || profile !== null) return 'standard';
  if (delimiter === ',' && decimalSeparator === '.' && bom !== true) return 'standard';
  return delimiter === ';' && decimalSeparator === ',' && bom === true ? 'semicolon' : undefined;
}

/** Node ids are numbers; the ids of categories are not. */
function nodeIdOf(given: unknown): number | undefined {
  return /^\d{1,15}$/.test(String(given)) ? Number(given) : undefined;
}

function isBeginOfDay(time: string): boolean {
  const at = new Date(time);
  return at.getHours() + at.getMinutes() + at.getSeconds() + at.getMilliseconds() === 0;
}

/** The day on which an instant is, where the person is. */
function dayOf(time: string): string {
  const at = new Date(time);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return isDay(day) ? day : '';
}
