/** Finds the definitions in which a stage lacks what another one has, or has it otherwise. */
import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import type { Image } from '../../changes/model/definition-image.js';
import { storable } from '../../kernel/characters.js';
import { presentDefinitions } from '../reverts/present-definitions.js';
import type { ComparedStages } from './differences.js';
import { optionsOf, type StageMaps } from './stage-maps.js';
import {
  assignmentsOf,
  MOST_LABEL_CHARACTERS,
  nameOf,
  type WantedDefinition,
  wantedDefinitions,
} from './wanted-definitions.js';

/** One difference. */
export interface DefinitionDifference extends WantedDefinition {
  /** What it is in the target. Null: it is not there. */
  readonly present: Image | null;
  /** When it was found. */
  readonly at: string;
}

/**
 * In an order in which they can be carried over: attributes, categories after their parents, assignments, mappings. What
 * only the target has is no difference, but for assignments of attributes to categories that both have. The order of
 * definitions is not compared.
 */
export async function definitionDifferences(
  trx: Knex.Transaction,
  stages: ComparedStages,
  maps: StageMaps,
): Promise<DefinitionDifference[]> {
  const wanted = await wantedDefinitions(trx, stages, maps);
  const known = new Set(wanted.map(nameOf));
  const all = [...wanted, ...(await assignmentsBesides(trx, stages, maps, known))];
  const present = await presentDefinitions(trx, stages.targetId, all);
  const at = new Date().toISOString();
  return all.flatMap((one): DefinitionDifference[] => {
    const there = present.get(nameOf(one)) ?? null;
    return isAlike(one.source, there) ? [] : [{ ...one, present: there, at }];
  });
}

/** Whether a definition has all members that it is to have. */
export function isAlike(source: Image | null, present: Image | null): boolean {
  if (source === null || present === null) return source === present;
  return Object.entries(source).every(([name, value]) => isDeepStrictEqual(value, present[name]));
}

/** The options that an attribute has only in the target. */
export function optionsBesides({ kind, source, present }: DefinitionDifference): string[] {
  if (kind !== 'attribute' || source === null || present === null || source.type !== present.type) return [];
  const own = new Set(optionsOf(source.definition));
  return optionsOf(present.definition).filter((option) => !own.has(option));
}

/** Assignments that only the target has, although the source has their attribute and their category. */
async function assignmentsBesides(
  trx: Knex.Transaction,
  { targetId }: ComparedStages,
  { attributes, places, sourceAttributes, sourceCategories }: StageMaps,
  known: ReadonlySet<string>,
): Promise<WantedDefinition[]> {
  const names = new Map(sourceAttributes.map(({ id, name }) => [attributes[id], name]));
  const paths = new Map(sourceCategories.map(({ id, path }) => [places[id], path]));
  const held = await assignmentsOf(trx, targetId);
  return held.flatMap(({ category_id: c, attribute_id: a }): WantedDefinition[] => {
    const one = { kind: 'assignment', key: `${c}/${a}` } as const;
    const [name, path] = [names.get(a), paths.get(c)];
    if (name === undefined || path === undefined || known.has(nameOf(one))) return [];
    return [
      { ...one, label: storable(`assignment of ${name} to ${path}`, MOST_LABEL_CHARACTERS), source: null, initial: {} },
    ];
  });
}
