/** The tool that proposes changes of items, which people approve. */
import type { schemas } from '@longshore/client';
import { z } from 'zod';
import { BULK_BY_APPROVAL } from '../approval.js';
import { ToolProblem } from '../problem.js';
import { defineTool } from '../tool.js';
import { proposed, proposedOutput } from './proposed.js';

const MOST_ROWS = 1_000;
/** What a number of JSON holds for certain. */
const MOST_DIGITS = 15;

const OPERATIONS = {
  insert: 'insertItems',
  update: 'updateItems',
  upsert: 'upsertItems',
} as const;

const value = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .refine((given) => typeof given !== 'number' || isExact(given), 'write a number of more than 15 digits as a text');

const row = z.strictObject({
  sku: z.string().min(1).max(500),
  type: z.enum(['ITEM', 'BUNDLE']).optional().describe('Of a new item. Default: ITEM, or BUNDLE with bundleItems'),
  nodeName: z.string().min(1).optional().describe('The path of its category: Storage->Disk'),
  nodeId: z.int().optional().describe('Or the node id of its category'),
  parentSku: z
    .string()
    .min(1)
    .nullable()
    .optional()
    .describe('The item of which it is a variant; null: of none any more'),
  detach: z.boolean().optional().describe('With parentSku null: keeps the inherited values as its own'),
  attributes: z
    .record(z.string().min(1), value)
    .optional()
    .describe('Name → value; null clears it. What is left out stays'),
  bundleItems: z
    .array(z.strictObject({ sku: z.string().min(1), quantity: z.int().min(1) }))
    .nullable()
    .optional()
    .describe('All items of a bundle; null removes them'),
});

export const proposeChanges = defineTool({
  name: 'propose_changes',
  title: 'Propose changes of items',
  description:
    'Proposes changes of up to 1,000 items as a job that waits for the approval of a person: every row is checked, nothing is applied. It answers the job and a preview; show them to the user. "update" changes existing items only, "insert" creates only, "upsert" does both, "delete" takes rows with nothing but a sku. For more rows, write a file and use propose_file.',
  effect: 'proposes',
  input: z.strictObject({
    mode: z.enum(['update', 'upsert', 'insert', 'delete']),
    rows: z.array(row).min(1).max(MOST_ROWS),
    onError: z
      .enum(['skip', 'abort'])
      .default('skip')
      .describe('When it is approved: skip leaves out the rows that fail, abort applies all rows or none'),
  }),
  output: proposedOutput,
  run: async ({ mode, rows, onError }, call) => {
    const { api, signal } = call;
    if (mode !== 'delete') {
      const input = { body: rows as schemas.ItemInput[], onError, ...BULK_BY_APPROVAL };
      return proposed(call, (await api[OPERATIONS[mode]](input, { signal })).jobId);
    }
    const index = rows.findIndex((one) => Object.keys(one).length > 1);
    if (index !== -1) {
      throw new ToolProblem(`row ${index + 1} of a deletion has more than a sku: nothing was proposed`, {
        code: 'INPUT_INVALID',
        advice: 'Leave the other members out, or use another mode',
      });
    }
    const input = { body: { skus: rows.map(({ sku }) => sku) }, onError, ...BULK_BY_APPROVAL };
    return proposed(call, (await api.deleteItems(input, { signal })).jobId);
  },
});

/** Whether the number can be the one that was written: JSON of this protocol rounds those of more digits. */
function isExact(number: number): boolean {
  const [digits = ''] = String(number).replace(/[-.]/g, '').split('e');
  return digits.replace(/^0+|0+$/g, '').length <= MOST_DIGITS;
}
