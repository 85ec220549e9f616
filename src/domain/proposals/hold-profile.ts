/** Holds a file against a saved profile: which of its columns the file has, and what the catalog lacks for it. */
import { categoriesByPlace } from '../catalog/categories/category-places.js';
import type { SiteDefinitions } from '../catalog/site-definitions.js';
import { standsForNothing } from '../inspection/cells/words.js';
import { MAX_KEPT_CHARACTERS, MAX_KEPT_VALUES } from '../inspection/columns/kept-values.js';
import { BETWEEN_LEVELS } from '../inspection/kind/level-columns.js';
import type { StoredInspection } from '../inspection/model/inspection.js';
import { attributeKey } from '../kernel/attribute-key.js';
import { nearestName } from '../kernel/nearest-name.js';
import { quoted } from '../kernel/value-problem.js';
import { type ColumnRule, sourcesOf } from '../profiles/model/column-rule.js';
import { columnsOfContinuation } from '../profiles/model/continued-rows.js';
import { pathsMeant } from '../profiles/model/paths-meant.js';
import type { Profile } from '../profiles/model/profile.js';
import { lackingAssignments } from './compose/assignments.js';
import { type CategoryPath, categoryPaths, lackingPaths } from './compose/category-paths.js';
import { Draft } from './compose/draft.js';
import { formDifferences } from './compose/form-differences.js';
import { attributeOfRule, valuesOfRule } from './compose/held-rule.js';
import { type NamedColumn, namedColumn } from './match/candidates.js';
import { Targets } from './match/targets.js';
import type { ProposalLine, ProposedImport } from './model/proposal.js';

interface HeldProfile {
  readonly inspection: StoredInspection;
  readonly definitions: SiteDefinitions;
  readonly profile: Profile;
}

/** @param pause is called often */
export async function holdProfile(
  { inspection, definitions, profile }: HeldProfile,
  pause: () => Promise<void>,
): Promise<ProposedImport> {
  const { fileType } = profile;
  const draft = new Draft(inspection, definitions, fileType);
  const targets = await Targets.of(definitions, fileType, {}, pause);
  const kept = new Map(inspection.kept.map((each) => [each.index, each]));
  const columns = new Map<string, NamedColumn>();
  for (const column of inspection.columns) {
    const values = kept.get(column.index);
    columns.set(
      attributeKey(column.name),
      namedColumn(column, values?.isComplete ? values.values : column.values, draft),
    );
  }
  const places = categoriesByPlace(definitions.categories);
  const lines: ProposalLine[] = [...formLines(draft, profile)];
  let paths: readonly CategoryPath[] = [];
  for (const rule of profile.columns) {
    await pause();
    const found = sourcesOf(rule).flatMap((name) => columns.get(attributeKey(name)) ?? []);
    const [target] = rule.to === null ? [] : targets.named(rule.to);
    const line = lineOfRule(rule, found, columns, target?.as ?? 'attribute', draft.isNested);
    lines.push(line);
    if (rule.to === null || (rule.optional === true && found.length === 0 && defaultOf(rule) === null)) continue;
    if (target?.as === 'category') paths = pathsOfRule(rule, found, inspection, places, line);
    else if (target === undefined) {
      const element = attributeOfRule({ ...rule, to: rule.to }, found);
      draft.attributes.set(attributeKey(rule.to), element);
      draft.filled.set(attributeKey(rule.to), rule.to);
      line.isNew = true;
      line.reason += ` The catalog has no ${quoted(rule.to)}: it becomes a new attribute of the type ${element.type}.`;
    } else if (target.definition !== null && target.as === 'attribute') {
      draft.filled.set(attributeKey(target.name), target.name);
      if (target.definition.type === 'OPTIONS') addOptions(draft, target.definition, valuesOfRule(rule, found), line);
    }
  }
  const { continuationRows } = profile;
  const joined = continuationRows === undefined ? [] : columnsOfContinuation(continuationRows);
  const named = new Set([...profile.columns.flatMap(sourcesOf), ...joined].map(attributeKey));
  const isMeant = draft.isNested ? pathsMeant(profile.columns.flatMap(sourcesOf)) : () => false;
  for (const { column } of columns.values()) {
    if (!named.has(attributeKey(column.name)) && !isMeant(column.name))
      lines.push(unknownLine(column, profile.unknownColumns));
  }
  // A saved profile leaves nothing open.
  const { undecided: _, ...saved } = profile;
  return {
    fileType,
    kind: inspection.kind,
    profile: saved,
    missing: {
      attributes: [...draft.attributes.values()],
      options: [...draft.options].map(([attribute, values]) => ({ attribute, values })),
      categories: lackingPaths(paths, places),
      assignments: lackingAssignments(definitions, paths, draft.filled, places),
    },
    lines,
    questions: [],
    bounds: { values: MAX_KEPT_VALUES, characters: MAX_KEPT_CHARACTERS },
  };
}

