/**
 * Reviews a proposal with the user: shows it, asks what is open, and whether what is missing is created. Without a
 * terminal nothing is asked, and what would have been asked is a refusal with the options that answer it.
 */
import {
  type Decisions,
  decide,
  decisionsBeside,
  type FileReading,
  type OpenQuestion,
  openQuestions,
  otherReading,
  type schemas,
} from '@longshore/client';
import { ask, canAsk } from '../ask.js';
import { CommandError } from '../failure.js';
import { missingText, printProposal } from '../proposal-report.js';
import { asTyped, commandLine, print, printJson, style } from '../terminal.js';
import { printFitting } from './fitting-profile.js';
import { type Choice, CREATABLE, type Creatable, type ImportOptions } from './options.js';

type Proposal = schemas.ImportProposal;
type Reading = OpenQuestion['readings'][number];

/** What was agreed on. */
export interface Reviewed {
  readonly proposal: Proposal;
  readonly createMissing: Readonly<Record<Creatable, boolean>>;
}

const NOT_IMPORTED = { unanswered: 'nothing is imported' };

/**
 * @param propose another proposal, for the file as it is read in another way
 * @param command the command as it was typed, so far as it can be repeated
 * @returns undefined when the user does not want the file to be imported like this
 * @throws CommandError when something is open and there is no terminal to ask on
 */
export async function review(
  found: Proposal,
  propose: (reading: FileReading) => Promise<Proposal>,
  options: ImportOptions,
  command: readonly string[],
): Promise<Reviewed | undefined> {
  const agreed = await decidedBy(options.decide ?? [], found, propose);
  return reviewDecided(agreed.proposal, agreed.propose, options, command);
}

type Propose = Parameters<typeof review>[1];

/** The proposal with these decisions, of which those about its form come first: they make another one. */
async function decidedBy(
  given: readonly string[],
  proposal: Proposal,
  propose: Propose,
): Promise<{ readonly proposal: Proposal; readonly propose: Propose }> {
  const decisions = decisionsOf(given, proposal);
  const other = otherReading(proposal, decisions);
  if (other === undefined) return { proposal: decide(proposal, decisions), propose };
  const left = Object.entries(decisionsBeside(other, decisions)).flatMap(([column, values]) =>
    [values].flat().map((value) => `${column}=${value}`),
  );
  return decidedBy(left, await propose(other), (more) => propose({ ...other, ...more }));
}

async function reviewDecided(
  found: Proposal,
  propose: Propose,
  options: ImportOptions,
  command: readonly string[],
): Promise<Reviewed | undefined> {
  let proposal = found;
  const isAsking = canAsk() && !options.json;
  if (!options.json) printProposal(proposal);
  if (!isAsking) {
    if (!options.json) printFitting(proposal, options);
    requireAnswers(proposal, options, command);
    return { proposal, createMissing: chosen(options.createMissing ?? 'none') };
  }
  for (let open = openQuestions(proposal); open[0] !== undefined; open = openQuestions(proposal)) {
    const answer = { [open[0].column]: await askReading(open[0]) };
    const other = otherReading(proposal, answer);
    if (other !== undefined)
      return reviewDecided(await propose(other), (more) => propose({ ...other, ...more }), options, command);
    proposal = decide(proposal, answer);
  }
  const create = await askWhatToCreate(proposal, options);
  if (options.yes !== true && !(await askYes('Import the file like this?', '--yes'))) return undefined;
  return { proposal, createMissing: chosen(create) };
}

