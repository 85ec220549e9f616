/** What an export was asked for, as the request said it: a job shows it, so that it can be asked for again. */
import { z } from 'zod';

/** Filters of more than so many characters are lists that a program has made: lists of jobs would be megabytes with them. */
const MOST_CHARACTERS = 20_000;

export const exportRequest = z
  .object({
    match: z.record(z.string(), z.unknown()).optional().meta({ description: 'As in the request by a filter' }),
    named: z.int().optional().meta({ description: 'Of a request that named its records: how many' }),
    columns: z.array(z.string()).readonly().optional().meta({ description: 'Absent: those that an import reads' }),
    since: z
      .object({ cursor: z.string().optional(), jobId: z.string().optional(), time: z.string().optional() })
      .readonly()
      .optional()
      .meta({ description: 'Only what has changed since was asked for' }),
    publishAs: z.string().optional().meta({ description: 'The published file at whose address it is found' }),
    channel: z.int().optional().meta({ description: 'The channel of its site context; absent: all items' }),
    date: z.string().optional().meta({
      description: 'The date of its site context, as ISO 8601: only what was changed up to it; absent: everything',
    }),
  })
  .readonly();
type ExportRequest = z.output<typeof exportRequest>;

/** Of the body of a request for an export. */
export interface AskedExport {
  readonly match?: object | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly since?: object | undefined;
  readonly publishAs?: string | undefined;
  readonly ids?: readonly unknown[] | undefined;
  readonly skus?: readonly unknown[] | undefined;
  readonly names?: readonly unknown[] | undefined;
  readonly nodeIds?: readonly unknown[] | undefined;
}

/**
 * What is kept of the body of a request: neither the address that is called nor a profile that came with it.
 * @returns undefined when it names no records, as that of a whole stage, or is too long to be shown
 */
export function keptRequest({ match, columns, since, publishAs, ...lists }: AskedExport): ExportRequest | undefined {
  const list = lists.ids ?? lists.skus ?? lists.names ?? lists.nodeIds;
  if (match === undefined && list === undefined) return undefined;
  const named = list === undefined ? undefined : new Set(list).size;
  const text = JSON.stringify({ match, named, columns, since, publishAs });
  return text.length > MOST_CHARACTERS ? undefined : exportRequest.parse(JSON.parse(text));
}

/**
 * What a job says of it; undefined: it is no export, or from before this was kept.
 * @param channel of the job, which its options do not have
 */
export function requestIn(options: unknown, channel: number | null): ExportRequest | undefined {
  const { request, date } = Object(options) as { readonly request?: unknown; readonly date?: unknown };
  const { data } = exportRequest.safeParse(request);
  if (data === undefined) return undefined;
  return { ...data, ...(channel === null ? {} : { channel }), ...(typeof date === 'string' ? { date } : {}) };
}