/** Where the profile and the file differ in their form, the columns may be others. */
function formLines({ inspection: { format } }: Draft, profile: Profile): ProposalLine[] {
  return formDifferences(format, profile).map((reason) => ({
    ...{ from: null, to: null, as: 'file', isNew: false, verdict: 'ambiguous', rivals: [], samples: [] },
    reason,
  }));
}

function lineOfRule(
  { to, from, constant, optional = false }: ColumnRule,
  found: readonly NamedColumn[],
  columns: ReadonlyMap<string, NamedColumn>,
  as: ProposalLine['as'],
  isNested: boolean,
): ProposalLine {
  const names = from === undefined ? [] : typeof from === 'string' ? [from] : from;
  const known = new Set(found.map(({ column }) => attributeKey(column.name)));
  const isThere = (name: string) => {
    const isMeant = pathsMeant([name]);
    return isNested && [...columns.values()].some(({ column }) => isMeant(column.name));
  };
  const lacking = names.filter((name) => !known.has(attributeKey(name)) && !isThere(name));
  const rivals = lacking.flatMap((name) => {
    const near = nearestName(name, [...columns.values()], ({ column }) => column.name);
    return near === undefined ? [] : [{ to, reason: `The file has a column ${quoted(near.column.name)}.` }];
  });
  const absent = lacking.map((name) => quoted(name)).join(', ');
  return {
    from: from ?? null,
    to,
    as: to === null ? 'ignored' : as,
    isNew: false,
    verdict: lacking.length === 0 || optional ? 'certain' : isNested ? 'likely' : 'ambiguous',
    reason:
      lacking.length > 0
        ? isNested
          ? `No row of the file has a value at ${absent}.`
          : `The file has no column ${absent}, which the profile ${optional ? 'can do without' : 'needs'}.`
        : constant === undefined
          ? 'The profile says so.'
          : `The profile gives every row ${quoted(constant)}.`,
    rivals,
    samples: (found[0]?.column.examples ?? []).map((example) => example.slice(0, 100)),
  };
}

function unknownLine({ name, examples }: NamedColumn['column'], unknown: Profile['unknownColumns']): ProposalLine {
  const what = { ignore: 'it is ignored', warn: 'it is ignored with a warning', fail: 'the file is rejected for it' };
  return {
    ...{ from: name, to: null, as: 'ignored', isNew: false, rivals: [] },
    verdict: unknown === 'ignore' ? 'certain' : unknown === 'warn' ? 'likely' : 'ambiguous',
    reason: `The profile does not know this column: ${what[unknown]}.`,
    samples: examples.map((example) => example.slice(0, 100)),
  };
}

function pathsOfRule(
  rule: ColumnRule,
  found: readonly NamedColumn[],
  { kept, levels }: StoredInspection,
  places: ReturnType<typeof categoriesByPlace>,
  line: ProposalLine,
): readonly CategoryPath[] {
  if (rule.constant !== undefined) return categoryPaths([rule.constant], { steps: rule.steps }, places).paths;
  const [column, ...others] = found;
  const isOfLevels =
    rule.joinWith === BETWEEN_LEVELS && String(found.map((each) => each.column.index)) === String(levels?.columns);
  const values = isOfLevels ? levels : kept.find(({ index }) => index === column?.column.index);
  const isWhole = others.length === 0 || isOfLevels;
  const isKnown = column === undefined ? rule.optional === true : isWhole && values?.isComplete === true;
  if (!isKnown) {
    line.verdict = 'ambiguous';
    line.reason += ' Not all of its categories are known: those that the catalog lacks are not all listed.';
  }
  const named = !isWhole ? [] : categoryPaths(values?.values ?? column?.values ?? [], rule, places).paths;
  const filled = defaultOf(rule);
  const [other] = filled === null ? [] : categoryPaths([filled.value], { steps: filled.after }, places).paths;
  return other === undefined || named.some(({ path }) => path === other.path) ? named : [...named, other];
}

/** What fills the empty cells of a column, and the steps that convert it; null: they stay empty. */
function defaultOf({ steps }: ColumnRule): { readonly value: string; readonly after: ColumnRule['steps'] } | null {
  const at = steps.findIndex(({ step }) => step === 'default');
  const step = steps[at];
  return step?.step === 'default' ? { value: step.value, after: steps.slice(at + 1) } : null;
}

function addOptions(
  draft: Draft,
  { name, options = [] }: { readonly name: string; readonly options?: readonly string[] | undefined },
  values: readonly string[] | null,
  line: ProposalLine,
): void {
  if (values === null) {
    line.verdict = line.verdict === 'certain' ? 'likely' : line.verdict;
    line.reason += ' Its different values are not all known, so that options which the attribute lacks are not listed.';
    return;
  }
  const known = new Set(options.map((option) => option.normalize('NFC')));
  const lacking = values.filter((value) => !known.has(value.normalize('NFC')) && !standsForNothing(value));
  if (lacking.length > 0) draft.options.set(name, lacking);
}
