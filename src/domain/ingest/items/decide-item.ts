/** Decides what a row does to the item it names: pure, so that the outcome depends on the row and the item alone. */
import type { Reserved } from '../ingest-kind.js';
import type { RowProblem } from '../row-problem.js';
import type { FixedNames } from './item-columns.js';
import { ItemDocument } from './item-document.js';
import type { ItemDraft } from './item-draft.js';
import type { CategoryRules, ItemRules } from './item-rules.js';
import type { ItemState } from './item-state.js';
import { serialMembers } from './serials.js';
import type { StoredItem } from './stored-item.js';

export type ItemDecision =
  | { readonly kind: 'create' | 'update'; readonly item: ItemState }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly problems: RowProblem[] };

/** What a row creates when no item has its SKU. */
export function decideNewItem(
  draft: ItemDraft,
  rules: ItemRules,
  channel: number | null,
  names: FixedNames,
  reserved: Reserved,
): ItemDecision {
  const category = draft.nodeId === null ? undefined : rules.ofCategory(draft.nodeId);
  if (category === undefined) {
    const message = 'a new item needs a category; name one ("Category Node" in files, nodeName or nodeId in JSON)';
    return { kind: 'failed', problems: [{ code: 'NODE_NOT_FOUND', column: names.category, message }] };
  }
  const problems = [...missingRequired(draft, rules), ...unassigned(draft.set, category, rules)];
  if (problems.length > 0) return { kind: 'failed', problems };
  return {
    kind: 'create',
    item: {
      sku: draft.sku,
      nodeId: category.category.nodeId,
      status: draft.inactive || category.mandatory.some((position) => !isSet(draft, position, rules)) ? 'D' : 'L',
      parentSku: draft.parentSku ?? null,
      channels: channel === null ? null : [channel],
      document: draft.document,
      extra: serialMembers(draft.row, draft.set, category.assigned, rules, reserved),
      hash: draft.hash,
    },
  };
}

/** A SERIAL is given its value with the item. */
function isSet(draft: ItemDraft, position: number, rules: ItemRules): boolean {
  return draft.set.includes(position) || rules.serials.includes(position);
}

function missingRequired(draft: ItemDraft, rules: ItemRules): RowProblem[] {
  const missing = rules.required.filter((position) => !draft.set.includes(position));
  return missing.map((position) => required(rules, position));
}

function required(rules: ItemRules, position: number): RowProblem {
  const { name } = rules.definition(position);
  return { code: 'ATTRIBUTE_REQUIRED', column: name, message: `"${name}" is required and has no value; give it one` };
}

function unassigned(set: readonly number[], category: CategoryRules, rules: ItemRules): RowProblem[] {
  const foreign = set.filter((position) => category.assigned[position] !== 1);
  return foreign.map((position) => {
    const { name } = rules.definition(position);
    const message = `"${name}" is not assigned to the category "${category.path}"; assign it, or leave the value out`;
    return { code: 'ATTRIBUTE_NOT_ASSIGNED', column: name, message };
  });
}

/** What a row makes of an item that exists. */
export function decideChange(
  draft: ItemDraft,
  stored: StoredItem,
  rules: ItemRules,
  channel: number | null,
  names: FixedNames,
): ItemDecision {
  const nodeId = draft.nodeId ?? stored.nodeId;
  const category = nodeId === null ? undefined : rules.ofCategory(nodeId);
  if (category === undefined) {
    const message = 'the category of the item no longer exists; name another one';
    return { kind: 'failed', problems: [{ code: 'NODE_NOT_FOUND', column: names.category, message }] };
  }
  const problems = [
    ...draft.cleared.filter((position) => rules.required.includes(position)).map((p) => required(rules, p)),
    ...unassigned(draft.set, category, rules),
  ];
  if (problems.length > 0) return { kind: 'failed', problems };

  const attributes: Record<string, unknown> = { ...stored.attributes };
  let changed = false;
  for (const [id, value] of Object.entries(draft.document.parse())) {
    if (attributes[id] === value) continue;
    attributes[id] = value;
    changed = true;
  }
  for (const position of draft.cleared) {
    const { id } = rules.definition(position);
    if (!(id in attributes)) continue;
    delete attributes[id];
    changed = true;
  }
  const parentSku = draft.parentSku === undefined ? stored.parentSku : draft.parentSku;
  const channels = withChannel(stored.channels, channel);
  const status = statusOf(attributes, category, rules);
  changed ||=
    category.category.nodeId !== stored.nodeId ||
    parentSku !== stored.parentSku ||
    channels !== stored.channels ||
    status !== stored.status;
  if (!changed) return { kind: 'unchanged' };
  return {
    kind: 'update',
    item: {
      sku: draft.sku,
      nodeId: category.category.nodeId,
      status,
      parentSku,
      channels,
      document: ItemDocument.ofObject(attributes),
      extra: '',
      hash: draft.hash,
    },
  };
}

/** An untagged item is every channel's; a tagged one becomes this channel's too. */
function withChannel(channels: readonly number[] | null, channel: number | null): readonly number[] | null {
  if (channels === null || channel === null || channels.includes(channel)) return channels;
  return [...channels, channel].sort((a, b) => a - b);
}

/** DRAFT while the category misses a mandatory value, or while the attribute mapped to `active` is false. */
function statusOf(attributes: Readonly<Record<string, unknown>>, category: CategoryRules, rules: ItemRules): 'L' | 'D' {
  const missing = category.mandatory.some((position) => attributes[rules.definition(position).id] === undefined);
  const off = rules.activeAttribute >= 0 && attributes[rules.definition(rules.activeAttribute).id] === false;
  return missing || off ? 'D' : 'L';
}
