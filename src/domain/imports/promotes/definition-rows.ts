/** The rows of a promotion that are about definitions: what comes before its items, and what comes after them. */

import type { Knex } from 'knex';
import type { Image } from '../../changes/model/definition-image.js';
import { FIELD } from '../../changes/model/item-change.js';
import { addTo } from '../../kernel/grouped-by.js';
import type { CarriedDefinition } from '../model/promote-job.js';
import type { DefinitionRow } from '../reverts/definition-row.js';
import type { RevertRow } from '../reverts/revert-row.js';
import { type DefinitionDifference, isAlike, optionsBesides } from './definition-differences.js';
import { optionsOf, type StageMaps } from './stage-maps.js';
import { nameOf } from './wanted-definitions.js';

interface DefinitionRows {
  readonly beforeItems: readonly DefinitionRow[];
  /** What is taken away: options that items had until then, and assignments. */
  readonly afterItems: readonly DefinitionRow[];
}

/** @param which whether what is taken away is carried over as well */
export async function rowsOfDefinitions(
  trx: Knex.Transaction,
  siteId: number,
  differences: readonly DefinitionDifference[],
  which: CarriedDefinition,
): Promise<DefinitionRows> {
  const created = differences.filter(({ kind, present }) => kind === 'category' && present === null);
  const nodeIds = await newNodeIds(trx, siteId, created.map(nameOf));
  const beforeItems = differences.flatMap((one) => early(one, nodeIds.get(nameOf(one))));
  return { beforeItems, afterItems: which === 'all' ? differences.flatMap(late) : [] };
}

function early(difference: DefinitionDifference, nodeId: number | undefined): DefinitionRow[] {
  const { source, present, initial } = difference;
  const before = withOptionsBesides(difference);
  if (source === null || before === null || isAlike(before, present)) return [];
  const all = nodeId === undefined ? initial : { ...initial, nodeId };
  return [rowOf(difference, before, present, all)];
}

function late(difference: DefinitionDifference): DefinitionRow[] {
  const { source, present } = difference;
  if (source === null) return [rowOf(difference, null, present, {})];
  if (optionsBesides(difference).length === 0) return [];
  return [rowOf(difference, source, { ...present, ...withOptionsBesides(difference) }, {})];
}

function rowOf(
  { kind, key, label, source, at }: DefinitionDifference,
  before: Image | null,
  after: Image | null,
  initial: Image,
): DefinitionRow {
  return { kind, key, sku: label, before, after, broken: false, at, carried: { source, initial } };
}

/** What an attribute is until no item has an option any more that the source does not have. */
function withOptionsBesides(difference: DefinitionDifference): Image | null {
  const { source } = difference;
  const besides = optionsBesides(difference);
  if (source === null || besides.length === 0) return source;
  const options = [...optionsOf(source.definition), ...besides];
  return { ...source, definition: { ...Object(source.definition), options } };
}

/** Numbers of nodes are given once: an approved job creates what was previewed. */
async function newNodeIds(
  trx: Knex.Transaction,
  siteId: number,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  const [row] = await trx('site')
    .where({ id: siteId })
    .increment('next_node_id', names.length)
    .returning<{ next_node_id: number }[]>('next_node_id');
  if (row === undefined) throw new Error(`site ${siteId} does not exist`);
  return new Map(names.map((name, nth) => [name, row.next_node_id - names.length + nth]));
}

/** Finds out which definitions items need. */
export class NeededDefinitions {
  /** Category → its parent, both of the target. */
  readonly #parents: ReadonlyMap<string, string | null>;
  /** Category → the assignments to it that are missing or differ. */
  readonly #assignments = new Map<string, DefinitionDifference[]>();
  readonly #needed = new Set<string>();

  constructor(
    private readonly all: readonly DefinitionDifference[],
    { sourceCategories, places }: StageMaps,
  ) {
    this.#parents = new Map(
      sourceCategories.map(({ id, parent_id: parent }) => [
        places[id] ?? id,
        parent === null ? null : (places[parent] ?? null),
      ]),
    );
    for (const one of all) {
      if (one.kind !== 'assignment' || one.source === null) continue;
      addTo(this.#assignments, String(one.source.categoryId), one);
    }
  }

  get found(): DefinitionDifference[] {
    return this.all.filter((one) => this.#needed.has(nameOf(one)));
  }

  /** An item needs the attributes of which it gets values, with their assignments to its category, and the categories that it comes into. */
  add({ was, changed, home }: RevertRow): void {
    if (!was || this.all.length === 0) return;
    const values = Object.entries(changed).flatMap(([key, { b }]) =>
      key.startsWith('$') || b === undefined ? [] : [key],
    );
    for (const key of values) this.#needed.add(`attribute ${key}`);
    if (home !== undefined) {
      if (changed[FIELD.node]?.b === undefined) this.#addPlace(home, new Set(values));
      else this.#addPlace(home, null);
    }
    const alternates = changed[FIELD.alternates]?.b;
    if (Array.isArray(alternates)) for (const id of alternates) this.#addPlace(String(id), null);
  }

  /** @param attributes null: the category and those above it with all that is assigned to them */
  #addPlace(category: string, attributes: ReadonlySet<string> | null): void {
    for (let at: string | null | undefined = category; at; at = this.#parents.get(at)) {
      if (attributes === null) this.#needed.add(`category ${at}`);
      for (const one of this.#assignments.get(at) ?? []) {
        const attribute = String(one.source?.attributeId);
        if (attributes !== null && !attributes.has(attribute)) continue;
        this.#needed.add(nameOf(one));
        this.#needed.add(`attribute ${attribute}`);
      }
    }
  }
}
