/** The tools that look at changes: of a job, also before it is applied, and of the whole catalog. */
import { z } from 'zod';
import { changesText, known, limitInput, moreText, nextOf, paged, pagedOutput } from '../paging.js';
import { smallPage } from '../small.js';
import { defineTool } from '../tool.js';
import { jobId } from './jobs.js';
import { shownChange } from './shown-change.js';

const row = z.looseObject({});

const KINDS = ['item', 'attribute', 'category', 'assignment', 'mapping'] as const;

const kindsOf = <const Kinds extends readonly [string, ...string[]]>(kinds: Kinds) =>
  z.array(z.enum(kinds)).min(1).optional().describe('Only changes of these');

const chosen = {
  operations: z
    .array(z.enum(['CREATED', 'UPDATED', 'DELETED', 'STATUS']))
    .min(1)
    .optional(),
  attributes: z.array(z.string().min(1)).min(1).max(50).optional().describe('Only changes of one of these attributes'),
  sku: z.string().min(1).max(500).optional().describe('Only changes of this item'),
};

export const jobChanges = defineTool({
  name: 'job_changes',
  title: 'Read what a job changes',
  description:
    'Lists each value before and after that a job has changed, or that a proposal or a dry run would change, in pages. Use it as the preview of a proposal.',
  effect: 'reads',
  input: z.strictObject({
    id: jobId,
    kinds: kindsOf([...KINDS, 'profile', 'settings', 'webhook']),
    ...chosen,
    ...paged,
  }),
  output: z.object({ changes: z.array(row), ...pagedOutput }),
  run: async ({ id, kinds: types, limit, after, ...filter }, { api, signal }) => {
    const asked = { id, ...known({ types, after, ...filter }) };
    const page = await smallPage(limit, async (wanted) => {
      const { data, next } = await api.listJobChanges({ ...asked, limit: wanted }, { signal });
      return { rows: data.map(shownChange), next };
    });
    const text = `${changesText(page.rows.length)}. ${moreText(page)}`;
    return { text, data: { changes: [...page.rows], ...nextOf(page) } };
  },
});

export const catalogChanges = defineTool({
  name: 'catalog_changes',
  title: 'Follow the catalog',
  description:
    'Lists all changes of items and definitions after a cursor, in the order in which they were committed. Without "since" it answers the cursor of the present: keep it, and ask later what has changed since.',
  effect: 'reads',
  input: z.strictObject({
    since: z.string().min(1).optional().describe('The "cursor" of an earlier answer of this tool'),
    kinds: kindsOf(KINDS),
    ...chosen,
    limit: limitInput,
  }),
  output: z.object({
    changes: z.array(row),
    cursor: z.string().describe('Give it as "since" to go on'),
    more: z.boolean().describe('Whether there are further changes already'),
  }),
  run: async ({ since, kinds: types, limit, ...filter }, { api, signal }) => {
    if (since === undefined) {
      const { cursor } = await api.getChangeCursor({}, { signal });
      return { text: 'The cursor of the present.', data: { changes: [], cursor, more: false } };
    }
    const asked = { since, ...known({ types, ...filter }) };
    let more = false;
    const { rows, next: cursor = since } = await smallPage(limit, async (wanted) => {
      const page = await api.listChanges({ ...asked, limit: wanted }, { signal });
      more = page.more;
      return { rows: page.data.map(shownChange), next: page.cursor };
    });
    const text = `${changesText(rows.length)}. ${more ? 'There are more: call again with "cursor" as "since".' : 'There are no more yet.'}`;
    return { text, data: { changes: [...rows], cursor, more } };
  },
});
