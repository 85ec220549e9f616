/** A saved profile, for a file of which somebody has said what some columns become. */
import { attributeKey } from '../../kernel/attribute-key.js';
import { sourcesOf } from '../../profiles/model/column-rule.js';
import type { Profile } from '../../profiles/model/profile.js';
import type { ChosenColumns } from './choice.js';

type Rule = Profile['columns'][number];

/** Each column of ours is filled once: a rule that fills what was chosen for another column ends. */
export function withColumns(profile: Profile, chosen: ChosenColumns): Profile {
  if (Object.keys(chosen).length === 0) return profile;
  const byColumn = new Map(Object.entries(chosen).map(([column, to]) => [attributeKey(column), { column, to }]));
  const taken = new Set(Object.values(chosen).flatMap((to) => (to === null ? [] : [attributeKey(to)])));
  const columns = profile.columns.flatMap((rule): Rule[] => {
    const [source, ...others] = sourcesOf(rule);
    const said = source === undefined || others.length > 0 ? undefined : byColumn.get(attributeKey(source));
    if (said !== undefined) {
      byColumn.delete(attributeKey(source ?? ''));
      return [said.to === null ? { to: null, from: said.column, steps: [] } : { ...rule, to: said.to }];
    }
    if (rule.to === null || !taken.has(attributeKey(rule.to))) return [rule];
    return rule.from === undefined ? [] : [{ to: null, from: rule.from, steps: [] }];
  });
  const added = [...byColumn.values()].map(({ column, to }): Rule => ({ to, from: column, steps: [] }));
  return { ...profile, columns: [...columns, ...added] };
}
