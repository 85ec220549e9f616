/** The option `snapshot` as clients give it. */
import { z } from 'zod';
import { ITEM_FILES } from '../model/types/item-job.js';

const MAX_NAME = 1_000;
const MAX_TEXT = 32_767;
/** A row has no more columns than this. */
const MAX_CLEARED = 2_000;
const MAX_VALUES = 1_000;
const DEFAULT_PERCENT = 5;

/** The messages for a text that is none of them. */
const SCOPES = 'expected "stage", {"category": …}, {"attribute": …, "value": …}, {"feed": …} or "feed"';
const WAYS = 'expected "delete", {"set": {"attribute": …, "value": …}} or {"clear": ["…"]}';

const name = z.string().min(1, 'is empty').max(MAX_NAME);
const scalar = z.union([z.string().max(MAX_TEXT), z.number(), z.boolean()], 'expected a text, a number, true or false');

const scope = z
  .union(
    [
      z.enum(['stage', 'feed'], SCOPES),
      z.strictObject({ category: name }),
      z.strictObject({ attribute: name, value: scalar }),
      z.strictObject({ feed: name }),
    ],
    SCOPES,
  )
  .meta({
    description:
      'Of which items the file has all. A category is meant with all below it, and a feed (`{"feed": name}`, or `"feed"` in its own options) with what it has written',
  });

const missing = z
  .union(
    [
      z.literal('delete', WAYS),
      z.strictObject({
        set: z.strictObject({
          attribute: name,
          value: z.union([scalar, z.array(z.string().max(MAX_TEXT)).max(MAX_VALUES)]),
        }),
      }),
      z.strictObject({ clear: z.array(name).min(1, 'names no attribute').max(MAX_CLEARED) }),
    ],
    WAYS,
  )
  .meta({ description: 'What becomes of the items in the scope that the file lacks' });

export const snapshotSchema = z
  .strictObject({
    scope,
    missing,
    maxMissingPercent: z.number().min(0).max(100).default(DEFAULT_PERCENT).meta({
      description: 'Nothing is removed if more than this share of the items in the scope would go',
    }),
    maxMissing: z.int().min(0).optional().meta({ description: 'Nothing is removed if more items would go' }),
    minRows: z.int().min(1).optional().meta({ description: 'Nothing is removed if the file has fewer rows' }),
    onBrake: z.enum(['stop', 'approve']).optional().meta({
      description:
        'approve: if the brake holds, the rows are applied and the job waits as AWAITING_APPROVAL for its removals alone. Default: stop, nothing is removed',
    }),
  })
  .meta({
    id: 'Snapshot',
    description: 'The file is the whole truth within a scope: what it lacks is removed when its rows are applied',
    examples: [{ scope: { category: 'Storage' }, missing: 'delete', maxMissingPercent: 5, minRows: 5000 }],
  });

/** The files and requests that may be a whole truth. */
const WHOLE: readonly string[] = [...ITEM_FILES, 'ITEM_BULK_INSERT', 'ITEM_BULK_UPSERT'];

/** What is wrong with a snapshot for a file of this type and mode, or for such a request; undefined when nothing is. */
export function snapshotProblem(
  fileType: string | undefined,
  { snapshot, mode, onError }: { readonly snapshot?: unknown; readonly mode?: unknown; readonly onError?: unknown },
): string | undefined {
  if (snapshot === undefined) return undefined;
  if (fileType !== undefined && !WHOLE.includes(fileType)) {
    return `is for files of items and bundles, and this one is ${fileType}: leave it out`;
  }
  if (onError === 'abort' && Object(snapshot).onBrake === 'approve') {
    return 'onBrake "approve" needs onError skip: with abort, nothing at all is written when the brake holds. To have both approved, ask for requireApproval';
  }
  return mode === 'update'
    ? 'needs the mode upsert or insert: with update, the file does not say all of its items'
    : undefined;
}
