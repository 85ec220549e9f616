/** Decides a row whose item exists. */
import type { Component } from '../../../catalog/items/bundle-items-cell.js';
import {
  addDifference,
  type Difference,
  type Differences,
  differencesOf,
  FIELD,
} from '../../../changes/model/item-change.js';
import { ItemDocument } from '../item-document.js';
import type { CategoryRules, ItemRules } from '../item-rules.js';
import type { FixedNames } from '../read/item-columns.js';
import type { ItemDraft } from '../read/item-draft.js';
import type { ItemDecision } from './item-decision.js';
import { contradictsVariant, foreignTo, isIn, NO_PROBLEMS, required, unassigned } from './item-problems.js';
import { statusOf } from './item-status.js';
import { componentsAfter, typeAfter, typeMismatch } from './item-type.js';
import { inheritedValues, NO_RELATIONS, type Relations, type Values } from './relations.js';
import type { StoredItem } from './stored-item.js';

/**
 * Decides what a row changes about an item that exists.
 * @param relations what the item gets from the items that it or its row refers to
 */
export function decideChange(
  draft: ItemDraft,
  stored: StoredItem,
  rules: ItemRules,
  channel: number | null,
  names: FixedNames,
  relations: Relations = NO_RELATIONS,
): ItemDecision {
  const mismatch = typeMismatch(draft, stored, names);
  if (draft.faults?.knowsPlace === false) return { kind: 'failed', problems: [...mismatch] };
  const nodeId = draft.nodeId ?? stored.nodeId;
  const category = nodeId === null ? undefined : rules.ofCategory(nodeId);
  if (category === undefined) {
    const message = 'the category of the item no longer exists; name another one';
    return { kind: 'failed', problems: [...mismatch, { code: 'NODE_NOT_FOUND', column: names.category, message }] };
  }
  const inherited = inheritedValues(relations.parent, category, rules);
  const parentSku = parentOf(draft, stored);
  const { attributes, changed } = valuesAfter(draft, stored, category, rules, relations);
  const left = stored.parentSku !== null && parentSku !== stored.parentSku;
  const moved = category.category.nodeId !== stored.nodeId;
  // An item that lacks a value since before the attribute was required may be changed otherwise.
  const lost = category.required.filter(
    (position) =>
      draft.faults?.knowsValues !== false &&
      !draft.set.includes(position) &&
      (moved || draft.cleared.includes(position) || (left && rules.inheritable.includes(position))) &&
      !isIn(attributes, position, rules) &&
      !isIn(inherited, position, rules),
  );
  const isRestored = draft.revert === 'restore';
  const ofValues = isRestored
    ? NO_PROBLEMS
    : [
        ...lost.map((position) => required(rules, position)),
        ...unassigned(newlyForeign(draft, stored, category, rules), category, rules),
        ...contradictsVariant(draft, parentSku, rules),
      ];
  const problems = [...mismatch, ...ofValues];
  if (problems.length > 0) return { kind: 'failed', problems };

  const remarked = !isRestored && markVariant(attributes, parentSku, category, rules);
  const channels = channelsAfter(draft, stored, channel);
  const type = typeAfter(draft, stored);
  const components = componentsAfter(draft, stored, type);
  const held = components ?? relations.components;
  const empty = type === 'B' && held.length === 0;
  const status = empty ? 'D' : statusOf(attributes, inherited, category, rules);
  const reassembled = components !== undefined && !sameComponents(components, relations.components);
  if (
    !changed &&
    !remarked &&
    !reassembled &&
    !relations.reclassified &&
    type === stored.type &&
    category.category.nodeId === stored.nodeId &&
    parentSku === stored.parentSku &&
    channels === stored.channels &&
    status === stored.status
  ) {
    return { kind: 'unchanged' };
  }
  const place = { type, nodeId: category.category.nodeId, status, parentSku, channels };
  return {
    kind: 'update',
    changed: differencesAfter(
      stored,
      attributes,
      place,
      reassembled ? componentsChange(relations.components, components) : null,
    ),
    item: {
      sku: draft.sku,
      ...place,
      document: ItemDocument.ofObject(attributes),
      extra: '',
      hash: draft.hash,
      place: stored.place,
      components: reassembled ? components : null,
    },
    variantsFollow: changesWhatVariantsHave(stored.attributes, attributes, rules),
  };
}

