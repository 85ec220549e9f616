/** Whether a difference between two stages is still there, and can be carried over. */
import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { FIELD } from '../../changes/model/item-change.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { ItemRules } from '../items/item-rules.js';
import type { DefinitionJudge } from '../reverts/apply-definitions.js';
import type { RevertJudge } from '../reverts/apply-reverts.js';
import { type DefinitionRow, isAsBefore, isAsLeft } from '../reverts/definition-row.js';
import { changedName, type Judgement } from '../reverts/judge-row.js';
import { isSameValue, type RevertRow } from '../reverts/revert-row.js';
import { type ComparedStages, differencesOfItems } from './differences.js';
import { loadStageMaps, type StageMaps } from './stage-maps.js';
import { nameOf, sourcesOf } from './wanted-definitions.js';

/** Drafts name the category of an item by its node id, which is known when the category is there. */
export function resolvingNodes({ sourceId, targetId }: ComparedStages) {
  return async (trx: Knex.Transaction) => {
    const { nodeIds } = await loadStageMaps(trx, sourceId, targetId);
    return (row: RevertRow): RevertRow => {
      const node = row.changed[FIELD.node];
      const nodeId = typeof node?.b === 'string' ? nodeIds.get(node.b) : undefined;
      return nodeId === undefined ? row : { ...row, changed: { ...row.changed, [FIELD.node]: { ...node, b: nodeId } } };
    };
  };
}

/** Looks at both stages again: a definition that has moved since in either of them is not what was found. */
export function definitionJudge(stages: ComparedStages): DefinitionJudge {
  return async (trx, rows, presentOf) => {
    const maps = await loadStageMaps(trx, stages.sourceId, stages.targetId);
    const sources = await sourcesOf(trx, stages, maps);
    return rows.flatMap((row): (readonly [DefinitionRow, RowProblem[]])[] => {
      const source = sources.get(nameOf(row)) ?? null;
      const isSame = isDeepStrictEqual(source, row.carried?.source ?? null);
      if (isSame && (isAsLeft(row, presentOf(row)) || isAsBefore(row, presentOf(row)))) return [];
      const where = isSame ? 'in this stage' : 'in the other stage';
      const message = `the ${row.kind} was changed ${where} after the stages were compared, so that it is not carried over; compare them again`;
      return [[row, [{ code: 'CHANGED_SINCE', column: null, message }]]];
    });
  };
}

/** Compares the items of a chunk again: what has moved since in either stage is not what was found. */
export function promoteJudge(stages: ComparedStages): RevertJudge {
  return async (trx: Knex.Transaction, rows: readonly RevertRow[], rules: ItemRules) => {
    const maps = await loadStageMaps(trx, stages.sourceId, stages.targetId);
    const skus = rows.map(({ sku }) => sku);
    const present = await differencesOfItems(trx, stages, maps, skus);
    return new Map(
      rows.map((row): readonly [string, Judgement | readonly RowProblem[]] => {
        const now = present.get(row.sku);
        if (now === undefined) return [row.sku, 'unchanged'];
        const moved = movedKey(row, now);
        if (moved !== undefined) return [row.sku, [changedSince(moved, rules)]];
        const problems = problemsOf(row, rules, maps);
        return [row.sku, problems.length > 0 ? problems : 'due'];
      }),
    );
  };
}

function movedKey(row: RevertRow, now: RevertRow): string | undefined {
  if (row.was !== now.was || row.is !== now.is) return FIELD.type;
  const keys = [...Object.keys(row.changed), ...Object.keys(now.changed)];
  return keys.find((key) => {
    const [found, present] = [row.changed[key], now.changed[key]];
    return !isSameValue(found?.b, present?.b) || !isSameValue(found?.a, present?.a);
  });
}

function changedSince(key: string, rules: ItemRules): RowProblem {
  const name = changedName(key, rules);
  const message = `"${name}" was changed in one of the stages after they were compared, so that nothing of the item is carried over; compare them again`;
  return { code: 'CHANGED_SINCE', column: name, message };
}

/** What the target lacks for what the item is to get. */
function problemsOf(row: RevertRow, rules: ItemRules, { differing, lacking, nodeIds }: StageMaps): RowProblem[] {
  if (!row.was) return [];
  const named = (id: string) => lacking.get(id) ?? id;
  return Object.entries(row.changed).flatMap(([key, { b }]): RowProblem[] => {
    if (b === undefined) return [];
    if (key === FIELD.node) {
      return typeof b === 'string' && !nodeIds.has(b) ? [noCategory(named(b), 'nodeId')] : [];
    }
    if (key === FIELD.alternates) {
      const unknown = (b as readonly string[]).filter((id) => !nodeIds.has(id));
      return unknown.map((id) => noCategory(named(id), 'alternateCategories'));
    }
    if (key.startsWith('$')) return [];
    if (rules.positionOfId(key) === undefined) return [noAttribute(named(key))];
    return differing.has(key) ? [otherAttribute(changedName(key, rules))] : [];
  });
}

function noCategory(path: string, column: string): RowProblem {
  const message = `this stage has no category "${path}"; carry it over as well (definitions), or create it`;
  return { code: 'NODE_NOT_FOUND', column, message, value: path.slice(0, 200) };
}

function noAttribute(name: string): RowProblem {
  const message = `this stage has no attribute "${name}"; carry it over as well (definitions), or create it`;
  return { code: 'ATTRIBUTE_NOT_FOUND', column: name, message, value: name.slice(0, 200) };
}

function otherAttribute(name: string): RowProblem {
  const message = `the attribute "${name}" is defined otherwise in the other stage (type, options or validation); carry it over as well (definitions), or make both equal`;
  return { code: 'VALUE_TYPE', column: name, message };
}
