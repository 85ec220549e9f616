/** Whether a difference between two stages is still there, and can be carried over. */
import type { Knex } from 'knex';
import { changedFieldName } from '../../catalog/items/named-changes.js';
import { FIELD } from '../../changes/model/item-change.js';
import { isId } from '../../kernel/identifier.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { ItemRules } from '../items/item-rules.js';
import type { Judgement } from '../reverts/judge-row.js';
import type { RevertJudge } from '../reverts/revert-applier.js';
import { isSameValue, type RevertRow } from '../reverts/revert-row.js';
import { type ComparedStages, differencesOfItems } from './differences.js';
import { loadStageMaps, type StageMaps } from './stage-maps.js';

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
  const name = nameOf(key, rules);
  const message = `"${name}" was changed in one of the stages after they were compared, so that nothing of the item is carried over; compare them again`;
  return { code: 'CHANGED_SINCE', column: name, message };
}

/** What the target lacks for what the item is to get. */
function problemsOf(row: RevertRow, rules: ItemRules, { differing }: StageMaps): RowProblem[] {
  if (!row.was) return [];
  return Object.entries(row.changed).flatMap(([key, { b }]): RowProblem[] => {
    if (b === undefined) return [];
    if (key === FIELD.node) return typeof b === 'string' ? [noCategory(b, 'nodeId')] : [];
    if (key === FIELD.alternates) {
      const lacking = (b as readonly string[]).filter((id) => !isId(id));
      return lacking.map((path) => noCategory(path, 'alternateCategories'));
    }
    if (key.startsWith('$')) return [];
    if (rules.positionOfId(key) === undefined) return [noAttribute(key)];
    return differing.has(key) ? [otherAttribute(nameOf(key, rules))] : [];
  });
}

function noCategory(path: string, column: string): RowProblem {
  const message = `this stage has no category "${path}"; create it first`;
  return { code: 'NODE_NOT_FOUND', column, message, value: path.slice(0, 200) };
}

function noAttribute(name: string): RowProblem {
  const message = `this stage has no attribute "${name}"; create it first`;
  return { code: 'ATTRIBUTE_NOT_FOUND', column: name, message, value: name.slice(0, 200) };
}

function otherAttribute(name: string): RowProblem {
  const message = `the attribute "${name}" is defined otherwise in the other stage (type, options or validation); make both equal first`;
  return { code: 'VALUE_TYPE', column: name, message };
}

function nameOf(key: string, rules: ItemRules): string {
  if (key === FIELD.type) return 'sku';
  const position = rules.positionOfId(key);
  return position === undefined ? changedFieldName(key) : rules.definition(position).name;
}
