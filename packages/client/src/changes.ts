/** What jobs have changed, and the feed of all changes. */
import type { Change } from './generated/types.js';
import type { InputOf, Operations } from './operations.js';
import type { CallOptions } from './transport.js';

type Call = Pick<CallOptions, 'site' | 'signal'>;

/** Which changes are wanted. */
export type ChangeFilter = Omit<InputOf<'listChanges'>, 'since' | 'limit' | 'wait'>;

/** Which changes of a job are wanted: those of what is around the catalog are among them. */
export type JobChangeFilter = Omit<InputOf<'listJobChanges'>, 'id' | 'limit' | 'after'>;

export interface FollowOptions extends Call, Partial<ChangeFilter> {
  /** Where to begin: the `cursor` of an earlier page. Default: the present. */
  readonly since?: string | undefined;
  /** Ends when there are no more changes, instead of waiting for further ones. */
  readonly once?: boolean | undefined;
}

/** Some changes, and where to go on after them. */
export interface ChangePage {
  readonly changes: readonly Change[];
  /** Keep it when the changes are processed: a later call with it as `since` goes on here. */
  readonly cursor: string;
}

const MAX_PAGE = 1_000;
/** How long the API waits for a change, in seconds. */
const WAIT_SECONDS = 20;

/** All changes of a job, or of a dry run; pages are fetched as they are needed. @throws LongshoreError */
export async function* jobChanges(
  api: Operations,
  id: string,
  { site, signal, ...filter }: Call & Partial<JobChangeFilter> = {},
): AsyncGenerator<Change, void, undefined> {
  for (let after: string | undefined; ; ) {
    const input = { id, limit: MAX_PAGE, ...filter, ...(after === undefined ? {} : { after }) };
    const page = await api.listJobChanges(input, { site, signal });
    yield* page.data;
    if (page.next === undefined) return;
    after = page.next;
  }
}

/**
 * The changes of a stage in the order in which they were committed, a page at a time, until the signal is aborted or, with
 * `once`, there are no more. Pages without changes are yielded too: their cursor is newer.
 * @throws LongshoreError; CURSOR_GONE when changes after the cursor are no longer kept
 */
export async function* followChanges(
  api: Operations,
  { since, once = false, site, signal, ...filter }: FollowOptions = {},
): AsyncGenerator<ChangePage, void, undefined> {
  const call = { site, signal };
  let cursor = since ?? (await api.getChangeCursor({}, call)).cursor;
  for (;;) {
    const wait = once ? 0 : WAIT_SECONDS;
    const page = await api.listChanges({ since: cursor, limit: MAX_PAGE, wait, ...filter }, call);
    cursor = page.cursor;
    yield { changes: page.data, cursor };
    if (once && !page.more) return;
  }
}

/** The changes of an item, newest first. @throws LongshoreError */
export async function* itemHistory(
  api: Operations,
  sku: string,
  call: Call = {},
): AsyncGenerator<Change, void, undefined> {
  for (let after: string | undefined; ; ) {
    const page = await api.getItemHistory({ sku, ...(after === undefined ? {} : { after }) }, call);
    yield* page.data;
    if (page.next === undefined) return;
    after = page.next;
  }
}
