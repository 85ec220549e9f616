/** What a row of a revert makes of its item, in the form in which rows of imports are applied. */
import { isOfType } from '../../catalog/is-of-type.js';
import type { Component } from '../../catalog/items/bundle-items-cell.js';
import type { AttributeDefinition } from '../../catalog/model/attribute-definition.js';
import { FIELD } from '../../changes/model/item-change.js';
import { storable } from '../../kernel/characters.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { ItemDocument } from '../items/item-document.js';
import type { ItemRules } from '../items/item-rules.js';
import type { ItemDraft } from '../items/read/item-draft.js';
import type { ItemImage } from './judge-row.js';
import type { RevertRow } from './revert-row.js';

/** The draft of a row, or why it cannot be applied, and whether it may be when attributes have their former types again. */
type DraftOrProblems = ItemDraft | { readonly problems: RowProblem[]; readonly mayWait: boolean };

interface DraftOptions {
  readonly row: number;
  /** Takes the place of the hash of what the item comes from: no row of an import has it. */
  readonly hash: number;
  /** The item as it is now; undefined: it is not there, or does not matter. */
  readonly present: ItemImage | undefined;
}

/** Values are those that were stored, by attribute id: no text is parsed. */
export function draftOf(row: RevertRow, rules: ItemRules, options: DraftOptions): DraftOrProblems {
  if (!row.was) return { ...blank(row, options), revert: 'delete' };
  const before = beforeOf(row, options.present);
  const values: Record<string, unknown> = {};
  const [set, cleared]: [number[], number[]] = [[], []];
  const problems: RowProblem[] = [];
  const ofOtherTypes: RowProblem[] = [];
  for (const [key, value] of before) {
    if (key.startsWith('$')) continue;
    const position = rules.positionOfId(key);
    if (position === undefined) {
      if (value !== undefined) problems.push(attributeGone(key));
    } else if (value === undefined) {
      cleared.push(position);
    } else {
      const definition = rules.definition(position);
      if (!isOfType(value, definition)) ofOtherTypes.push(ofOtherType(value, definition));
      values[key] = value;
      set.push(position);
    }
  }
  const nodeId = before.get(FIELD.node);
  if (typeof nodeId === 'number') problems.push(...problemsOfNode(nodeId, rules));
  if (problems.length + ofOtherTypes.length > 0) {
    return { problems: [...ofOtherTypes, ...problems], mayWait: problems.length === 0 };
  }
  const type = before.get(FIELD.type);
  const components = before.has(FIELD.bundle) ? ((before.get(FIELD.bundle) ?? []) as readonly Component[]) : undefined;
  return {
    ...blank(row, options),
    revert: 'restore',
    nodeId: typeof nodeId === 'number' ? nodeId : null,
    parentSku: before.has(FIELD.parent) ? ((before.get(FIELD.parent) ?? null) as string | null) : undefined,
    type: type === 'B' || type === 'I' ? type : null,
    components: type === 'I' ? undefined : components,
    alternates: before.has(FIELD.alternates) ? ((before.get(FIELD.alternates) ?? []) as readonly string[]) : undefined,
    channels: before.has(FIELD.channels) ? ((before.get(FIELD.channels) ?? null) as number[] | null) : undefined,
    document: ItemDocument.ofObject(values),
    set,
    cleared,
  };
}

/**
 * The draft that clears those values of an item that bar the way of definitions: of attributes that it has no value of in the
 * end, or one of another type; all of an item that is deleted in the end. Null: there are none.
 */
export function vacatingDraft(row: RevertRow, rules: ItemRules, options: DraftOptions): ItemDraft | null {
  const { present = {} } = options;
  const cleared: number[] = [];
  const before = row.was ? beforeOf(row, present) : new Map(Object.keys(present).map((key) => [key, undefined]));
  for (const [key, value] of before) {
    const position = key.startsWith('$') ? undefined : rules.positionOfId(key);
    if (position === undefined || present[key] === undefined) continue;
    if (value === undefined || !isOfType(value, rules.definition(position))) cleared.push(position);
  }
  return cleared.length === 0 ? null : { ...blank(row, options), revert: 'restore', cleared };
}

/** What belongs to every item, whether or not it has any. */
const FIELDS = [FIELD.parent, FIELD.channels, FIELD.alternates, FIELD.bundle];

/** Attribute id or FIELD → what the item had before; undefined: nothing. What is not named stays as it is. */
function beforeOf({ changed, isWhole }: RevertRow, present: ItemImage = {}): ReadonlyMap<string, unknown> {
  const before = new Map<string, unknown>(Object.entries(changed).map(([key, { b }]) => [key, b]));
  if (!isWhole) return before;
  for (const key of [...Object.keys(present), ...FIELDS]) if (!before.has(key)) before.set(key, undefined);
  return before;
}

function blank({ sku }: RevertRow, { row, hash }: DraftOptions): ItemDraft {
  return {
    row,
    sku,
    hash,
    nodeId: null,
    parentSku: undefined,
    detach: false,
    type: null,
    components: undefined,
    alternates: undefined,
    channels: undefined,
    document: ItemDocument.ofObject({}),
    inactive: false,
    set: [],
    cleared: [],
    faults: null,
  };
}

function attributeGone(id: string): RowProblem {
  const message = `the item had a value of the attribute ${id}, which was deleted since; nothing of the item is reverted`;
  return { code: 'ATTRIBUTE_NOT_FOUND', column: null, message, value: id };
}

function ofOtherType(value: unknown, { name, type }: AttributeDefinition): RowProblem {
  const message = `the item had the value ${JSON.stringify(storable(String(value), 60))} of the attribute "${name}", which has the type ${type} by now; nothing of the item is written: give the attribute its former type first`;
  return { code: 'VALUE_TYPE', column: name, message, value: storable(String(value), 200) };
}

function problemsOfNode(nodeId: number, rules: ItemRules): RowProblem[] {
  const category = rules.categories.byNodeId(nodeId);
  const value = String(nodeId);
  if (category === undefined) {
    const message = `the item was in the category ${nodeId}, which was deleted since; nothing of the item is reverted`;
    return [{ code: 'NODE_NOT_FOUND', column: 'nodeId', message, value }];
  }
  if (category.leaf) return [];
  const message = `the item was in the category "${rules.categories.pathOf(category)}", which has got subcategories since; nothing of the item is reverted: take back first what made them, jobs one by one, the newest first`;
  return [{ code: 'NODE_NOT_LEAF', column: 'nodeId', message, value }];
}
