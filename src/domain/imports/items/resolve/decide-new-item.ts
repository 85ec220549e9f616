/** Decides a row whose item does not exist. */
import type { Reserved } from '../../rows/input-plan.js';
import type { CategoryRules, ItemRules } from '../item-rules.js';
import type { FixedNames } from '../read/item-columns.js';
import type { ItemDraft } from '../read/item-draft.js';
import type { ItemDecision } from './item-decision.js';
import { contradictsVariant, foreignTo, isIn, missingRequired, NO_PROBLEMS, unassigned } from './item-problems.js';
import { statusOf } from './item-status.js';
import { inheritedValues, NO_RELATIONS, type Relations, type Values } from './relations.js';
import { serialMembers, usedUpSerials } from './serials.js';

/**
 * Decides what a row creates when no item has its SKU.
 * @param relations what the row's item gets from the items that it refers to
 */
export function decideNewItem(
  draft: ItemDraft,
  rules: ItemRules,
  channel: number | null,
  names: FixedNames,
  reserved: Reserved,
  relations: Relations = NO_RELATIONS,
): ItemDecision {
  const category = draft.nodeId === null ? undefined : rules.ofCategory(draft.nodeId);
  if (draft.faults?.knowsPlace === false) return NO_PLACE;
  if (category === undefined) {
    const message = 'a new item needs a category; name one ("Category Node" in files, nodeName or nodeId in JSON)';
    return { kind: 'failed', problems: [{ code: 'NODE_NOT_FOUND', column: names.category, message }] };
  }
  const inherited = inheritedValues(relations.parent, category, rules);
  const parentSku = draft.parentSku ?? null;
  if (draft.revert === 'restore') return restoredItem(draft, category, inherited, rules);
  const problems = [
    ...(draft.faults?.knowsValues === false ? NO_PROBLEMS : missingRequired(draft, inherited, category, rules)),
    ...unassigned(foreignTo(category, draft), category, rules),
    ...contradictsVariant(draft, parentSku, rules),
    ...usedUpSerials(draft.row, draft.set, category.assigned, rules, reserved),
  ];
  if (problems.length > 0) return { kind: 'failed', problems };
  const missing = category.mandatory.some((position) => !isSet(draft, position, inherited, rules));
  const channels = draft.channels !== undefined ? draft.channels : channel === null ? null : [channel];
  const isDraft = draft.inactive || missing || lacksComponents(draft) || isSwitchedOff(draft, inherited, rules);
  const extra = extraMembers(draft, parentSku, category, rules, reserved);
  return created(draft, category, { status: isDraft ? 'D' : 'L', channels, extra });
}

/** An item that was deleted comes back as it was: with its own values, and no others. */
function restoredItem(draft: ItemDraft, category: CategoryRules, inherited: Values, rules: ItemRules): ItemDecision {
  const status = lacksComponents(draft) ? 'D' : statusOf(draft.document.parse(), inherited, category, rules);
  return created(draft, category, { status, channels: draft.channels ?? null, extra: '' });
}

function lacksComponents({ type, components }: ItemDraft): boolean {
  return type === 'B' && !components?.length;
}

type CreatedItem = Extract<ItemDecision, { kind: 'create' }>['item'];

function created(
  draft: ItemDraft,
  { category: { nodeId } }: CategoryRules,
  decided: Pick<CreatedItem, 'status' | 'channels' | 'extra'>,
): ItemDecision {
  // One literal: objects of spreads are made, read and collected several times as slowly, and there is one for each row.
  return {
    kind: 'create',
    item: {
      sku: draft.sku,
      type: draft.type ?? 'I',
      nodeId,
      status: decided.status,
      parentSku: draft.parentSku ?? null,
      channels: decided.channels,
      document: draft.document,
      extra: decided.extra,
      hash: draft.hash,
      place: null,
      components: draft.type === 'B' ? (draft.components ?? null) : null,
    },
  };
}

/** Nothing can be judged that depends on the category of the row's item. */
const NO_PLACE: ItemDecision = { kind: 'failed', problems: [] };

/** Whether the attribute has a value; a SERIAL attribute gets its value when the item is created. */
function isSet(draft: ItemDraft, position: number, inherited: Values, rules: ItemRules): boolean {
  return draft.set.includes(position) || rules.serials.includes(position) || isIn(inherited, position, rules);
}

function isSwitchedOff(draft: ItemDraft, inherited: Values, rules: ItemRules): boolean {
  const position = rules.activeAttribute;
  return position >= 0 && !draft.set.includes(position) && inherited[rules.definition(position).id] === false;
}

/** The members that a new item gets in addition to those of its row. */
function extraMembers(
  draft: ItemDraft,
  parentSku: string | null,
  category: CategoryRules,
  rules: ItemRules,
  reserved: Reserved,
): string {
  const serials = serialMembers(draft.row, draft.set, category.assigned, rules, reserved);
  const position = rules.variantAttribute;
  if (parentSku === null || position < 0 || category.assigned[position] !== 1 || draft.set.includes(position)) {
    return serials;
  }
  const member = `${rules.attribute(position).jsonKey}:true`;
  return serials === '' ? member : `${serials},${member}`;
}
