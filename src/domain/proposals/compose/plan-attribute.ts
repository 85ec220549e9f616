/** Plans which attribute a column fills: one that the catalog has, or a new one. */
import type { AttributeDefinition } from '../../catalog/model/attribute-definition.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { quoted } from '../../kernel/value-problem.js';
import type { OpenAnswer } from '../../profiles/model/open-question.js';
import type { ProposedRule } from '../../profiles/model/proposed-rule.js';
import { emptiedText, mayBeOption } from '../columns/emptied-words.js';
import { newAttribute } from '../columns/new-attribute.js';
import { emptiedWords, stepsOfColumn } from '../columns/steps-of-column.js';
import type { Candidate, NamedColumn } from '../match/candidates.js';
import { canDoDamage } from '../match/name-keys.js';
import { type Draft, leastSure, lineOf, type Planned } from './draft.js';

/** A column becomes the attribute of the first candidate; if that is ambiguous, a person decides between all. */
export function planMapped(draft: Draft, named: NamedColumn, candidates: readonly Candidate[]): Planned {
  const [best] = candidates;
  if (best === undefined) return planNew(draft, named);
  const { target, verdict: matched, reason } = best;
  const { rule, verdict } = fill(draft, named, target.name, target.definition);
  const rivals = candidates.slice(1).map((rival) => ({ to: rival.target.name, reason: rival.reason }));
  const as = named.concept === 'image' && target.as === 'attribute' ? 'image' : target.as;
  const isOpen = matched === 'ambiguous';
  if (isOpen) ask(draft, named, candidates);
  const options = addOptions(draft, named, target.definition, rule);
  return {
    rule,
    line: lineOf(named, {
      to: target.name,
      as,
      verdict: leastSure(matched, verdict, options === '' ? 'certain' : 'likely'),
      reason: `${reason}${target.definition === null ? '' : emptiedText(named, emptiedWords(named, target.definition))}${options}`,
      rivals: isOpen ? [...rivals, { to: draft.nameFor(named.column), reason: 'It may be a new attribute.' }] : rivals,
    }),
  };
}

/** A column becomes a new attribute, if files of this type have attributes. */
export function planNew(draft: Draft, named: NamedColumn): Planned {
  const name = draft.nameFor(named.column);
  const made = newAttribute(named, name);
  draft.attributes.set(attributeKey(name), made.element);
  draft.filled.set(attributeKey(name), name);
  const { steps, verdict } = stepsOfColumn(named, made.element);
  const isDangerous = canDoDamage(named.column.name, named.concept);
  const warning = isDangerous ? ' A wrong value there can do damage: look at it.' : '';
  const repeated = named.column.isRepeated ? ' The header has this name twice.' : '';
  return {
    rule: { to: name, from: named.column.name, steps },
    line: lineOf(named, {
      to: name,
      as: named.concept === 'image' ? 'image' : 'attribute',
      isNew: true,
      verdict: leastSure(made.verdict, verdict, isDangerous || repeated !== '' ? 'likely' : 'certain'),
      reason: `${made.reason}${repeated}${emptiedText(named, emptiedWords(named, made.element))}${warning}`,
    }),
  };
}

function fill(draft: Draft, named: NamedColumn, to: string, definition: AttributeDefinition | null) {
  if (definition === null) return { rule: { to, from: named.column.name, steps: [] }, verdict: 'certain' as const };
  draft.filled.set(attributeKey(to), to);
  const { steps, verdict } = stepsOfColumn(named, definition);
  return { rule: { to, from: named.column.name, steps }, verdict };
}

/** Which of several attributes a column is. */
function ask(draft: Draft, named: NamedColumn, candidates: readonly Candidate[]): void {
  const { column } = named;
  const cell = draft.cellOf(column);
  const readings = candidates.map(({ target }): OpenAnswer => {
    const { rule } = fill(draft, named, target.name, target.definition);
    addOptions(draft, named, target.definition, rule);
    return { value: target.name, label: `the attribute ${quoted(target.name)}`, ...cell, rules: [rule] };
  });
  const { rule } = planNew(draft, named);
  const none: ProposedRule = { to: null, from: column.name, steps: [] };
  draft.questions.push({
    about: 'column',
    column: column.name,
    question: `What is the column ${quoted(column.name)}?`,
    readings: [
      ...readings,
      { value: 'new', label: `a new attribute ${quoted(rule.to)}`, ...cell, rules: [rule] },
      { value: 'ignore', label: 'nothing that is imported', ...cell, rules: [none] },
    ],
  });
}

/** Notes the values of the column that the attribute does not have as options. @returns what is to be said about it */
function addOptions(
  draft: Draft,
  named: NamedColumn,
  definition: AttributeDefinition | null,
  rule: ProposedRule,
): string {
  if (definition?.type !== 'OPTIONS') return '';
  const { values } = named;
  if (values === null) {
    return ' Its different values are not all known, so that options which the attribute lacks are not listed.';
  }
  const isNumeric = definition.optionsType === 'INTEGER' || definition.optionsType === 'DECIMAL';
  if (isNumeric || rule.to === null) return '';
  const known = new Set((definition.options ?? []).map((option) => option.normalize('NFC')));
  const lacking = values
    .map((value) => value.normalize('NFC'))
    .filter((value) => !known.has(value) && mayBeOption(named, value));
  if (lacking.length === 0) return '';
  draft.options.set(definition.name, lacking);
  const shown = lacking.slice(0, 3).map((value) => quoted(value));
  return ` The attribute lacks ${lacking.length} of the values as options: ${shown.join(', ')}${lacking.length > 3 ? ', …' : ''}.`;
}
