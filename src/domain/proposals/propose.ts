/** Proposes how a file is imported: from its inspection, and what the catalog has. */
import { categoriesByPlace } from '../catalog/categories/category-places.js';
import type { SiteDefinitions } from '../catalog/site-definitions.js';
import { MAX_KEPT_CHARACTERS, MAX_KEPT_VALUES } from '../inspection/columns/kept-values.js';
import type { StoredInspection } from '../inspection/model/inspection.js';
import { DomainError } from '../kernel/errors.js';
import type { ProfileFileType, ProposedProfile } from '../profiles/model/profile.js';
import { lackingAssignments } from './compose/assignments.js';
import { blankReason } from './compose/blank-column.js';
import { lackingPaths } from './compose/category-paths.js';
import { Choice, type ChosenColumns } from './compose/choice.js';
import { type Matched, planKey } from './compose/choose-key.js';
import { Draft, ignored, leastSure } from './compose/draft.js';
import { askAboutFile, formatOf } from './compose/file-questions.js';
import { planCategory } from './compose/plan-category.js';
import { planOthers } from './compose/plan-others.js';
import { rowsApart } from './compose/rows-apart.js';
import { candidatesOf, namedColumn } from './match/candidates.js';
import { NearNames } from './match/near-names.js';
import { OptionValues } from './match/option-values.js';
import { Targets } from './match/targets.js';
import type { InspectedRows } from './model/inspection-job.js';
import type { Proposal, ProposedImport, ProposedMissing } from './model/proposal.js';
import { questionsOf } from './questions-of.js';

/** A row of a file has no more, and so has a profile. */
const MAX_COLUMNS = 2_000;

export interface ProposalInput {
  readonly inspection: StoredInspection;
  readonly definitions: SiteDefinitions;
  /** Other names of columns, as the settings of the site have them. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  readonly fileType: ProfileFileType;
  /** What of the form of the file was asked for. */
  readonly rows?: InspectedRows | undefined;
  /** What somebody has said of columns of the file. */
  readonly chosen?: ChosenColumns | undefined;
}

/**
 * It reads nothing but its input, and changes nothing.
 * @param pause is called often: thousands of names are compared
 * @throws DomainError unprocessable TOO_MANY_COLUMNS
 */
export async function propose(
  { inspection, definitions, aliases, fileType, chosen = {}, rows = {} }: ProposalInput,
  pause: () => Promise<void>,
): Promise<ProposedImport> {
  if (inspection.columns.length > MAX_COLUMNS) {
    const message = `the file has ${inspection.columns.length} columns; at most ${MAX_COLUMNS} can be imported: leave some out`;
    throw new DomainError('unprocessable', 'TOO_MANY_COLUMNS', message);
  }
  const draft = new Draft(inspection, definitions, fileType);
  const columns = await matchedColumns(draft, { aliases, chosen }, pause);
  askAboutFile(draft, rows);
  const isItems = fileType === 'ITEM_IMPORT' || fileType === 'BUNDLE_IMPORT';
  const key = planKey(draft, columns, KEYS[fileType]);
  if (key.index === null) draft.countHeaders();
  const rest = columns.filter(({ named }) => named.column.index !== key.index);
  const places = categoriesByPlace(definitions.categories);
  const category = isItems ? planCategory(draft, rest, places) : null;
  await planOthers(
    draft,
    rest.filter(({ named }) => category?.indexes.includes(named.column.index) !== true),
    pause,
  );
  doubtOthers(draft, key.open, category?.indexes.length === 0);
  const paths = category?.paths ?? [];
  const ofDefaults = lackingPaths(category?.rest === undefined ? [] : [category.rest], places);
  const missing: ProposedMissing = {
    attributes: [...draft.attributes.values()],
    options: [...draft.options].map(([attribute, values]) => ({ attribute, values })),
    categories: lackingPaths(paths, places),
    assignments: lackingAssignments(definitions, paths, draft.filled, places),
    ...(ofDefaults.length > 0 ? { categoriesOfDefaults: ofDefaults } : {}),
  };
  const { skipRowsWhen, text } = rowsApart(draft, key.index);
  const keyLine = key.index === null ? undefined : draft.planned.get(key.index)?.line;
  if (text !== '' && keyLine !== undefined) {
    keyLine.verdict = leastSure(keyLine.verdict, 'likely');
    keyLine.reason = `${keyLine.reason} ${text}`;
  }
  const planned = [...[...draft.planned].sort(([a], [b]) => a - b).map(([, each]) => each), ...draft.added];
  const profile: ProposedProfile = {
    fileType,
    format: formatOf(draft, rows),
    unknownColumns: 'warn',
    skipRowsWhen,
    columns: planned.map(({ rule }) => rule),
    ...(draft.questions.length > 0 ? { undecided: draft.questions } : {}),
  };
  return {
    fileType,
    kind: inspection.kind,
    profile: profile as Proposal['profile'],
    missing,
    lines: planned.map(({ line }) => line),
    questions: questionsOf(profile),
    bounds: { values: MAX_KEPT_VALUES, characters: MAX_KEPT_CHARACTERS },
  };
}

/** What may be the key, or the category, of which a person is asked, is no sure attribute. */
function doubtOthers({ planned, inspection }: Draft, mayBeKeys: ReadonlySet<number>, mayBeCategory: boolean): void {
  for (const [index, { line }] of planned) {
    if (mayBeKeys.has(index)) line.verdict = 'ambiguous';
    else if (mayBeCategory && line.verdict === 'certain' && inspection.columns[index]?.path) line.verdict = 'likely';
  }
}

/** The column that identifies the rows of each type of file. */
const KEYS: Readonly<Record<ProfileFileType, string>> = {
  ITEM_IMPORT: 'SKU',
  BUNDLE_IMPORT: 'SKU',
  ATTRIBUTE_IMPORT: 'Attribute Title',
  CATEGORY_IMPORT: 'Category Path',
};

/** The columns that hold something, with what each may be. The others are ignored. */
async function matchedColumns(
  draft: Draft,
  { aliases, chosen }: Pick<ProposalInput, 'aliases'> & { readonly chosen: ChosenColumns },
  pause: () => Promise<void>,
): Promise<Matched[]> {
  const targets = await Targets.of(draft.definitions, draft.fileType, aliases, pause);
  const options = new OptionValues();
  await options.prepare(targets, pause);
  const search = { targets, options, near: new NearNames(targets, pause) };
  const kept = new Map(draft.inspection.kept.map((column) => [column.index, column]));
  const choice = new Choice(draft, targets, chosen);
  const found: Matched[] = [];
  for (const column of draft.inspection.columns) {
    await pause();
    const values = kept.get(column.index);
    const named = namedColumn(column, values?.isComplete ? values.values : column.values, draft);
    const blank = blankReason(named.column, targets);
    const said = choice.of(column);
    if (said !== undefined) {
      if (said === null) draft.planned.set(column.index, ignored(named, 'certain', 'You leave it out.'));
      else found.push({ named, candidates: said });
    } else if (blank !== null) {
      const verdict = column.isBlank && column.filled > 0 ? 'likely' : 'certain';
      draft.planned.set(column.index, ignored(named, verdict, blank));
    } else found.push({ named, candidates: choice.left(await candidatesOf(named, search)) });
  }
  return found;
}