/** One object, which is not spread into another: there is one for each row. @param components null: they stay */
function differencesAfter(
  stored: StoredItem,
  attributes: Readonly<Record<string, unknown>>,
  place: Pick<StoredItem, PlaceField>,
  components: Difference | null,
): Differences {
  const differences = differencesOf(stored.attributes, attributes);
  addDifference(differences, FIELD.node, stored.nodeId, place.nodeId);
  addDifference(differences, FIELD.parent, stored.parentSku, place.parentSku);
  addDifference(differences, FIELD.channels, stored.channels, place.channels);
  addDifference(differences, FIELD.status, stored.status, place.status);
  if (place.type !== stored.type) differences[FIELD.type] = { b: stored.type, a: place.type };
  if (components !== null) differences[FIELD.bundle] = components;
  return differences;
}

type PlaceField = 'type' | 'nodeId' | 'parentSku' | 'channels' | 'status';

/** A bundle without components has none before or after. */
function componentsChange(before: readonly Component[], after: readonly Component[]): Difference {
  return { ...(before.length > 0 ? { b: before } : {}), ...(after.length > 0 ? { a: after } : {}) };
}

/**
 * The attributes that a row newly sets although they are not assigned to its category. An item keeps its value when an
 * attribute is removed from the category, so that a row with the stored value, as exports write it, sets nothing new. A
 * row that moves the item to another category sets all its values newly.
 */
function newlyForeign(
  draft: ItemDraft,
  stored: StoredItem,
  category: CategoryRules,
  rules: ItemRules,
): readonly number[] {
  const foreign = foreignTo(category, draft);
  if (foreign.length === 0 || category.category.nodeId !== stored.nodeId) return foreign;
  const values = draft.document.parse();
  return foreign.filter((position) => {
    const { id } = rules.definition(position);
    // Of a value that is wrong, none is in the document.
    return values[id] === undefined || values[id] !== stored.attributes[id];
  });
}

/** The parent that an item has after a row. */
export function parentOf(draft: ItemDraft, stored: StoredItem | undefined): string | null {
  if (draft.detach) return null;
  return draft.parentSku === undefined ? (stored?.parentSku ?? null) : draft.parentSku;
}

/** The item's own values after the row: it keeps those of a parent that it leaves; the row sets and clears others. */
function valuesAfter(
  draft: ItemDraft,
  stored: StoredItem,
  category: CategoryRules,
  rules: ItemRules,
  relations: Relations,
): { attributes: Record<string, unknown>; changed: boolean } {
  const attributes: Record<string, unknown> = { ...stored.attributes };
  let changed = false;
  const taken = draft.detach ? inheritedValues(relations.formerParent, category, rules) : {};
  for (const [id, value] of Object.entries(taken)) {
    if (attributes[id] !== undefined) continue;
    attributes[id] = value;
    changed = true;
  }
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
  return { attributes, changed };
}

/** Sets the attribute mapped to `isVariant` to whether the item has a parent. @returns whether that changed it */
function markVariant(
  attributes: Record<string, unknown>,
  parentSku: string | null,
  category: CategoryRules,
  rules: ItemRules,
): boolean {
  const position = rules.variantAttribute;
  if (position < 0 || category.assigned[position] !== 1) return false;
  const { id } = rules.definition(position);
  const variant = parentSku !== null;
  // An item that was never a variant needs no value.
  if (attributes[id] === variant || (!variant && attributes[id] === undefined)) return false;
  attributes[id] = variant;
  return true;
}

/** The channels that a row names replace the stored ones. The stored list is returned if it stays. */
function channelsAfter(draft: ItemDraft, stored: StoredItem, channel: number | null): StoredItem['channels'] {
  if (draft.channels === undefined) return withChannel(stored.channels, channel);
  return String(draft.channels) === String(stored.channels) ? stored.channels : draft.channels;
}

/** An item without channels belongs to all of them; any other is added to this channel. */
function withChannel(channels: readonly number[] | null, channel: number | null): readonly number[] | null {
  if (channels === null || channel === null || channels.includes(channel)) return channels;
  return [...channels, channel].sort((a, b) => a - b);
}

/** Whether this change of an item's values may change the status of its variants. */
function changesWhatVariantsHave(before: Values, after: Values, rules: ItemRules): boolean {
  return rules.inheritable.some((position) => {
    const { id } = rules.definition(position);
    if ((before[id] === undefined) !== (after[id] === undefined)) return true;
    return position === rules.activeAttribute && before[id] !== after[id];
  });
}

function sameComponents(one: readonly Component[], other: readonly Component[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ sku, quantity }, index) => sku === other[index]?.sku && quantity === other[index]?.quantity)
  );
}
