/** Imports a file whose columns are not ours: has it inspected, reviews what is proposed, and imports it like that. */
import {
  type Accepted,
  accepted,
  type FileReading,
  type HeldFile,
  type ImportResult,
  type schemas,
} from '@longshore/client';
import { type Access, clientOf } from '../access.js';
import { ask, canAsk } from '../ask.js';
import type { ImportInput } from '../import-input.js';
import { commandLine, note, print } from '../terminal.js';
import type { Attempt } from './attempt.js';
import { askFitting } from './fitting-profile.js';
import { announcementOf, type ImportOptions } from './options.js';
import { areOurs } from './own-columns.js';
import { withProgress } from './progress.js';
import { readingOf } from './reading.js';
import { goOn } from './resume.js';
import { type Reviewed, review } from './review.js';

export interface OwnImport {
  readonly attempt: Attempt;
  /** Undefined: the user did not want it. */
  readonly result: ImportResult | undefined;
}

/**
 * @param isOpen whether the columns may turn out to be ours, so that there is nothing to propose
 * @param command the command as it was typed, so far as it can be repeated
 */
export async function importOwnFile(
  input: ImportInput,
  access: Access,
  options: ImportOptions,
  command: readonly string[],
  isOpen: boolean,
): Promise<OwnImport> {
  const announcement = announcementOf(options);
  const asItIs = options.profile === false ? { profile: null } : {};
  return goOn(input, access, { ...announcement, hold: true }, options, (attempt) =>
    withProgress(attempt, options, async (onProgress, pause) => {
      const client = clientOf(options);
      const held = await client.hold(input.source, { ...announcement, ...attempt.call, onProgress });
      const earlier = await held.followed();
      if (earlier !== undefined) return earlier;
      const reading = readingOf(options);
      if (isOpen && (await areOurs(client, options.type, await columnsOf(held, reading)))) return held.import(asItIs);
      let saved = await savedProfile(options);
      const propose = (other: FileReading) =>
        held.proposal({ ...reading, ...other, ...(saved === undefined ? {} : { profile: saved }) });
      let proposal = await propose({});
      pause();
      const fitting = await askFitting(proposal, options);
      if (fitting !== undefined) {
        saved = fitting;
        proposal = await propose({});
      }
      const agreed = await review(proposal, propose, options, command);
      if (agreed === undefined) {
        await held.discard();
        return undefined;
      }
      const { profile, missing } = accepted(agreed.proposal);
      const name = saved ?? (await keptProfile(profile, options));
      return held.import({ profile: name ?? profile, ...creationOf(agreed, missing) });
    }),
  );
}

/** The columns of a table, or the members of JSON; none if its rows are not where those of our own files are. */
async function columnsOf(held: HeldFile, reading: FileReading): Promise<string[]> {
  const { columns, format } = await held.inspection(reading);
  const path = format.rowPath?.value ?? null;
  if (path === null) return columns.map(({ name }) => name);
  return path === '.' ? [...new Set(columns.map(({ name }) => name.split('/', 1)[0] ?? name))] : [];
}

/** The name of the profile that is given; undefined: there is none of this name yet. */
async function savedProfile(options: ImportOptions): Promise<string | undefined> {
  const { profile } = options;
  return typeof profile !== 'string' ? undefined : (await clientOf(options).profiles.find(profile))?.name;
}

/** What the body of an import says of what is missing: nothing if nothing is created. */
function creationOf({ createMissing }: Reviewed, missing: Accepted['missing']): schemas.ImportHeldFileRequest {
  return Object.values(createMissing).includes(true) ? { missing, createMissing } : {};
}

/** Saves what was agreed on under the name that is given or typed. @returns undefined when nothing is saved */
async function keptProfile(profile: Accepted['profile'], options: ImportOptions): Promise<string | undefined> {
  // A dry run leaves nothing behind.
  if (options.dryRun) return undefined;
  const { profiles } = clientOf(options);
  const name =
    options.profile || (canAsk() && !options.json && options.yes !== true ? await askName(options) : undefined);
  if (name === undefined) return undefined;
  const saved = await profiles.save(name, profile);
  if (!options.json)
    print(
      `The profile ${saved.name} is saved. The next file of this form: ${commandLine('import', 'FILE', '--profile', saved.name)}`,
    );
  return saved.name;
}

/** @returns undefined when there is no answer */
async function askName(options: ImportOptions): Promise<string | undefined> {
  const { profiles } = clientOf(options);
  for (;;) {
    const question = 'Save this as a profile, so that the next file needs no questions? Its name, or nothing: ';
    const name = await ask(question, '--profile', { unanswered: 'nothing is imported' });
    if (name === '') return undefined;
    if ((await profiles.find(name)) === undefined) return name;
    note(`There is a profile ${name} already: name another one.`);
  }
}