/** @param given as `COLUMN=reading`; a name may contain the sign as well */
function decisionsOf(given: readonly string[], proposal: Proposal): Decisions {
  const decisions: Record<string, string[]> = {};
  const columns = [
    ...openQuestions(proposal).map(({ column }) => column),
    ...proposal.lines.flatMap(({ from }) => from ?? []),
  ];
  for (const text of given) {
    const known = columns
      .filter((column) => text.toLowerCase().startsWith(`${column.toLowerCase()}=`))
      .sort((a, b) => b.length - a.length)[0];
    const column = known ?? text.slice(0, Math.max(text.indexOf('='), 0));
    if (column === '') throw new CommandError(`--decide "${text}" is not "COLUMN=reading"`);
    decisions[column] = [...(decisions[column] ?? []), text.slice(column.length + 1)];
  }
  return decisions;
}

function chosen(create: Choice): Readonly<Record<Creatable, boolean>> {
  const isChosen = (kind: Creatable) => create === 'all' || (create !== 'none' && create.includes(kind));
  const [attributes, options, categories, assignments] = CREATABLE.map(isChosen) as [
    boolean,
    boolean,
    boolean,
    boolean,
  ];
  return { attributes, options, categories, assignments };
}

async function askReading({ column, question, readings }: OpenQuestion): Promise<string> {
  const { bold } = style(process.stdout);
  print();
  print(`${bold(column)}: ${question}`);
  for (const [index, reading] of readings.entries())
    print(`  ${index + 1}  ${reading.value}: ${readingText(reading, readings)}`);
  for (;;) {
    const answer = await ask(`1 to ${readings.length}: `, decision(column, 'READING'), NOT_IMPORTED);
    const reading = readings[Number(answer) - 1] ?? readings.find(({ value }) => value === answer);
    if (reading !== undefined) return reading.value;
  }
}

/** With its example, where each reading has one of its own: the question names an example that all of them share. */
function readingText({ label, row, example }: Reading, all: readonly Reading[]): string {
  const isOwn = example !== '' && all.some((other) => other.example !== example || other.row !== row);
  return isOwn ? `${label} ("${example}" in row ${row})` : label;
}

async function askWhatToCreate(proposal: Proposal, options: ImportOptions): Promise<Choice> {
  const missing = missingText(proposal);
  if (options.createMissing !== undefined || missing === '') return options.createMissing ?? 'none';
  print();
  return (await askYes(`The catalog lacks ${missing}. Create them?`, '--create-missing')) ? 'all' : 'none';
}

/** An empty answer is a yes. */
async function askYes(question: string, option: string): Promise<boolean> {
  for (;;) {
    const answer = (await ask(`${question} [Y/n] `, option, NOT_IMPORTED)).toLowerCase();
    if (answer === '' || 'yes'.startsWith(answer)) return true;
    if ('no'.startsWith(answer)) return false;
  }
}

/** @throws CommandError with all that would have been asked, and the options that answer it */
function requireAnswers(proposal: Proposal, options: ImportOptions, command: readonly string[]): void {
  const missing = missingText(proposal);
  const open = openQuestions(proposal);
  const needed: string[][] = [
    ...(options.yes === true ? [] : [['--yes', 'imports the file as it is shown']]),
    ...(options.createMissing !== undefined || missing === ''
      ? []
      : [['--create-missing', `creates what the catalog lacks: ${missing}`]]),
  ];
  if (needed.length === 0 && open.length === 0) return;
  if (options.json) printJson({ outcome: 'undecided', job: null, errorFile: null, questions: open, proposal });
  const width = Math.max(...needed.map(([option = '']) => option.length));
  const lines = [
    ...needed.map(([option = '', does = '']) => `  ${option.padEnd(width)}  ${does}`),
    ...open.flatMap(({ column, question, readings }) => [
      `  ${question} One of:`,
      ...readings.map((reading) => `    ${decision(column, reading.value)}  ${readingText(reading, readings)}`),
    ]),
  ];
  throw new CommandError(
    `nothing is imported: there is no terminal to ask on. Add to ${commandLine(...command)}\n${lines.join('\n')}`,
  );
}

/** The option that decides for a reading, as it is typed. */
function decision(column: string, value: string): string {
  return asTyped('--decide', `${column}=${value}`);
}
