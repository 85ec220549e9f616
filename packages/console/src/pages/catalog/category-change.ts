/** What is changed of a category: it is tried first, then written, and can be taken back. */
import type { FailedRow, LongshoreClient } from '@longshore/client';
import { presentCategory } from './category-rows.js';
import type { TreeNode } from './category-tree.js';

export type CategoryChange =
  | {
      readonly what: 'create';
      readonly name: string;
      /** Undefined: a tree of its own, or at the top of the main tree. */
      readonly parent: number | undefined;
      readonly type: TreeNode['type'];
    }
  | { readonly what: 'rename'; readonly node: TreeNode; readonly name: string }
  | { readonly what: 'state'; readonly node: TreeNode; readonly active?: boolean; readonly order?: number };

/** What a trial has found, or a job has done. */
export interface ChangeResult {
  /** Undefined: nothing was tried, because only the letters differ. */
  readonly jobId: string | undefined;
  readonly failed: readonly FailedRow[];
  /** Why nothing changes though no row has failed; undefined: something does. */
  readonly unchanged: 'exists' | 'same' | undefined;
  /** Nothing is written before somebody approves it. */
  readonly waits: boolean;
  /** As it is called now; undefined: a new one. */
  readonly before: string | undefined;
}

/** Says what the API would say, and writes nothing. @throws LongshoreError */
export async function tryChange(api: LongshoreClient, change: CategoryChange): Promise<ChangeResult> {
  if (change.what !== 'rename') return send(api, change, true);
  const { name: before, row } = await presentCategory(api, change.node.nodeId);
  const nothing = { jobId: undefined, failed: [], waits: false, before };
  if (change.name === before) return { ...nothing, unchanged: 'same' };
  // The key of a name is the same in capitals and small letters.
  if (keyOf(change.name) === keyOf(before)) return { ...nothing, unchanged: undefined };
  // No row renames a category: a trial of a new one in its place says whether the name is free there, and accepted.
  return sendRow(api, { ...row, name: change.name.trim() }, { isTrial: true, before, isNew: true });
}

/** @throws LongshoreError */
export async function writeChange(api: LongshoreClient, change: CategoryChange): Promise<ChangeResult> {
  if (change.what !== 'rename') return send(api, change, false);
  const { name: before } = await presentCategory(api, change.node.nodeId);
  await api.updateCategory({ body: { nodeId: change.node.nodeId, name: change.name } });
  return { jobId: undefined, failed: [], unchanged: undefined, waits: false, before };
}

/** Takes back that a category was renamed. @returns false: somebody else has renamed it since, and it stays @throws LongshoreError */
export async function renameBack(api: LongshoreClient, nodeId: number, from: string, to: string): Promise<boolean> {
  const { name } = await presentCategory(api, nodeId);
  if (keyOf(name) !== keyOf(from)) return false;
  await api.updateCategory({ body: { nodeId, name: to } });
  return true;
}

/** The node id of the category that a job has created. @throws LongshoreError */
export async function createdBy(api: LongshoreClient, jobId: string): Promise<number | undefined> {
  const { data } = await api.listJobChanges({ id: jobId, limit: 1, types: ['category'] });
  const nodeId = data[0]?.definition?.after?.nodeId;
  return typeof nodeId === 'number' ? nodeId : undefined;
}

async function send(
  api: LongshoreClient,
  change: Exclude<CategoryChange, { what: 'rename' }>,
  isTrial: boolean,
): Promise<ChangeResult> {
  if (change.what === 'create') {
    const { name, parent, type } = change;
    const row = parent === undefined ? { name, type } : { name, parentNodeId: parent };
    return sendRow(api, row, { isTrial, before: undefined, isNew: true });
  }
  const { node, active, order } = change;
  const { name, row } = await presentCategory(api, node.nodeId);
  const changed = { ...(active === undefined ? {} : { active }), ...(order === undefined ? {} : { order }) };
  return sendRow(api, { ...row, ...changed }, { isTrial, before: name, isNew: false });
}

async function sendRow(
  api: LongshoreClient,
  row: Awaited<ReturnType<typeof presentCategory>>['row'],
  {
    isTrial,
    before,
    isNew,
  }: { readonly isTrial: boolean; readonly before: string | undefined; readonly isNew: boolean },
): Promise<ChangeResult> {
  const { jobIds, failed, awaitingApproval } = await api.bulk('upsertCategories', [row], { dryRun: isTrial });
  const [jobId = ''] = jobIds;
  const waits = awaitingApproval.length > 0;
  if (failed.length > 0 || waits) return { jobId, failed, waits, unchanged: undefined, before };
  const { createdCount, updatedCount } = (await api.getJob({ id: jobId })).progressTracker;
  // Somebody has renamed the category since it was looked at: what was created of its old name goes again.
  if (!isNew && createdCount > 0 && !isTrial) await api.revert(jobId);
  const isNothing = isNew ? createdCount === 0 : updatedCount === 0;
  return { jobId, failed, waits, unchanged: isNothing ? (isNew ? 'exists' : 'same') : undefined, before };
}

function keyOf(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}
