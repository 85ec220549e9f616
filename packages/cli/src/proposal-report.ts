/** Shows a proposal: which column of a file becomes which of ours, how it is read, and what the catalog lacks. */
import { type OpenQuestion, openQuestions, type schemas } from '@longshore/client';
import { definitionsText } from './definitions-text.js';
import { print, printTable, style } from './terminal.js';

type Proposal = schemas.ImportProposal;
type Line = Proposal['lines'][number];
type Rule = Proposal['profile']['columns'][number];
type Step = Rule['steps'][number];

const SAMPLES = 3;

/** Prints how a file would be imported. */
export function printProposal(proposal: Proposal): void {
  const { bold } = style(process.stdout);
  const { lines, kind, profile, notes } = proposal;
  const { encoding, delimiter, headerRow, headerRows, sheet, rowPath } = profile.format ?? {};
  const written = [
    ...(encoding === undefined ? [] : [encoding]),
    ...(delimiter === undefined ? [] : [`delimiter ${delimiter === '\t' ? 'tab' : delimiter}`]),
    ...(sheet === undefined ? [] : [`sheet "${sheet}"`]),
    ...(rowPath === undefined ? [] : [`rows at ${rowPath}`]),
    ...(headerRow === undefined
      ? []
      : [`header in ${headerRows === 2 ? `rows ${headerRow - 1} and ${headerRow}` : `row ${headerRow}`}`]),
  ];
  print(bold(kind.reason));
  if (written.length > 0) print(written.join(', '));
  for (const note of notes) print(note);
  print();
  const open = openQuestions(proposal);
  const verdictOf = (line: Line) =>
    line.verdict === 'ambiguous' && !isOpen(line, open, lines) ? 'decided' : line.verdict;
  printTable(
    ['COLUMN', 'BECOMES', 'VERDICT', 'READ AS', 'SAMPLES'],
    lines.map((line) => [
      sourceOf(line),
      targetOf(line, proposal),
      verdictOf(line),
      readAs(ruleOf(line, profile.columns)),
      line.samples.slice(0, SAMPLES).join(' · '),
    ]),
    2,
  );
  printReasons(lines.filter((line) => verdictOf(line) === 'ambiguous' || (line.verdict === 'likely' && !line.isNew)));
}

/** Why a column is what it is, where that may be wrong. What a new attribute is, its samples show. */
function printReasons(unsure: readonly Line[]): void {
  const { bold } = style(process.stdout);
  if (unsure.length > 0) print();
  for (const line of unsure) {
    const others = new Set(line.rivals.filter(({ to }) => to !== line.to).map(({ to }) => to ?? 'ignored'));
    // Other columns that may become the same.
    const columns = line.rivals.filter(({ to }) => to === line.to).map(({ reason }) => reason);
    const words = [line.reason, ...(others.size === 0 ? [] : [`Others: ${[...others].join(', ')}.`]), ...columns];
    print(`${bold(sourceOf(line))} (${line.verdict}): ${words.join(' ')}`);
  }
}

/** Whether there is a question still about the column, or about the whole file, such as which column is the key. */
function isOpen(line: Line, open: readonly OpenQuestion[], lines: readonly Line[]): boolean {
  return open.some(({ column }) => sourcesOf(line).includes(column) || !lines.flatMap(sourcesOf).includes(column));
}

function sourcesOf({ from }: Pick<Line, 'from'>): readonly string[] {
  return typeof from === 'string' ? [from] : (from ?? []);
}

function sourceOf(line: Pick<Line, 'from'>): string {
  return sourcesOf(line).join(' + ');
}

function targetOf({ from, to, as, isNew }: Line, { missing }: Proposal): string {
  if (to === null) return as === 'ignored' ? '(ignored)' : '?';
  if (!isNew) return to;
  const kind = `new, ${missing.attributes.find(({ name }) => name === to)?.type ?? 'attribute'}`;
  return from === to ? `(${kind})` : `${to} (${kind})`;
}

function ruleOf({ from, to }: Line, rules: readonly Rule[]): Rule | undefined {
  return rules.find(
    (rule) => rule.to === to && (rule.from === undefined || from === null || `${rule.from}` === `${from}`),
  );
}

/** How the cells of a column are read, as short as it is in the table. */
function readAs(rule: Rule | undefined): string {
  if (rule?.constant !== undefined) return `always "${rule.constant}"`;
  return (rule?.steps ?? [])
    .map(stepText)
    .filter((text) => text !== '')
    .join(', ');
}

function stepText(step: Step): string {
  if ('undecided' in step) return step.undecided.map(({ value }) => value).join(' or ');
  switch (step.step) {
    case 'number':
      return `1${step.thousands ?? ''}234${step.decimal}5`;
    case 'date':
      return step.formats.join(', ');
    case 'boolean':
      return [...step.true, ...step.false].join('/');
    case 'removeUnit':
      return `without ${step.units.join(', ')}`;
    case 'list':
      return `list, ${step.separator}`;
    case 'path':
      return `path, ${step.separator}`;
    case 'stripHtml':
      return 'text of HTML';
    case 'default':
      return `empty: ${step.value}`;
    case 'replace':
      return 'replaced by a table';
    // What these do is seen by nobody, or is in the profile.
    case 'trim':
    case 'collapseSpaces':
    case 'case':
    case 'prefix':
    case 'suffix':
      return '';
  }
}

/**
 * How many of each kind the catalog lacks: "38 attributes, 8 categories"; empty: nothing. What no rule fills after the
 * decisions is not counted, because the import does not create it.
 */
export function missingText({ profile: { columns }, missing }: Proposal): string {
  const filled = new Set(columns.map(({ to }) => to?.toLowerCase()));
  const isFilled = (name: string | null | undefined) => filled.has(name?.toLowerCase());
  const { constant, steps = [] } = columns.find(({ to }) => to === 'Category Node') ?? { constant: null };
  const hasDefault = constant != null || steps.some(({ step }) => step === 'default');
  const spare = hasDefault ? [] : (missing.categoriesOfDefaults ?? []);
  const isNamed = (category: string) =>
    !spare.includes(category) && (constant == null || `${constant}->`.startsWith(`${category}->`));
  const assigned = missing.assignments.filter(({ category }) => isNamed(category));
  return definitionsText({
    attributes: missing.attributes.filter(({ name }) => isFilled(name)).length,
    options: missing.options.reduce((sum, one) => sum + (isFilled(one.attribute) ? one.values.length : 0), 0),
    categories: missing.categories.filter(isNamed).length,
    assignments: assigned.reduce((sum, { attributes }) => sum + attributes.filter(isFilled).length, 0),
  });
}
