/** `longshore profiles …`: lists, shows, saves and deletes the profiles by which files are imported. */
import { readFileSync, writeFileSync } from 'node:fs';
import { LongshoreError, type schemas } from '@longshore/client';
import type { Command } from 'commander';
import { type CommonOptions, clientOf, wholeNumber, withAccess } from '../access.js';
import { allPages } from '../all-pages.js';
import { CommandError } from '../failure.js';
import { commandLine, note, print, printJson, printTable } from '../terminal.js';
import { requireFree } from '../write-file.js';

type Profile = schemas.ImportProfile;
type Document = schemas.ImportProfileDocument;

interface ShowOptions extends CommonOptions {
  readonly profileVersion?: number;
  readonly output?: string;
  readonly force?: boolean;
}

interface SaveOptions extends CommonOptions {
  readonly name?: string;
}

const PAGE = 100;

export function addProfiles(program: Command): void {
  const profiles = program
    .command('profiles')
    .description('keep how files of your own are imported')
    .addHelpText('after', '\nExamples:\n  longshore profiles list\n  longshore profiles show ERP -o erp.profile.json');
  withAccess(profiles.command('list').description('the profiles of the stage'))
    .addHelpText('after', '\nExamples:\n  longshore profiles list')
    .action(listCommand);
  withAccess(profiles.command('show').argument('<name>').description('a profile as JSON, which can be saved again'))
    .option('--profile-version <number>', 'an earlier version; default: the newest', wholeNumber)
    .option('-o, --output <file>', 'write it to a file')
    .option('--force', 'replace the file if there is one')
    .addHelpText(
      'after',
      '\nExamples:\n  longshore profiles show ERP\n  longshore profiles show ERP -o erp.profile.json',
    )
    .action(showCommand);
  withAccess(profiles.command('save').argument('<file>').description('save a profile that is in a JSON file'))
    .option('--name <name>', 'default: the name in the file')
    .addHelpText(
      'after',
      '\nA profile of this name gets a new version.\n\nExamples:\n  longshore profiles save erp.profile.json\n  longshore profiles save erp.profile.json --stage test',
    )
    .action(saveCommand);
  withAccess(profiles.command('versions').argument('<name>').description('the versions of a profile, newest first'))
    .addHelpText('after', '\nExamples:\n  longshore profiles versions ERP')
    .action(versionsCommand);
  withAccess(profiles.command('rename').argument('<name>').argument('<new name>').description('rename a profile'))
    .addHelpText(
      'after',
      '\nIt keeps its versions. Commands that name it have to name it anew.\n\nExamples:\n  longshore profiles rename ERP "ERP 2026"',
    )
    .action(async (name: string, newName: string, options: CommonOptions) => {
      const renamed = await clientOf(options).renameImportProfile({ name, body: { name: newName } });
      if (options.json) return printJson(renamed);
      print(`The profile ${name} is called ${renamed.name} now.`);
    });
  withAccess(profiles.command('delete').argument('<name>').description('delete a profile with all its versions'))
    .addHelpText('after', '\nJobs keep the profile that they ran with.\n\nExamples:\n  longshore profiles delete ERP')
    .action(async (name: string, options: CommonOptions) => {
      const deleted = await clientOf(options).deleteImportProfile({ name });
      if (options.json) return printJson(deleted);
      print(`The profile ${deleted.name} is deleted.`);
    });
}

async function listCommand(options: CommonOptions): Promise<void> {
  const api = clientOf(options);
  const profiles = await allPages((offset) => api.listImportProfiles({ offset, limit: PAGE }));
  if (options.json) return printJson(profiles);
  printTable(
    ['NAME', 'IMPORTS', 'VERSION', 'CHANGED'],
    profiles.map(({ name, fileType, version, updatedAt }) => [
      ...[name, fileType, String(version)],
      updatedAt ?? 'comes with Longshore',
    ]),
  );
}

async function showCommand(name: string, options: ShowOptions): Promise<void> {
  const { profileVersion: version, output, force = false } = options;
  if (output !== undefined) requireFree(output, force);
  const profile = await clientOf(options).getImportProfile({ name, ...(version === undefined ? {} : { version }) });
  if (output === undefined) return printJson(profile);
  writeFileSync(output, `${JSON.stringify(profile, null, 2)}\n`);
  note(`The profile ${profile.name}, version ${profile.version}, is in ${output}. To save it again:`);
  note(`  ${commandLine('profiles', 'save', output)}`);
}

async function versionsCommand(name: string, options: CommonOptions): Promise<void> {
  const api = clientOf(options);
  const versions = await allPages((offset) => api.listImportProfileVersions({ name, offset, limit: PAGE }));
  if (options.json) return printJson(versions);
  printTable(
    ['VERSION', 'MADE'],
    versions.map(({ version, createdAt }) => [String(version), createdAt ?? 'comes with Longshore']),
  );
}

async function saveCommand(path: string, options: SaveOptions): Promise<void> {
  const { name: inFile, profile } = readProfile(path);
  const name = options.name ?? inFile;
  if (name === undefined) throw new CommandError(`${path} does not say what the profile is called: give --name`);
  const saved = await saveProfile(options, name, profile);
  if (options.json) return printJson(saved);
  print(`The profile ${saved.name} is saved, as version ${saved.version}. To import a file by it:`);
  print(`  ${commandLine('import', 'FILE', '--profile', saved.name)}`);
  if (saved.notInvertible.length === 0) return;
  print('An export in the form of this profile cannot write everything back:');
  printTable(
    ['COLUMN', 'STEP', 'WHY'],
    saved.notInvertible.map(({ column, step, reason }) => [column, step, reason]),
  );
}

/** Creates the profile, or makes a new version of it. */
async function saveProfile(options: CommonOptions, name: string, profile: Document): Promise<Profile> {
  const api = clientOf(options);
  try {
    return await api.updateImportProfile({ name, body: { profile } });
  } catch (error) {
    if (!(error instanceof LongshoreError) || error.status !== 404) throw error;
    return api.createImportProfile({ body: { name, profile } });
  }
}

/** What `profiles show` writes, or the document alone. @throws CommandError when the file is no profile */
function readProfile(path: string): { readonly name: string | undefined; readonly profile: Document } {
  const text = readFileSync(path, 'utf8');
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${path} is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof found !== 'object' || found === null || Array.isArray(found)) {
    throw new CommandError(`${path} holds no profile: expected an object with "profile", or with "columns"`);
  }
  if (!('profile' in found)) return { name: undefined, profile: found as Document };
  const { name, profile } = found as { readonly name?: unknown; readonly profile: Document };
  return { name: typeof name === 'string' ? name : undefined, profile };
}
